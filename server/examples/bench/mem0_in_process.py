"""`mem0ai` in its own process, beside which the bench sets our figures: `mem0_in_process.py USERS MEMORIES_OF_A_USER SECONDS`.

It keeps everything where it does by default, in a local Qdrant and an SQLite file on disk. No model is asked: words are added as they
are (`infer=False`), and their vectors are counted words, which costs next to nothing. Prints a line of JSON about what was measured
(`filled` in seconds) and a line for each measurement (`p50` and `p99` in milliseconds).
"""

import atexit
import hashlib
import importlib.metadata
import itertools
import json
import os
import platform
import shutil
import socket
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

FOLDER = tempfile.mkdtemp(prefix="keepsake-mem0-")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
# Read when the package is imported: no telemetry to its maker, and no file in the home folder.
os.environ["MEM0_TELEMETRY"] = "False"
os.environ["MEM0_DIR"] = os.path.join(FOLDER, "mem0")

from mem0 import Memory  # noqa: E402
from mem0.embeddings.base import EmbeddingBase  # noqa: E402
from mem0.utils.factory import EmbedderFactory  # noqa: E402

USERS, A_USER, SECONDS = (int(word) for word in sys.argv[1:4])
THREADS = (1, 8)
DIMENSIONS = 384
# A p99 of fewer calls says nothing, however slow they are.
LEAST = 100


def refuse(*_):
    raise OSError("something called out, and would have been measured too")


class CountedWords(EmbeddingBase):
    """How often each word is in a text, in as many numbers as a small model gives. Texts with words in common are near each other."""

    def embed(self, text, memory_action=None):
        vector = [0.0] * DIMENSIONS
        for word in text.lower().split():
            vector[place(word)] += 1.0
        return vector


@lru_cache(maxsize=None)
def place(word):
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little") % DIMENSIONS


def opened():
    # Only embedders that it knows by name can be configured, and each of them is a model.
    EmbedderFactory.provider_to_class["huggingface"] = f"{__name__}.{CountedWords.__name__}"
    store = {"path": os.path.join(FOLDER, "qdrant"), "embedding_model_dims": DIMENSIONS}
    return Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "embedder": {"provider": "huggingface", "config": {}},
            "llm": {"provider": "openai", "config": {"api_key": "never sent"}},
            "history_db_path": os.path.join(FOLDER, "history.db"),
        }
    )


def user(n):
    return f"u-{n * 7919 % USERS}"


def add(n):
    said = {"role": "user", "content": f"I prefer short answers, please. This is request {n}."}
    added = memory.add([said], user_id=user(n), infer=False)["results"]
    assert len(added) == 1, added


def get_all(n):
    found = memory.get_all(filters={"user_id": user(n)}, top_k=A_USER)["results"]
    assert len(found) == A_USER, found


def search(n):
    found = memory.search("topic plan", filters={"user_id": user(n)}, top_k=A_USER)["results"]
    assert found, "nothing was found"


def fill():
    """The memories that the bench gives our users, by the same call."""
    begun = time.perf_counter()
    for n in range(USERS * A_USER):
        content = f"User cares about topic {n}, and says so whenever plan {n * 31 % 997} comes up"
        memory.add([{"role": "user", "content": content}], user_id=f"u-{n % USERS}", infer=False)
    return time.perf_counter() - begun


def measured(call, threads):
    """Calls for so many seconds, and at least so often that there is a p99. What fails is counted, and its time is not."""
    # Threads share it without a lock: one step of it is one step of the interpreter.
    numbers = itertools.count()
    until = time.perf_counter() + SECONDS

    def caller():
        times, failures = [], []
        for n in numbers:
            begun = time.perf_counter()
            if begun >= until and n >= LEAST:
                return times, failures
            try:
                call(n)
            except Exception as failure:
                failures.append(f"{type(failure).__name__}: {failure}")
            else:
                times.append(time.perf_counter() - begun)

    begun = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        done = [waiting.result() for waiting in [pool.submit(caller) for _ in range(threads)]]
    took = time.perf_counter() - begun
    times = sorted(itertools.chain.from_iterable(times for times, _ in done))
    failures = [failure for _, failures in done for failure in failures]
    try:
        get_all(0)
    except Exception as failure:
        failures.append(f"nothing can be read afterwards, {type(failure).__name__}: {failure}")
    if not times:
        sys.exit(f"every {call.__name__} failed: {failures[-1]}")
    return {
        "call": call.__name__,
        "threads": threads,
        "calls": len(times),
        "failed": len(failures),
        "failure": failures[-1] if failures else None,
        "a_second": len(times) / took,
        "p50": times[len(times) // 2] * 1000,
        "p99": times[len(times) * 99 // 100] * 1000,
    }


def tell(line):
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    memory = opened()
    socket.socket.connect = refuse
    packages = {name: importlib.metadata.version(name) for name in ("mem0ai", "qdrant-client")}
    tell({"packages": packages, "python": platform.python_version(), "filled": fill()})
    # What adds comes last: what is found before is as many as were filled in.
    for call in (get_all, search, add):
        call(0)
        for threads in THREADS:
            tell(measured(call, threads))
    memory.vector_store.client.close()
    memory.close()
