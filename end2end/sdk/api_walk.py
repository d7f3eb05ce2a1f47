"""Runs every snippet of docs/API.md, in a shell, in Python and in TypeScript, and compares what it prints with what is written there.

`cargo xtask sdk` starts a Keepsake of its own for it, in which you@example.com administers, and says by the environment where it is. The
first block makes the keys, as it is written but for that address; what it exports all others find. The snippets of one language are one
program, in the order of the page. Expected is, in a shell, each line `# {…}` or `# 204` (a status); elsewhere the comment
behind each `print(…)` or `console.log(…)`. `…` stands for anything, and an object may have more fields than are shown.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/API.md"
TYPESCRIPT = ROOT / "clients/typescript"
PRINTS = re.compile(r"^\s*(?:print|console\.log)\(.*\);?\s*(?:#|//) (.*)$")
ANSWER = re.compile(r"^# (\{.*\}|\d{3})$")


def snippets(language):
    found = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found, f"{PAGE.name} shows nothing in {language}"
    return found


def expected(program, pattern):
    return [match.group(1) for match in map(pattern.match, program.splitlines()) if match]


def fits(shown, said):
    """Whether what was said is what is shown."""
    if isinstance(shown, dict):
        return isinstance(said, dict) and all(name in said and fits(value, said[name]) for name, value in shown.items())
    if isinstance(shown, list):
        return isinstance(said, list) and len(shown) == len(said) and all(map(fits, shown, said))
    if isinstance(shown, str) and isinstance(said, str):
        return re.fullmatch(".*".join(map(re.escape, shown.split("…"))), said, re.DOTALL) is not None
    return shown == "…" or (type(shown), shown) == (type(said), said)


def agree(shown, said):
    try:
        return fits(json.loads(shown), json.loads(said))
    except ValueError:
        return fits(shown, said)


def play(language, command, program, pattern, **more):
    done = subprocess.run(command, env={**os.environ, **more}, stdout=subprocess.PIPE, text=True, cwd=FOLDER, timeout=300)
    assert done.returncode == 0, f"{language}: ended with {done.returncode} after\n{done.stdout}"
    shown, said = expected(program, pattern), [line for line in done.stdout.splitlines() if line.strip()]
    for number, pair in enumerate(zip(shown, said), 1):
        assert agree(*pair), f"{language}, line {number} of the output:\n  {PAGE.name} shows {pair[0]}\n  said was         {pair[1]}"
    assert len(shown) == len(said) > 0, f"{language}: {PAGE.name} shows {len(shown)} lines, {len(said)} were said:\n{done.stdout}"
    print(f"  docs/API.md, {language}: {len(shown)} lines as shown")


def keys():
    block = snippets("sh")[0].replace("http://127.0.0.1:3000", os.environ["KEEPSAKE_URL"])
    told = f"{shlex.quote(sys.executable)} -c 'import json, os; print(json.dumps(dict(os.environ)))'"
    program = f"set -euo pipefail\n{block}\n{told}"
    done = subprocess.run(["bash", "-c", program], check=True, stdout=subprocess.PIPE, text=True, cwd=FOLDER, timeout=300)
    after = json.loads(done.stdout.splitlines()[-1])
    exported = re.findall(r"^export (\w+)=", block, re.MULTILINE)
    # Of a command within an export the shell does not tell that it failed.
    empty = [name for name in exported if not after[name]]
    assert exported and not empty, f"{PAGE.name}: nothing came into {empty}"
    os.environ.update({name: after[name] for name in exported})


def shell():
    program = "set -euo pipefail\n" + "\n".join(snippets("sh")[1:])
    play("shell", ["bash", "-c", program], program, ANSWER)


def python():
    program = "\n".join(snippets("python"))
    play("Python", [sys.executable, "-B", "-c", program], program, PRINTS, PYTHONPATH=str(ROOT / "clients/python/src"))


def typescript():
    # Within the package, its own name leads to what was compiled of it.
    folder = TYPESCRIPT / "build"
    folder.mkdir(exist_ok=True)
    program = "\n".join(snippets("ts"))
    (folder / "walk.ts").write_text(program, encoding="utf-8")
    options = {"rootDir": ".", "outDir": ".", "declaration": False, "typeRoots": ["../node_modules/@types"]}
    configuration = {"extends": "../tsconfig.json", "compilerOptions": options, "files": ["walk.ts"], "include": []}
    (folder / "tsconfig.json").write_text(json.dumps(configuration), encoding="utf-8")
    subprocess.run(["node", str(TYPESCRIPT / "node_modules/typescript/bin/tsc"), "-p", str(folder)], check=True)
    play("TypeScript", ["node", str(folder / "walk.js")], program, PRINTS)


with tempfile.TemporaryDirectory(prefix="keepsake-api-") as FOLDER:
    keys()
    shell()
    python()
    typescript()
