"""Walks through /mcp with the official Python SDK, in both lifecycles of the protocol.

`cargo xtask sdk` starts a Keepsake of its own for it, and says by the environment where it is and with which keys.
"""

import asyncio
import json
import os
import urllib.request

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

URL = os.environ["KEEPSAKE_URL"]
SUPPORT, SALES, PERSON = (os.environ[name] for name in ("KEEPSAKE_SUPPORT_KEY", "KEEPSAKE_SALES_KEY", "KEEPSAKE_PERSON_KEY"))
TOOLS = ["memory_context", "memory_search", "memory_propose", "memory_feedback"]


class Model:
    """A client that is connected with a key for as long as the block lasts."""

    def __init__(self, key, mode="auto"):
        self.http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=30)
        self.client = Client(streamable_http_client(f"{URL}/mcp", http_client=self.http), mode=mode)

    async def __aenter__(self):
        await self.http.__aenter__()
        await self.client.__aenter__()
        return self

    async def __aexit__(self, *fault):
        await self.client.__aexit__(*fault)
        await self.http.__aexit__(*fault)

    async def told(self, tool, **arguments):
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, (tool, arguments, result.content)
        return result.structured_content

    async def refused(self, tool, **arguments):
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, (tool, arguments, result.structured_content)
        return json.loads(result.content[0].text)


def approve(candidate):
    request = urllib.request.Request(
        f"{URL}/api/v1/candidates/{candidate}/approve",
        data=b"{}",
        headers={"Authorization": f"Bearer {PERSON}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["memory"]


async def walk(mode, version, user):
    async with Model(SUPPORT, mode) as model:
        client = model.client
        assert client.protocol_version == version, client.protocol_version
        assert "memory_propose" in client.instructions, client.instructions
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == TOOLS, listed
        assert [tool.annotations.read_only_hint for tool in listed] == [True, True, False, False]

        content = "User works at StartupCorp"
        proposal = {"user_id": user, "kind": "fact", "content": content}
        proposed = await model.told("memory_propose", **proposal)
        assert (proposed["outcome"], proposed["candidate"]["status"]) == ("proposed", "pending"), proposed
        assert proposed["candidate"]["user_id"] == user, proposed
        assert (await model.told("memory_propose", **proposal))["outcome"] == "seen_again"
        assert (await model.told("memory_context", user_id=user))["items"] == []

        memory = approve(proposed["candidate"]["id"])
        context = await model.told("memory_context", user_id=user, query="where do they work?")
        assert content in context["block"] and context["items"][0]["memory"] == memory, context
        same = await model.told("memory_context", user_id=user, query="where do they work?", if_changed=context["etag"])
        assert same == {"unchanged": True, "etag": context["etag"]}, same
        found = await model.told("memory_search", query="startupcorp", user_id=user)
        assert [one["id"] for one in found["data"]] == [memory], found
        report = {"serving": context["serving"], "memory": memory, "helped": True}
        assert await model.told("memory_feedback", **report) == {"reported": True}

        nobody = await model.refused("memory_context")
        assert (nobody["code"], nobody["errors"][0]["pointer"]) == ("invalid", "/user_id"), nobody
        kind = await model.refused("memory_propose", user_id=user, kind="mood", content=content)
        assert kind["errors"][0]["pointer"] == "/kind", kind

    async with Model(SALES, mode) as other:
        assert (await other.told("memory_context", user_id=user))["items"] == []
        assert (await other.refused("memory_feedback", **report))["code"] == "not_found"

    async with Model(PERSON, mode) as person:
        assert (await person.refused("memory_context", user_id=user))["errors"][0]["pointer"] == "/agent"
        assert content in (await person.told("memory_context", user_id=user, agent="support"))["block"]


async def stranger(mode):
    try:
        async with Model("keep_live_" + "0" * 36, mode) as model:
            await model.client.list_tools()
    except Exception:
        return
    raise AssertionError("a key that is none was let in")


async def main():
    await walk("auto", "2026-07-28", 'x" or "1"="1')
    await walk("legacy", "2025-11-25", "山本ゆき/../🦜")
    for mode in ("auto", "legacy"):
        await stranger(mode)


asyncio.run(main())
print("  MCP by the Python SDK: walked")
