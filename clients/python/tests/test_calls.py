"""Calls: what is tried again, for how long, and what comes of answers that are none."""

import unittest
from typing import List

from keepsake_client import Keepsake, NoAnswer, Pace, Problem
from keepsake_client.client import spelled
from keepsake_client.transport import seconds_of
from keepsake_client.types import ConversationPost
from peer import Hang, Peer, Raw, nowhere, page, problem, said

TAKEN = said({"conversation": "conv_1", "operation": "op_1", "accepted": 1, "known": 0, "warnings": []}, 202)
POST: ConversationPost = {"user_id": "ana", "messages": [{"role": "user", "content": "I prefer Python."}]}


class Time:
    """A clock that only goes on while somebody sleeps."""

    def __init__(self) -> None:
        self.at, self.slept = 1000.0, []  # type: float, List[float]

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds

    def pace(self, **more: float) -> Pace:
        return Pace(clock=lambda: self.at, now=lambda: self.at, sleep=self.sleep, chance=lambda: 1.0, **more)


class Calls(unittest.TestCase):
    def client(self, peer: Peer, **pace: float) -> Keepsake:
        self.time = Time()
        return Keepsake(peer.url, "keep_live_x", pace=self.time.pace(**pace))

    def test_a_full_bucket_is_waited_for_and_the_call_made_again_under_one_key(self) -> None:
        with Peer(problem(429, "throttled", retry_after=3), TAKEN) as peer:
            self.assertEqual(self.client(peer).send(POST)["operation"], "op_1")
            self.assertEqual(self.time.slept, [3.0])
            keys = peer.sent("Idempotency-Key")
            self.assertEqual(len(keys), 2)
            self.assertTrue(keys[0])
            self.assertEqual(keys[0], keys[1])
            self.assertEqual(peer.sent("Authorization"), ["Bearer keep_live_x"] * 2)

    def test_another_call_has_another_key(self) -> None:
        with Peer(TAKEN) as peer:
            client = self.client(peer)
            client.send(POST)
            client.send(POST)
            self.assertNotEqual(*peer.sent("Idempotency-Key"))

    def test_the_waits_grow_and_are_spread(self) -> None:
        with Peer(page(502), problem(503, "unavailable"), problem(500, "internal"), TAKEN) as peer:
            self.client(peer, first_wait=1.0).send(POST)
            self.assertEqual(self.time.slept, [1.0, 2.0, 4.0])
        self.assertEqual(Pace(first_wait=1.0, chance=lambda: 0.0).wait(1, None), 0.5)
        self.assertEqual(Pace(longest_wait=5.0, chance=lambda: 1.0).wait(10_000, None), 5.0)

    def test_nobody_waits_beyond_the_deadline(self) -> None:
        with Peer(problem(429, "throttled", retry_after=3600), TAKEN) as peer:
            with self.assertRaises(Problem) as caught:
                self.client(peer).send(POST)
            self.assertEqual((caught.exception.status, caught.exception.retry_after), (429, 3600.0))
            self.assertEqual((self.time.slept, len(peer.asked)), ([], 1))

    def test_a_refusal_is_raised_with_all_it_says_and_not_tried_again(self) -> None:
        errors = [{"pointer": "/messages/0/role", "code": "not_allowed", "detail": "…"}]
        with Peer(problem(422, "invalid", errors=errors), TAKEN) as peer:
            with self.assertRaises(Problem) as caught:
                self.client(peer).send(POST)
            refusal = caught.exception
            self.assertEqual((refusal.code, refusal.status, refusal.request_id, refusal.errors), ("invalid", 422, "req_1", errors))
            self.assertFalse(refusal.passing)
            self.assertEqual(len(peer.asked), 1)

    def test_the_first_one_still_being_worked_on_is_waited_for(self) -> None:
        with Peer(problem(409, "idempotency_in_flight"), TAKEN) as peer:
            self.client(peer).send(POST)
            self.assertEqual(len(peer.asked), 2)
        with Peer(problem(409, "message_changed"), TAKEN) as peer:
            with self.assertRaises(Problem):
                self.client(peer).send(POST)
            self.assertEqual(len(peer.asked), 1)

    def test_what_is_none_of_our_answers_is_no_answer(self) -> None:
        cut_off = Raw(b'HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"operation": "op')
        for garbage in (page(200), said([]), said({}), said({"code": "x"}, 500), Raw(b"SSH-2.0-x\r\n"), Raw(b""), cut_off):
            with self.subTest(garbage), Peer(garbage, TAKEN) as peer:
                self.assertEqual(self.client(peer).send(POST)["operation"], "op_1")
            with self.subTest(garbage), Peer(garbage) as peer, self.assertRaises(NoAnswer):
                self.client(peer, deadline=1.0).send(POST)
        url = nowhere()
        with self.assertRaises(NoAnswer):
            Keepsake(url, "keep_live_x", pace=Time().pace(deadline=1.0)).memory("mem_1")

    def test_a_key_goes_nowhere_else(self) -> None:
        with Peer(TAKEN) as elsewhere, Peer(page(307, Location=f"{elsewhere.url}/api/v1/conversations")) as peer:
            with self.assertRaises(NoAnswer):
                self.client(peer).send(POST)
            self.assertEqual((len(peer.asked), elsewhere.asked), (1, []))
        with Peer(page(404)) as peer, self.assertRaises(NoAnswer):
            self.client(peer).send(POST)
        self.assertNotIn("keep_live_x", repr(self.client(peer)))
        for wrong in ("ftp://x", "127.0.0.1:3000"):
            with self.assertRaises(ValueError):
                Keepsake(wrong, "keep_live_x")

    def test_a_key_is_taken_as_a_file_has_it_and_none_with_more_in_it(self) -> None:
        with Peer(TAKEN) as peer:
            Keepsake(peer.url, " keep_live_x\r\n").send(POST)
            self.assertEqual(peer.sent("Authorization"), ["Bearer keep_live_x"])
        for wrong, said_of_it in (("", "needed"), (" \n", "needed"), ("a\nb", "white space"), ("a b", "white space"), ("clé", "letters")):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, said_of_it):
                Keepsake("http://x", wrong)

    def test_one_try_does_not_last_longer_than_its_time(self) -> None:
        slow = Hang(TAKEN)
        with Peer(slow) as peer:
            client = Keepsake(peer.url, "keep_live_x", pace=Pace(timeout=0.05, deadline=0.05, sleep=lambda _: None))
            with self.assertRaises(NoAnswer):
                client.send(POST)

    def test_an_operation_is_asked_for_until_it_has_ended(self) -> None:
        running, done = said({"id": "op_1", "state": "running"}), said({"id": "op_1", "state": "succeeded"})
        with Peer(running, running, done) as peer:
            self.assertEqual(self.client(peer).wait("op_1")["state"], "succeeded")
            self.assertEqual([asked.path for asked in peer.asked], ["/api/v1/operations/op_1"] * 3)
        with Peer(running) as peer:
            self.assertEqual(self.client(peer).wait("op_1", seconds=5.0)["state"], "running")
            self.assertLess(sum(self.time.slept), 5.0)

    def test_a_list_is_walked_page_by_page(self) -> None:
        first, second = said({"data": [{"id": "mem_1"}, {"id": "mem_2"}], "next": "c/1"}), said({"data": [{"id": "mem_3"}], "next": None})
        with Peer(first, second) as peer:
            client = Keepsake(peer.url, "keep_live_x", agent="support")
            found = [memory["id"] for memory in client.memories({"user_id": "a&b", "limit": 2})]
            self.assertEqual(found, ["mem_1", "mem_2", "mem_3"])
            self.assertEqual(
                [asked.path for asked in peer.asked],
                ["/api/v1/memories?user_id=a%26b&limit=2&agent=support", "/api/v1/memories?user_id=a%26b&limit=2&cursor=c%2F1&agent=support"],
            )

    def test_decisions_carry_the_version_that_was_seen(self) -> None:
        with Peer(said({"id": "cand_1", "version": 2, "memory": "mem_1"})) as peer:
            self.assertEqual(self.client(peer).approve("cand_1", if_match=1)["memory"], "mem_1")
            self.assertEqual((peer.asked[0].headers["If-Match"], peer.asked[0].body), ('"1"', {}))
            self.client(peer).reject("cand_1", {"reason": "wrong"}, if_match="*")
            self.assertEqual(peer.asked[1].headers["If-Match"], "*")

    def test_nothing_is_an_answer_where_nothing_is_said(self) -> None:
        with Peer(Raw(b"HTTP/1.1 204 No Content\r\n\r\n")) as peer:
            self.client(peer).feedback({"serving": "srv_1", "memory": "mem_1", "helped": True})

    def test_any_user_can_be_named_in_a_path(self) -> None:
        with Peer(said({"profiles": {}})) as peer:
            client = self.client(peer)
            for user in ("a/b ü", "..", {"tenant": "t"}):
                client.profile(user)
            self.assertEqual(
                [asked.path for asked in peer.asked],
                [
                    "/api/v1/users/a%2Fb%20%C3%BC/profile",
                    "/api/v1/users/%7B%22user_id%22%3A%20%22..%22%7D/profile",
                    "/api/v1/users/%7B%22tenant%22%3A%20%22t%22%7D/profile",
                ],
            )
        self.assertEqual(spelled("{x"), '{"user_id": "{x"}')

    def test_retry_after_is_seconds_or_a_date(self) -> None:
        self.assertEqual(seconds_of("7", 0), 7.0)
        self.assertEqual(seconds_of("Thu, 01 Jan 1970 00:01:00 GMT", 50.0), 10.0)
        for none in (None, "soon", "-", "Thu, 99 Jan"):
            self.assertIsNone(seconds_of(none, 0), none)
        self.assertEqual(seconds_of("-5", 0), 0.0)

    def test_no_answer_asks_for_more_than_an_hour(self) -> None:
        for long in ("3601", "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT"):
            self.assertEqual(seconds_of(long, 0), 3600.0, long)
        with Peer(problem(429, "throttled", retry_after="9" * 400), TAKEN) as peer:
            self.assertEqual(self.client(peer, deadline=4000.0).send(POST)["operation"], "op_1")
            self.assertEqual(self.time.slept, [3600.0])


if __name__ == "__main__":
    unittest.main()
