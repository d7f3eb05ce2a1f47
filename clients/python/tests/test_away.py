"""What an agent has while Keepsake is slow or away: the last good context, and conversations that wait."""

import asyncio
import json
import multiprocessing
import subprocess
import sys
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, List
from unittest import mock

from keepsake_client import AsyncKeepsake, Keepsake, NoAnswer, Pace, Problem, Told
from peer import Asked, Hang, Peer, nowhere, page, problem, said

WHO = "somebody-7f3"
QUICK = Pace(first_wait=0.001, longest_wait=0.001)
TAKEN = said({"conversation": "conv_1", "operation": "op_1", "accepted": 1, "known": 0, "warnings": []}, 202)


def block(text: str, etag: str = "e1") -> Any:
    return said({"serving": f"srv_{etag}", "etag": etag, "block": text, "tokens": 1, "items": [], "cut": []})


def words(asked: Asked) -> str:
    return str(asked.body["messages"][0]["content"])


def post(content: object) -> Any:
    return {"user_id": WHO, "messages": [{"role": "user", "content": content}]}


def ask(client: Keepsake, timeout: float = 30.0, user_id: str = WHO, **more: Any) -> Told:
    return client.context({"user_id": user_id, **more}, timeout=timeout)  # type: ignore[typeddict-item]


def say_and_end(url: str) -> None:
    Keepsake(url, "keep_live_x", pace=QUICK).send_later(post("the last words"))


class Contexts(unittest.TestCase):
    def setUp(self) -> None:
        self.at = 1000.0
        self.pace = Pace(now=lambda: self.at)

    def client(self, url: str, **more: Any) -> Keepsake:
        return Keepsake(url, more.pop("key", "keep_live_x"), pace=self.pace, **more)

    def test_the_last_good_one_stands_in_with_its_age(self) -> None:
        with Peer(block("Ana likes tea.")) as peer:
            client = self.client(peer.url, stale_for=100.0)
            fresh = ask(client, query="tea?")
            self.assertEqual((fresh.block, fresh.stale, fresh.age, fresh.error), ("Ana likes tea.", False, 0.0, None))
            peer.away()
            self.at += 42
            told = ask(client, query="coffee?", conversation_id="c2")
            self.assertEqual((told.block, told.stale, told.age, told.serving), ("Ana likes tea.", True, 42.0, "srv_e1"))
            self.assertIsInstance(told.error, NoAnswer)
            for other in ({"user_id": "bo"}, {"layout": "profile"}, {"max_tokens": 5}):
                nothing = ask(client, **other)
                self.assertEqual((nothing.block, nothing.items, nothing.serving, nothing.stale), ("", [], None, False))
            with self.assertRaises(NoAnswer):
                client.context({"user_id": WHO}, timeout=30.0, or_raise=True)
            self.at += 100
            self.assertEqual(ask(client).block, "")

    def test_trouble_of_every_kind_is_stood_in_for(self) -> None:
        for trouble in (page(502), page(200), said({"unchanged": True, "etag": "other"}), problem(429, "throttled"), problem(500, "internal")):
            with self.subTest(trouble), Peer(block("kept"), trouble) as peer:
                client = self.client(peer.url)
                ask(client)
                told = ask(client)
                self.assertEqual((told.block, told.stale), ("kept", True))

    def test_who_is_slow_is_not_waited_for_and_what_comes_late_is_kept(self) -> None:
        slow = Hang(block("new", "e2"))
        with Peer(block("old"), slow) as peer:
            client = self.client(peer.url)
            ask(client)
            told = ask(client, timeout=0.05)
            self.assertEqual((told.block, told.stale), ("old", True))
            self.assertTrue(slow.came.wait(10))
            slow.go.set()
            for thread in threading.enumerate():
                if thread.name == "keepsake-context":
                    thread.join(10)
            peer.away()
            self.assertEqual(ask(client).block, "new")

    def test_who_is_refused_gets_nothing_then_or_later(self) -> None:
        for status, code in ((401, "unauthorized"), (403, "forbidden"), (404, "not_found")):
            with self.subTest(code), Peer(block("kept"), problem(status, code), page(502)) as peer:
                client = self.client(peer.url)
                ask(client)
                told = ask(client)
                self.assertEqual((told.block, told.stale), ("", False))
                assert isinstance(told.error, Problem)
                self.assertEqual(told.error.code, code)
                self.assertEqual(ask(client).block, "")

    def test_what_is_unchanged_is_asked_for_within_one_conversation(self) -> None:
        with Peer(block("tea"), said({"unchanged": True, "etag": "e1"}), block("tea")) as peer:
            client = self.client(peer.url)
            ask(client, conversation_id="c1")
            self.at += 10
            again = ask(client, conversation_id="c1", if_changed="mine")
            self.assertEqual((again.block, again.serving, again.stale), ("tea", "srv_e1", False))
            ask(client, conversation_id="c2")
            self.assertEqual([asked.body.get("if_changed") for asked in peer.asked], [None, "e1", None])
            peer.away()
            self.assertEqual(ask(client).age, 0.0)

    def test_a_folder_keeps_them_over_a_restart_for_the_same_key_alone(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with Peer(block("tea")) as peer:
                ask(self.client(peer.url, folder=folder))
            self.at += 5
            told = ask(self.client(peer.url, folder=folder))
            self.assertEqual((told.block, told.stale, told.age), ("tea", True, 5.0))
            self.assertEqual(ask(self.client(peer.url, folder=folder, key="keep_live_y")).block, "")
            (file,) = Path(folder, "contexts").iterdir()
            self.assertEqual(file.stat().st_mode & 0o777, 0o600)
            self.assertNotIn(WHO, file.name)
            file.write_text("[1, 2")
            self.assertEqual(ask(self.client(peer.url, folder=folder)).block, "")

    def test_the_loop_goes_on_meanwhile(self) -> None:
        hang = Hang(block("late"))

        async def walk(url: str) -> List[str]:
            async with AsyncKeepsake(url, "keep_live_x") as client:
                asking = asyncio.create_task(client.context({"user_id": WHO}, timeout=30.0))
                self.assertTrue(await asyncio.to_thread(hang.came.wait, 10))
                self.assertFalse(asking.done())
                hang.go.set()
                self.assertEqual((await asking).block, "late")
                return [memory["id"] async for memory in client.memories()]

        with Peer(hang, said({"data": [{"id": "mem_1"}], "next": None})) as peer:
            self.assertEqual(asyncio.run(walk(peer.url)), ["mem_1"])


    def test_a_context_does_not_wait_behind_other_calls_of_the_loop(self) -> None:
        busy, hang = threading.Event(), Hang(block("late"))

        async def walk(url: str) -> List[Told]:
            loop = asyncio.get_running_loop()
            loop.set_default_executor(ThreadPoolExecutor(1))
            waiting = asyncio.create_task(asyncio.to_thread(busy.wait, 30))
            await asyncio.sleep(0)
            try:
                client = AsyncKeepsake(url, "keep_live_x")
                first = await asyncio.wait_for(client.context({"user_id": WHO}, timeout=30.0), 10)
                slow = await asyncio.wait_for(client.context({"user_id": WHO}, timeout=0.05), 10)
                with self.assertRaises(NoAnswer):
                    await asyncio.wait_for(client.context({"user_id": WHO}, timeout=0.05, or_raise=True), 10)
                return [first, slow]
            finally:
                busy.set()
                hang.go.set()
                await waiting

        with Peer(block("tea"), hang) as peer:
            first, slow = asyncio.run(walk(peer.url))
            self.assertEqual((first.block, first.stale), ("tea", False))
            self.assertEqual((slow.block, slow.stale), ("tea", True))

    def test_no_more_calls_than_so_many_wait_for_a_keepsake_that_hangs(self) -> None:
        slow = Hang(block("new", "e2"))
        with mock.patch("keepsake_client.client.IN_FLIGHT", 1), Peer(block("old"), slow) as peer:
            client = self.client(peer.url)
            ask(client)
            self.assertTrue(ask(client, timeout=0.05).stale)
            self.assertTrue(slow.came.wait(10))
            # It would wait for half a minute.
            at_once = ask(client)
            self.assertEqual((at_once.block, at_once.stale), ("old", True))
            self.assertIn("too many", str(at_once.error))
            self.assertEqual(len(peer.asked), 2)
            slow.go.set()
            for thread in threading.enumerate():
                if thread.name == "keepsake-context":
                    thread.join(10)
            self.assertEqual((ask(client).block, len(peer.asked)), ("new", 3))


class Conversations(unittest.TestCase):
    def test_they_wait_and_go_out_in_order_each_taken_once(self) -> None:
        with Peer(problem(503, "unavailable"), page(502), TAKEN) as peer, Keepsake(peer.url, "keep_live_x", pace=QUICK) as client:
            for content in ("one", "two", "three"):
                client.send_later(post(content))
            self.assertEqual(client.flush(30), 0)
            self.assertEqual([words(asked) for asked in peer.asked], ["one", "one", "one", "two", "three"])
            keys = peer.sent("Idempotency-Key")
            self.assertEqual((len(set(keys[:3])), len(set(keys))), (1, 3))

    def test_nobody_waits_for_them(self) -> None:
        url = nowhere()
        client = Keepsake(url, "keep_live_x", pace=Pace(first_wait=60.0, longest_wait=60.0))
        client.send_later(post("one"))
        self.assertEqual((client.flush(0.05), client.waiting), (1, 1))
        with self.assertLogs("keepsake_client", "WARNING") as logs:
            self.assertEqual(client.close(0.05), 1)
        self.assertIn("not sent: 1", logs.output[0])
        with self.assertRaises(ValueError):
            client.send_later(post("two"))

    def test_a_message_keeps_the_time_at_which_it_was_said(self) -> None:
        pace = Pace(now=lambda: 0.0)
        with Peer(TAKEN) as peer, Keepsake(peer.url, "keep_live_x", pace=pace) as client:
            messages: Any = [{"role": "user", "content": "now"}, {"role": "user", "content": "then", "at": "2026-01-01T00:00:00Z"}]
            client.send_later({"user_id": WHO, "messages": messages})
            self.assertEqual(client.flush(30), 0)
            sent = peer.asked[0].body["messages"]
            self.assertEqual([message["at"] for message in sent], ["1970-01-01T00:00:00Z", "2026-01-01T00:00:00Z"])

    def test_what_is_refused_is_told_and_the_next_one_goes_out(self) -> None:
        refused: List[Any] = []

        def tell(body: Dict[str, Any], why: Problem) -> None:
            refused.append((body["messages"][0]["content"], why.code))
            raise RuntimeError("a fault of the agent's own")

        script = (problem(422, "invalid"), problem(410, "idempotency_gone"), problem(401, "unauthorized"), TAKEN)
        with Peer(*script) as peer, Keepsake(peer.url, "keep_live_x", pace=QUICK, on_refused=tell) as client:
            with self.assertLogs("keepsake_client", "WARNING") as logs:
                for content in ("bad", "gone", "good"):
                    client.send_later(post(content))
                self.assertEqual(client.flush(30), 0)
            self.assertEqual(refused, [("bad", "invalid")])
            self.assertEqual([words(asked) for asked in peer.asked], ["bad", "gone", "good", "good"])
            self.assertNotIn(WHO, "".join(logs.output))

    def test_a_key_that_is_refused_is_told_once_and_what_waits_goes_out_with_it_later(self) -> None:
        told: List[Any] = []
        revoked = problem(401, "unauthorized")
        script = (revoked, revoked, page(403), TAKEN, problem(403, "forbidden"), TAKEN)
        with Peer(*script) as peer:
            refused = mock.Mock()
            with Keepsake(peer.url, "keep_live_x", pace=QUICK, on_refused=refused, on_key_refused=told.append) as client:
                with self.assertLogs("keepsake_client", "WARNING") as logs:
                    for content in ("one", "two"):
                        client.send_later(post(content))
                    self.assertEqual(client.flush(30), 0)
            self.assertEqual([error.status for error in told], [401, 403])
            self.assertEqual(len(logs.output), 2, "once for each time that it began")
            refused.assert_not_called()
            self.assertEqual([words(asked) for asked in peer.asked], ["one"] * 4 + ["two"] * 2)

    def script(self, url: str, waits: float, **more: str) -> str:
        """A process that says something and ends; answers what it wrote to stderr."""
        program = (
            "import json, sys\n"
            "from keepsake_client import Keepsake, outbox\n"
            "url, outbox.AT_EXIT, post, more = map(json.loads, sys.argv[1:])\n"
            "Keepsake(url, 'keep_live_x', **more).send_later(post)\n"
        )
        told = [json.dumps(value) for value in (url, waits, post("the last words"), more)]
        command = [sys.executable, "-B", "-c", program, *told]
        return subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=60, check=True).stderr

    def test_a_script_that_ends_has_sent_what_it_said(self) -> None:
        with Peer(problem(503, "unavailable"), TAKEN) as peer:
            self.assertEqual(self.script(peer.url, waits=30), "")
            self.assertEqual([words(asked) for asked in peer.asked], ["the last words"] * 2)

    def test_a_child_of_multiprocessing_that_ends_has_sent_what_it_said(self) -> None:
        for method in multiprocessing.get_all_start_methods():
            with self.subTest(method), Peer(problem(503, "unavailable"), TAKEN) as peer:
                child = multiprocessing.get_context(method).Process(target=say_and_end, args=(peer.url,))  # type: ignore[attr-defined]
                child.start()
                child.join(60)
                self.assertEqual(child.exitcode, 0)
                self.assertEqual([words(asked) for asked in peer.asked], ["the last words"] * 2)

    def test_a_script_that_ends_while_keepsake_is_away_tells_what_it_has_left(self) -> None:
        said_of_it = self.script(nowhere(), waits=0.05)
        self.assertIn("conversations that are not sent: 1", said_of_it)
        self.assertNotIn("last words", said_of_it)
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("wait in the folder for the next process: 1", self.script(nowhere(), waits=0.05, folder=folder))
            with Peer(TAKEN) as peer, Keepsake(peer.url, "keep_live_x", folder=folder) as client:
                self.assertEqual(client.flush(30), 0)
                self.assertEqual([words(asked) for asked in peer.asked], ["the last words"])

    def test_a_full_buffer_gives_up_the_oldest(self) -> None:
        hang = Hang(problem(503, "unavailable"))
        with Peer(hang, TAKEN) as peer, Keepsake(peer.url, "keep_live_x", pace=QUICK, capacity=2) as client:
            client.send_later(post("one"))
            self.assertTrue(hang.came.wait(10))
            with self.assertLogs("keepsake_client", "WARNING"):
                for content in ("two", "three"):
                    client.send_later(post(content))
            self.assertEqual((client.waiting, client.lost), (2, 1))
            hang.go.set()
            self.assertEqual(client.flush(30), 0)
            self.assertEqual([words(asked) for asked in peer.asked], ["one", "two", "three"])

    def test_a_folder_keeps_them_over_a_restart(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            url = nowhere()
            first = Keepsake(url, "keep_live_x", pace=Pace(first_wait=60.0), folder=folder)
            for content in ("one", "two"):
                first.send_later(post(content))
            with self.assertLogs("keepsake_client", "WARNING"):
                self.assertEqual(first.close(0.0), 2)
            files = sorted(Path(folder, "outbox").iterdir())
            self.assertEqual({file.stat().st_mode & 0o777 for file in files}, {0o600})
            Path(folder, "outbox", "broken.json").write_text("{")
            with Peer(TAKEN) as peer, self.assertLogs("keepsake_client", "WARNING"):
                second = Keepsake(peer.url, "keep_live_x", folder=folder)
                self.assertEqual(second.close(30), 0)
                self.assertEqual([words(asked) for asked in peer.asked], ["one", "two"])
            self.assertEqual([file.name for file in Path(folder, "outbox").iterdir()], ["broken.json"])

    def test_what_is_no_json_is_said_at_once(self) -> None:
        client = Keepsake("http://127.0.0.1:1", "keep_live_x")
        with self.assertRaises(TypeError):
            client.send_later(post(object()))
        self.assertEqual(client.waiting, 0)


if __name__ == "__main__":
    unittest.main()
