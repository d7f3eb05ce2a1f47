"""The real client of mem0 (`pip install mem0ai`) against a running Keepsake, as docs/COMPAT.md promises it.

`cargo xtask sdk` starts a Keepsake of its own for it, and says by the environment where it is and with which keys.
"""

import asyncio
import json
import os
import tempfile
import time
import urllib.request

# Read when the package is imported: no telemetry to its maker, and no file in the home folder.
os.environ["MEM0_TELEMETRY"] = "False"
os.environ["MEM0_DIR"] = tempfile.mkdtemp(prefix="mem0-")

from mem0 import AsyncMemoryClient, MemoryClient  # noqa: E402
from mem0.exceptions import AuthenticationError, MemoryNotFoundError, ValidationError  # noqa: E402

URL = os.environ["KEEPSAKE_URL"].rstrip("/")
HOST = f"{URL}/compat/mem0"
KEY, OTHER_KEY, PERSON_KEY = (os.environ[f"KEEPSAKE_{of}_KEY"] for of in ("SUPPORT", "SALES", "PERSON"))
WITHIN = 30
USER = 'walk "1"="1" 🙂/..'
FILTERS = {"user_id": USER}


def rest(method, path, body=None, key=PERSON_KEY):
    """Our own API, as a person calls it."""
    request = urllib.request.Request(
        f"{URL}{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def read_to_its_end(event):
    until = time.monotonic() + WITHIN
    while time.monotonic() < until:
        told = rest("GET", f"/compat/mem0/v1/event/{event}/", key=KEY)
        if told["status"] not in ("PENDING", "RUNNING"):
            return told
        time.sleep(0.05)
    raise AssertionError(f"{event} is not done after {WITHIN} s")


def candidate(id):
    return rest("GET", f"/api/v1/candidates/{id}")


def approve(id):
    return rest("POST", f"/api/v1/candidates/{id}/approve", {})


def refused(kind, words, call):
    try:
        call()
    except kind as error:
        assert words in str(error), error
        return
    raise AssertionError(f"{words!r} was not said")


client = MemoryClient(api_key=KEY, host=HOST)
person = MemoryClient(api_key=PERSON_KEY, host=HOST)

# What is added is pending, and nothing of it is read.
said = [
    {"role": "user", "content": "I prefer code examples in Python rather than pseudocode"},
    {"role": "assistant", "content": "Noted!"},
]
added = client.add(said, user_id=USER, run_id="walk-1")
assert added["status"] == "PENDING" and added["results"] == [], added
event = read_to_its_end(added["event_id"])
assert event["status"] == "SUCCEEDED" and len(event["results"]) == 1, event
assert client.get_all(filters=FILTERS)["count"] == 0
assert client.search("python", filters=FILTERS)["results"] == []

# A person approves it by our API; then it is there in every way.
memory = approve(event["results"][0]["id"])["memory"]
everything = client.get_all(filters={"AND": [FILTERS, {"run_id": "walk-1"}]}, page=1, page_size=10)
assert everything["count"] == 1 and everything["next"] is None, everything
assert everything["results"][0]["id"] == memory and everything["results"][0]["user_id"] == USER, everything
found = client.search("code examples in python", filters=FILTERS, top_k=5)["results"]
assert found[0]["id"] == memory and 0 < found[0]["score"] <= 1, found
words = client.get(memory)["memory"]
assert "Python" in words, words
history = client.history(memory)
assert [step["event"] for step in history] == ["ADD"] and history[0]["new_memory"] == words, history


# For the client of another agent there is nothing.
other = MemoryClient(api_key=OTHER_KEY, host=HOST)
assert other.get_all(filters=FILTERS)["count"] == 0
for call in (other.get, other.history, other.delete):
    refused(MemoryNotFoundError, "nothing here", lambda: call(memory))


async def at_once():
    also = AsyncMemoryClient(api_key=KEY, host=HOST)
    return await asyncio.gather(also.get(memory), also.search("python", filters=FILTERS), also.get_all(filters=FILTERS))


one, hits, listed = asyncio.run(at_once())
assert one["id"] == hits["results"][0]["id"] == listed["results"][0]["id"] == memory

# As it stands: a proposal for each message.
verbatim = client.add("User works at Acme", user_id=USER, infer=False, metadata={"topic": "work"})
assert verbatim["results"][0]["event"] == "PENDING", verbatim
assert client.get_all(filters=FILTERS)["count"] == 1
work = approve(verbatim["results"][0]["id"])["memory"]
of_work = {"AND": [FILTERS, {"metadata": {"topic": "work"}}]}
assert [one["id"] for one in client.get_all(filters=of_work)["results"]] == [work]

# With an agent's key, a change and a deletion are proposals.
changed = client.update(work, text="User works at Initech")
proposed = candidate(changed["candidate"])
assert changed["status"] == "PENDING" and (proposed["action"], proposed["target"]) == ("update", work), changed
assert client.get(work)["memory"] == "User works at Acme"
approve(changed["candidate"])
assert client.get(work)["memory"] == "User works at Initech"
assert [step["event"] for step in client.history(work)] == ["ADD", "UPDATE"]
deleted = client.delete(work)
proposed = candidate(deleted["candidate"])
assert deleted["status"] == "PENDING" and (proposed["action"], proposed["target"]) == ("retire", work), deleted
assert client.get(work)["id"] == work
approve(deleted["candidate"])
refused(MemoryNotFoundError, "nothing here", lambda: client.get(work))

# All of a user: as many proposals; nothing is gone.
everyone = client.delete_all(user_id=USER)
assert everyone["status"] == "PENDING" and everyone["waiting"] == 1, everyone
assert client.get_all(filters=FILTERS)["count"] == 1
refused(ValidationError, "a user_id is needed", client.delete_all)

# With the key of a person who decides, they are done.
assert person.update(memory, text="User prefers Python examples")["memory"] == "User prefers Python examples"
assert person.delete(memory)["status"] == "SUCCEEDED"
refused(MemoryNotFoundError, "nothing here", lambda: client.get(memory))
assert any(user["name"] == USER for user in person.users()["results"])

# What is refused says so in a sentence that the client raises.
refused(AuthenticationError, "audit:read", client.users)
refused(AuthenticationError, "audit:read", client.reset)
refused(ValidationError, "what can be asked for", lambda: client.get_all(filters={**FILTERS, "colour": "red"}))
refused(MemoryNotFoundError, "COMPAT.md", lambda: client.delete_users(user_id=USER))
refused(MemoryNotFoundError, "nothing here", lambda: client.add(said, user_id=USER, agent_id="somebody-else"))
refused(ValueError, "not valid", lambda: MemoryClient(api_key="m0-unknown", host=HOST))

print("mem0: add, get, get_all, search, update, delete, delete_all, history and users are as docs/COMPAT.md says")
