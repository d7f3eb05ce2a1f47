"""The real clients of Memory Bank (`pip install google-cloud-aiplatform`) against a running Keepsake, as docs/COMPAT.md promises it.

`cargo xtask sdk` starts a Keepsake of its own for it, and says by the environment where it is and with which keys.
"""

import json
import os
import urllib.request
import warnings

# The older of the two clients says at each start that there is a newer one.
warnings.simplefilter("ignore", FutureWarning)

import agentplatform  # noqa: E402
import vertexai  # noqa: E402
from google.genai import errors, types  # noqa: E402
from google.oauth2.credentials import Credentials  # noqa: E402

URL = os.environ["KEEPSAKE_URL"].rstrip("/")
KEY, OTHER_KEY, PERSON_KEY = (os.environ[f"KEEPSAKE_{of}_KEY"] for of in ("SUPPORT", "SALES", "PERSON"))
# A key that is given as `api_key` must not have a rival.
for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"):
    os.environ.pop(name, None)
BANK = "projects/walk/locations/here/reasoningEngines/support"


def rest(method, path, body=None):
    """Our own API, as a person calls it."""
    request = urllib.request.Request(
        f"{URL}/api/v1{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {PERSON_KEY}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def approve(name):
    """Approves what a name of a client stands for."""
    return rest("POST", f"/candidates/{name.split('/')[-1]}/approve", {})["memory"]


def connected(client, key):
    """The calls about memories, and the one that takes events, which the two clients have at different places."""
    client = client(
        project="walk",
        location="here",
        credentials=Credentials(token=key),
        http_options=types.HttpOptions(base_url=URL),
    )
    if hasattr(client, "memory_banks"):
        return client.memory_banks.memories, client.memory_banks.ingest_events
    return client.agent_engines.memories, client.agent_engines.memories.ingest_events


def refused(status, words, call):
    try:
        call()
    except errors.APIError as error:
        assert error.status == status and words in error.message, error
        return
    raise AssertionError(f"{status} was not said")


def waits(operation):
    keepsake = operation.metadata["keepsake"]
    assert operation.done and keepsake["state"] == "PENDING", operation
    return keepsake["candidates"]


def said(words):
    return {"events": [{"content": {"role": "user", "parts": [{"text": words}]}}]}


def walk(client, scope):
    bank, ingest = connected(client, KEY)
    person, _ = connected(client, PERSON_KEY)
    mine = " AND ".join(f"scope.{json.dumps(key)}={json.dumps(value, ensure_ascii=False)}" for key, value in scope.items())

    # What is created waits under the name that it keeps; the client looks it up at once, and nothing of it is there.
    config = {"topics": [{"managed_memory_topic": "USER_PREFERENCES"}], "metadata": {"source": {"string_value": "walk"}}}
    created = bank.create(name=BANK, fact="User prefers tea to coffee", scope=scope, config=config)
    waits(created)
    name = created.response.name
    assert created.response.fact is None and "Waits for a person" in created.response.description, created
    assert created.response.scope == scope, created
    assert list(bank.list(name=BANK, config={"filter": mine})) == []
    assert list(bank.retrieve(name=BANK, scope=scope)) == []
    memory = approve(name)
    found = bank.get(name=name)
    assert found.name == f"{BANK}/memories/{memory}" and found.fact == "User prefers tea to coffee", found
    assert found.metadata["source"].string_value == "walk" and found.scope == scope, found
    assert found.topics[0].managed_memory_topic.value == "USER_PREFERENCES", found
    assert bank.create(name=BANK, fact="User prefers tea to coffee", scope=scope, config=config).response == found

    # Messages are read while the client waits; what comes of them waits for a person.
    generated = bank.generate(
        name=BANK, scope=scope, direct_contents_source=said("I prefer code examples in Python rather than pseudocode")
    )
    candidates = waits(generated)
    names = [one.memory.name for one in generated.response.generated_memories]
    assert candidates and [one.split("/")[-1] for one in names] == candidates, generated
    assert all(bank.get(name=one).fact is None for one in names)
    for one in names:
        approve(one)
    given = bank.generate(
        name=BANK, scope=scope, direct_memories_source={"direct_memories": [{"fact": "User plays chess"}, {"fact": "User lives in Oslo"}]}
    )
    for one in waits(given):
        approve(one)
    taken = ingest(
        name=BANK,
        scope=scope,
        stream_id="walk",
        direct_contents_source=said("I'm the CTO of StartupCorp and we're building a SaaS platform"),
        config={"wait_for_completion": True, "force_flush": True},
    )
    for one in waits(taken):
        approve(one)
    refused(
        "UNIMPLEMENTED",
        "directContentsSource",
        lambda: bank.generate(name=BANK, vertex_session_source={"session": f"{BANK}/sessions/1"}),
    )

    # Reading: by query, page by page, by filter, and by the pairs of the scope.
    hits = list(bank.retrieve(name=BANK, scope=scope, similarity_search_params={"search_query": "code examples in python", "top_k": 2}))
    assert "Python" in hits[0].memory.fact and 0 <= hits[0].distance < 1, hits
    everything = list(bank.list(name=BANK, config={"filter": mine, "page_size": 2}))
    assert len(everything) >= 5 and len({one.name for one in everything}) == len(everything), everything
    assert {one.memory.name for one in bank.retrieve(name=BANK, scope=scope)} == {one.name for one in everything}
    of_walk = [{"filters": [{"key": "source", "value": {"string_value": "walk"}}]}]
    narrowed = list(bank.retrieve(name=BANK, scope=scope, config={"filter": 'fact:"TEA"', "filter_groups": of_walk}))
    assert [one.memory for one in narrowed] == [found], narrowed
    assert list(bank.retrieve(name=BANK, scope={**scope, "more": "x"})) == []
    assert (bank.retrieve_profiles(name=BANK, scope=scope).profiles or {}) == {}
    refused("INVALID_ARGUMENT", "filter: ", lambda: bank.list(name=BANK, config={"filter": "fact=1 OR fact=2"}))

    # With an agent's key a change is a proposal; with that of a person who decides it is done.
    changed = bank._update(name=found.name, fact="User prefers green tea", scope=scope, config={"update_mask": "fact"})
    waits(changed)
    assert changed.response.fact == "User prefers tea to coffee" == bank.get(name=found.name).fact, changed
    done = person._update(name=found.name, fact="User prefers green tea", scope=scope, config={"update_mask": "fact"})
    assert done.metadata["keepsake"]["state"] == "DONE" and done.response.fact == "User prefers green tea", done
    versions = list(bank.revisions.list(name=found.name, config={"page_size": 1}))
    assert [one.name.split("/")[-1] for one in versions] == ["2", "1"], versions
    assert bank.revisions.get(name=versions[1].name).fact == "User prefers tea to coffee"
    waits(bank.rollback(name=found.name, target_revision_id="1"))
    assert person.rollback(name=found.name, target_revision_id="1").metadata["keepsake"]["state"] == "DONE"
    assert bank.get(name=found.name).fact == "User prefers tea to coffee"
    waits(bank.delete(name=found.name))
    assert bank.get(name=found.name).name == found.name

    # A purge counts first. An agent's is as many proposals, a person's is done.
    counted = bank.purge(name=BANK, filter=mine)
    assert counted.done and counted.response.purge_count == len(everything), counted
    proposed = bank.purge(name=BANK, filter=mine, filter_groups=of_walk, force=True)
    assert len(waits(proposed)) == 1 and proposed.response.purge_count == 0, proposed
    assert len(list(bank.list(name=BANK, config={"filter": mine}))) == len(everything)
    purged = person.purge(name=BANK, filter=mine, force=True)
    assert purged.response.purge_count == len(everything), purged
    assert list(bank.retrieve(name=BANK, scope=scope)) == []
    refused("NOT_FOUND", "nothing here", lambda: bank.get(name=found.name))
    return found.name


def strangers(client, name):
    other, _ = connected(client, OTHER_KEY)
    for call in (other.get, other.delete, other.revisions.list):
        refused("NOT_FOUND", "nothing here", lambda: call(name=name))
    refused("NOT_FOUND", "nothing here", lambda: other.list(name=BANK))
    unknown, _ = connected(client, "keep_live_" + "0" * 36)
    refused("UNAUTHENTICATED", "not valid", lambda: unknown.list(name=BANK))
    # With nothing but a key, and the short name.
    alone = client(api_key=KEY, http_options=types.HttpOptions(base_url=URL))
    alone = alone.memory_banks if hasattr(alone, "memory_banks") else alone.agent_engines
    assert list(alone.memories.list(name="reasoningEngines/support")) == []


for client, scope in (
    (vertexai.Client, {"user_id": 'walk "1"="1" 🙂/..'}),
    (agentplatform.Client, {"user_id": "%", "app_name": "a:b/../c"}),
):
    strangers(client, walk(client, scope))
print("  Memory Bank by both Python clients: walked")
