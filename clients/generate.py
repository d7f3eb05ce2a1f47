#!/usr/bin/env python3
"""Writes the types of both clients from the OpenAPI document of Keepsake, as far as they call it.

    python3 clients/generate.py            write them
    python3 clients/generate.py --check    fail where they are not what the document says

The document is the snapshot that the tests of the server hold against the running code.
"""

import difflib
import json
import keyword
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SNAPSHOT = ROOT / "server/tests/http/snapshots/http__openapi__openapi.snap"
PYTHON = ROOT / "clients/python/src/keepsake_client/types.py"
TYPESCRIPT = ROOT / "clients/typescript/src/types.ts"

# What the clients call, and whether it may be sent again without an Idempotency-Key although it is a POST: it only reads, or says the
# same thing twice.
CALLS = {
    "create_conversation": False,
    "get_operation": False,
    "retry_operation": False,
    "ask_context": True,
    "report_feedback": True,
    "propose_candidate": False,
    "list_memories": False,
    "get_memory": False,
    "list_revisions": False,
    "search_memories": True,
    "get_profile": False,
    "list_candidates": False,
    "get_candidate": False,
    "decide_candidates": False,
    "approve_candidate": False,
    "reject_candidate": False,
}
NOTE = "Made by clients/generate.py from the OpenAPI document of Keepsake; not to be edited."
WIDTH = 140


class Call:
    """One call of the document."""

    def __init__(self, name, method, path, operation, again):
        self.name, self.method, self.path = name, method.upper(), path
        parameters = operation.get("parameters", [])
        self.query = [one for one in parameters if one["in"] == "query"]
        headers = {one["name"] for one in parameters if one["in"] == "header"}
        self.agent = any(one["name"] == "agent" for one in self.query)
        self.once = "Idempotency-Key" in headers
        self.again = again or method in ("get", "put", "delete")
        self.bodies = [content["schema"] for content in operation.get("requestBody", {}).get("content", {}).values()]
        self.answers = [
            content["schema"]
            for status, answer in operation["responses"].items()
            for content in answer.get("content", {}).values()
            if status.startswith("2") or status == "default"
        ]


class Document:
    """The OpenAPI document, with a name for every shape that the calls reach."""

    def __init__(self, document):
        self.schemas = document["components"]["schemas"]
        found = {
            operation["operationId"]: (method, path, operation)
            for path, item in document["paths"].items()
            for method, operation in item.items()
            if isinstance(operation, dict)
        }
        missing = CALLS.keys() - found.keys()
        if missing:
            sys.exit(f"the document has no {', '.join(sorted(missing))}")
        self.calls = [Call(name, *found[name], again) for name, again in CALLS.items()]
        # Shapes that the document writes out although they have a name.
        self.named = {json.dumps(schema, sort_keys=True): name for name, schema in self.schemas.items() if name != "Scope"}
        self.shapes = {}
        for call in self.calls:
            for schema in call.bodies + call.answers:
                self.reach(schema)
            own = [one for one in call.query if one["name"] != "agent"]
            if own:
                self.shapes[pascal(call.name) + "Query"] = {
                    "type": "object",
                    "description": f"The parameters of `{call.name}`.",
                    "properties": {one["name"]: {"description": one.get("description"), **one["schema"]} for one in call.query},
                    "required": [one["name"] for one in call.query if one["required"]],
                }
                for one in call.query:
                    self.reach(one["schema"])

    def reach(self, schema):
        """Takes in what a schema refers to, by name or written out."""
        if isinstance(schema, list):
            for one in schema:
                self.reach(one)
            return
        if not isinstance(schema, dict):
            return
        name = self.name(schema)
        if name is not None:
            if pascal(name) not in self.shapes:
                self.shapes[pascal(name)] = self.schemas[name]
                self.reach(list(self.schemas[name].values()))
            return
        self.reach(list(schema.values()))

    def name(self, schema):
        if "$ref" in schema:
            return schema["$ref"].rsplit("/", 1)[-1]
        return self.named.get(json.dumps(schema, sort_keys=True)) if is_object(schema) or "allOf" in schema else None

    def variants(self, name, schema):
        """The choices of a `oneOf`, each written-out one under a name of its own."""
        for choice in schema["oneOf"]:
            known = self.name(choice)
            if known is not None or not is_object(choice):
                yield known and pascal(known), choice
                continue
            words = [one["enum"][0] for one in choice["properties"].values() if len(one.get("enum", [])) == 1]
            yield name + pascal(words[0] if words else choice["required"][0]), choice




def is_object(schema):
    return "properties" in schema


def pascal(name):
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))


def nullable(schema):
    """Whether a value may be null, and the schema of what it is otherwise."""
    if isinstance(schema.get("type"), list):
        others = [one for one in schema["type"] if one != "null"]
        return "null" in schema["type"], {**schema, "type": others[0]}
    if "oneOf" in schema:
        others = [one for one in schema["oneOf"] if one != {"type": "null"}]
        if len(others) < len(schema["oneOf"]):
            return True, others[0] if len(others) == 1 else {**schema, "oneOf": others}
    return False, schema


def text(schema):
    """What a field means: the sentence of the field, else of what it refers to."""
    sentence = schema.get("description")
    if sentence is None:
        _, inner = nullable(schema)
        sentence = inner.get("description")
    return " ".join((sentence or "").split())


def parts(document, schema):
    """What an object extends, and its own properties with the names of those that are always there."""
    if "allOf" not in schema:
        return [], schema.get("properties", {}), set(schema.get("required", []))
    bases, properties, required = [], {}, set()
    for part in schema["allOf"]:
        name = document.name(part)
        if name is not None:
            bases.append(pascal(name))
        else:
            properties.update(part.get("properties", {}))
            required.update(part.get("required", []))
    return bases, properties, required


def ordered(document):
    """Objects after what they extend, each kind by name: first what is an alias, then what has fields, then unions."""
    words, objects, unions = [], [], []
    for name, schema in sorted(document.shapes.items()):
        if "oneOf" in schema:
            unions.append((name, schema))
            for variant, choice in document.variants(name, schema):
                if variant is not None and document.name(choice) is None:
                    objects.append((variant, choice))
        elif is_object(schema) or "allOf" in schema:
            objects.append((name, schema))
        else:
            words.append((name, schema))
    objects.sort()
    waiting, done = objects, []
    while waiting:
        known = {name for name, _ in done}
        now = [one for one in waiting if set(parts(document, one[1])[0]) <= known]
        if not now:
            sys.exit("objects extend each other in a circle")
        done += now
        waiting = [one for one in waiting if one not in now]
    return words, done, unions


class Python:
    """typing.TypedDict, as Python 3.9 has it: what may be absent is in a class of its own."""

    def __init__(self, document):
        self.document = document

    def type(self, schema):
        null, schema = nullable(schema)
        spelled = self.plain(schema)
        return f"Optional[{spelled}]" if null else spelled

    def plain(self, schema):
        name = self.document.name(schema)
        if name is not None:
            return pascal(name)
        if "enum" in schema:
            return "Literal[" + ", ".join(json.dumps(word) for word in schema["enum"]) + "]"
        if "oneOf" in schema:
            return "Union[" + ", ".join(self.type(one) for one in schema["oneOf"]) + "]"
        kind = schema.get("type")
        if kind == "array":
            return f"List[{self.type(schema['items'])}]"
        if kind == "object":
            more = schema.get("additionalProperties")
            return f"Dict[str, {self.type(more)}]" if more else "Dict[str, Any]"
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}.get(kind, "Any")

    def fields(self, name, bases, properties, doc):
        # A word of the language cannot be written as a field of a class.
        reserved = {field: one for field, one in sorted(properties.items()) if keyword.iskeyword(field)}
        before = []
        if reserved:
            own = f"_{name.lstrip('_')}Reserved"
            spelled = ", ".join(f'"{field}": "{self.type(one)}"' for field, one in reserved.items())
            total = ", total=False" if "total=False" in bases else ""
            before = [f'{own} = TypedDict("{own}", {{{spelled}}}{total})', "", ""]
            bases = [own, *(base for base in bases if base != "TypedDict")]
        inside = wrapped(doc, '    """', '"""', "    ") + [""] if doc else []
        for field, schema in sorted(properties.items()):
            if field in reserved:
                continue
            inside.append(f"    {field}: {self.type(schema)}")
            inside += [*wrapped(text(schema), '    """', '"""', "    "), ""] if text(schema) else []
        return [*before, f"class {name}({', '.join(bases)}):", *(inside or ["    pass"]), "", ""]

    def file(self):
        words, objects, unions = ordered(self.document)
        out = [
            f'"""The shapes of the API. {NOTE}"""',
            "",
            "from __future__ import annotations",
            "",
            "from typing import Any, Dict, List, Literal, NamedTuple, Optional, TypedDict, Union",
            "",
        ]
        for name, schema in words:
            out.append(f"{name} = {self.plain(schema)}")
        out += ["", ""]
        for name, schema in objects:
            bases, properties, required = parts(self.document, schema)
            doc = text(schema)
            bases = bases or ["TypedDict"]
            always = {field: one for field, one in properties.items() if field in required}
            maybe = {field: one for field, one in properties.items() if field not in required}
            if always and maybe:
                out += self.fields(f"_{name}", bases, always, "")
                out += self.fields(name, [f"_{name}", "total=False"], maybe, doc)
            elif maybe:
                out += self.fields(name, [*bases, "total=False"], maybe, doc)
            else:
                out += self.fields(name, bases, always, doc)
        for name, schema in unions:
            choices = [variant or self.type(choice) for variant, choice in self.document.variants(name, schema)]
            out.append(f"{name} = Union[{', '.join(choices)}]")
        out += [
            "",
            "",
            "class Call(NamedTuple):",
            '    """How something is called."""',
            "",
            "    method: str",
            "    path: str",
            "    agent: bool",
            '    """Takes `?agent=`, for keys that name several."""',
            "    once: bool",
            '    """Takes an `Idempotency-Key`."""',
            "    again: bool",
            '    """May be sent again as it is."""',
            "",
            "",
            "CALLS: Dict[str, Call] = {",
        ]
        for call in self.document.calls:
            out.append(f'    "{call.name}": Call("{call.method}", "{call.path}", {call.agent}, {call.once}, {call.again}),')
        out += ["}"]
        return tidy(out)


class TypeScript:
    """Interfaces, and unions of words."""

    def __init__(self, document):
        self.document = document

    def type(self, schema):
        null, schema = nullable(schema)
        spelled = self.plain(schema)
        return f"{spelled} | null" if null else spelled

    def plain(self, schema):
        name = self.document.name(schema)
        if name is not None:
            return pascal(name)
        if "enum" in schema:
            return " | ".join("'" + word + "'" for word in schema["enum"])
        if "oneOf" in schema:
            return " | ".join(self.type(one) for one in schema["oneOf"])
        kind = schema.get("type")
        if kind == "array":
            of = self.type(schema["items"])
            return f"({of})[]" if " | " in of else f"{of}[]"
        if kind == "object":
            more = schema.get("additionalProperties")
            return f"Record<string, {self.type(more) if more else 'unknown'}>"
        return {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}.get(kind, "unknown")

    def file(self):
        words, objects, unions = ordered(self.document)
        out = [f"// The shapes of the API. {NOTE}", ""]
        for name, schema in words:
            out.append(f"export type {name} = {self.plain(schema)};")
        for name, schema in objects:
            bases, properties, required = parts(self.document, schema)
            out += [""] + (wrapped(text(schema), "/** ", " */", " * ") if text(schema) else [])
            out.append(f"export interface {name} {f'extends {chr(44).join(bases)} ' if bases else ''}{{")
            for field, one in sorted(properties.items()):
                if text(one):
                    out += wrapped(text(one), "  /** ", " */", "   * ")
                out.append(f"  {field}{'' if field in required else '?'}: {self.type(one)};")
            out.append("}")
        out.append("")
        for name, schema in unions:
            choices = [variant or self.type(choice) for variant, choice in self.document.variants(name, schema)]
            out.append(f"export type {name} = {' | '.join(choices)};")
        out += [
            "",
            "/** How something is called. */",
            "export interface Call {",
            "  method: string;",
            "  path: string;",
            "  /** Takes `?agent=`, for keys that name several. */",
            "  agent: boolean;",
            "  /** Takes an `Idempotency-Key`. */",
            "  once: boolean;",
            "  /** May be sent again as it is. */",
            "  again: boolean;",
            "}",
            "",
            "export const CALLS = {",
        ]
        for call in self.document.calls:
            spelled = ", ".join(f"{word}: {str(getattr(call, word)).lower()}" for word in ("agent", "once", "again"))
            out.append(f"  {call.name}: {{ method: '{call.method}', path: '{call.path}', {spelled} }},")
        out += ["} as const satisfies Record<string, Call>;"]
        return tidy(out)


def wrapped(sentence, begin, end, indent):
    """A comment of as many lines as it needs."""
    lines, line = [], begin
    for word in sentence.split(" "):
        if len(line) + len(word) + len(end) > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += word + " "
    return [*lines, line.rstrip() + end]


def tidy(lines):
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).rstrip() + "\n"


def main():
    _, _, written = SNAPSHOT.read_text(encoding="utf-8").split("---\n", 2)
    document = Document(json.loads(written))
    stale = False
    for path, language in ((PYTHON, Python), (TYPESCRIPT, TypeScript)):
        wanted = language(document).file()
        present = path.read_text(encoding="utf-8") if path.exists() else ""
        if wanted == present:
            continue
        if sys.argv[1:] != ["--check"]:
            path.write_text(wanted, encoding="utf-8")
            continue
        stale = True
        name = str(path.relative_to(ROOT))
        sys.stdout.writelines(
            difflib.unified_diff(present.splitlines(True), wanted.splitlines(True), f"{name}, as it is", f"{name}, by the document", n=1)
        )
    if stale:
        sys.exit("The clients are not what the OpenAPI document says: run python3 clients/generate.py, and see to what calls them.")


if __name__ == "__main__":
    main()
