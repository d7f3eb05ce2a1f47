"""The client of an agent runtime."""

from __future__ import annotations

import json
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TimeoutOfFuture
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from ssl import SSLContext
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union, cast

from .kept import Kept, LastGood
from .outbox import LOG, Outbox
from .problem import KeepsakeError, NoAnswer, Problem
from .transport import Pace, Transport, encoded, expect
from .types import (
    Accepted,
    ApprovePost,
    CandidateDetail,
    CandidatePost,
    CandidateView,
    Context,
    ContextItem,
    ContextPost,
    ConversationPost,
    DecisionPost,
    DecisionResult,
    FeedbackPost,
    Found,
    ListCandidatesQuery,
    ListMemoriesQuery,
    MemoryView,
    OperationView,
    ProfileView,
    ProposeAnswer,
    RejectPost,
    RevisionView,
    SearchPost,
)

IN_FLIGHT = 64
"""So many contexts are asked for at once. While that many have no answer, the next one is stood in for at once."""

T = TypeVar("T")
User = Union[str, Mapping[str, str]]
"""A user: your own id of them, or the pairs of a scope."""


@dataclass(frozen=True)
class Told:
    """What an agent may be told about a user, from Keepsake or, while it is slow or away, from before."""

    answer: Optional[Context]
    """What Keepsake answered; `None` where nothing is known."""
    stale: bool
    """Whether it is from before, because Keepsake did not answer this time."""
    age: float
    """Seconds since Keepsake last said that this holds."""
    error: Optional[KeepsakeError]
    """Why Keepsake did not answer this time."""

    @property
    def block(self) -> str:
        """The text for the system prompt; empty where there is none."""
        return self.answer["block"] if self.answer else ""

    @property
    def items(self) -> List[ContextItem]:
        """The memories in it."""
        return self.answer["items"] if self.answer else []

    @property
    def serving(self) -> Optional[str]:
        """What `feedback` names."""
        return self.answer["serving"] if self.answer else None


class Keepsake:
    """Calls Keepsake with one key. Threads may share it.

    `url` is where Keepsake is, such as `http://127.0.0.1:3000`. `agent` is needed where the key names several. `pace` says how long
    calls may take. `folder` keeps conversations that wait, and the last good contexts, over a restart: in the clear, in files of this
    account, for one process at a time. `capacity` is how many conversations wait at most. `stale_for` is how many seconds after
    Keepsake last confirmed it a context may be used while Keepsake does not answer. `on_refused` is told of each waiting
    conversation that Keepsake refuses for good, and `on_key_refused` once when waiting conversations are held up because the key is
    refused (401, 403); both run in the thread that sends them.

    As a context manager it is closed at the end. A process that ends without that, a child of `multiprocessing` too, waits two seconds
    for what `send_later` has left.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        agent: Optional[str] = None,
        pace: Optional[Pace] = None,
        folder: Union[str, Path, None] = None,
        capacity: int = 1000,
        stale_for: float = 3600.0,
        on_refused: Optional[Callable[[Dict[str, Any], Problem], None]] = None,
        on_key_refused: Optional[Callable[[KeepsakeError], None]] = None,
        tls: Optional[SSLContext] = None,
    ):
        self._pace = pace or Pace()
        self._transport = Transport(url, key, agent, self._pace, tls)
        self._caller = [url, self._transport.key, agent]
        root = Path(folder) if folder is not None else None
        self._slots = threading.Semaphore(IN_FLIGHT)
        self._last_good = LastGood(root and root / "contexts", stale_for, self._pace.now, LOG)
        self._outbox = Outbox(self._send_once, capacity, root and root / "outbox", self._pace, on_refused, on_key_refused)

    def __repr__(self) -> str:
        return f"Keepsake({self._caller[0]!r})"

    def __enter__(self) -> Keepsake:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Conversations

    def send(self, conversation: ConversationPost) -> Accepted:
        """Sends messages and waits until Keepsake has them. What they lead to is read in the background: see `wait`."""
        return cast(Accepted, self._transport.call("create_conversation", body=conversation, fields=["operation"]))

    def send_later(self, conversation: ConversationPost) -> None:
        """Sends messages in the background, and again until Keepsake takes them. Returns at once.

        They go out in the order in which they came. Messages without a time get the present one.
        """
        now = datetime.fromtimestamp(self._pace.now(), timezone.utc).isoformat().replace("+00:00", "Z")
        messages = [{**message, "at": message.get("at") or now} for message in conversation.get("messages", [])]
        self._outbox.put({**conversation, "messages": messages})

    @property
    def waiting(self) -> int:
        """How many conversations of `send_later` are not sent yet."""
        return len(self._outbox)

    @property
    def lost(self) -> int:
        """How many were given up because too many waited."""
        return self._outbox.lost

    def flush(self, seconds: float = 10.0) -> int:
        """Tries at once to send what waits, for at most so many seconds. Answers how many wait still."""
        return self._outbox.flush(seconds)

    def close(self, seconds: float = 2.0) -> int:
        """As `flush`, and nothing is taken or sent any more. What waits in a folder is sent by the next process that has it."""
        return self._outbox.close(seconds)

    def operation(self, id: str) -> OperationView:
        """What came of a conversation, so far."""
        return cast(OperationView, self._transport.call("get_operation", path={"id": id}, fields=["state"]))

    def wait(self, id: str, seconds: float = 60.0) -> OperationView:
        """Asks until the operation has ended, or for so many seconds; then it is answered as it stands: look at its `state`."""
        began, between = self._pace.clock(), 0.1
        while True:
            operation = self.operation(id)
            over = self._pace.clock() - began + between >= seconds
            if over or operation["state"] not in ("queued", "running"):
                return operation
            self._pace.sleep(between)
            between = min(between * 1.5, 2.0)

    def retry(self, id: str) -> OperationView:
        """Tries an operation that failed or was cut off again; the answer is the new operation."""
        return cast(OperationView, self._transport.call("retry_operation", path={"id": id}, fields=["state"]))

    # What the agent is told

    def context(self, ask: ContextPost, *, timeout: float = 0.8, or_raise: bool = False) -> Told:
        """What is approved about a user, within so many seconds, whatever happens to Keepsake.

        Where Keepsake is slow or away, the last good answer for this user, layout and budget takes its place: `stale`, with its `age`.
        Where Keepsake refuses, nothing does. `or_raise` raises the error instead of either.

        `if_changed` is this method's own: what is unchanged is not sent again. An answer that comes too late is kept for the next time.
        """
        call, instead = self._asking(ask)
        try:
            return told(within(timeout, begun(call, self._slots)))
        except KeepsakeError as error:
            if or_raise:
                raise
            return instead(error)

    def _asking(self, ask: ContextPost) -> Tuple[Callable[[], Context], Callable[[KeepsakeError], Told]]:
        """What asks for a context, and what is told where that fails."""
        conversation = ask.get("conversation_id")
        user: Any = ask.get("scope") or {"user_id": ask.get("user_id")}
        form = [ask.get(field) for field in ("layout", "max_tokens", "model_window")]
        name = LastGood.name(self._caller, user, form)
        kept = self._last_good.get(name)
        body = {field: value for field, value in ask.items() if field != "if_changed"}
        # What is unchanged is not recorded as served, so a conversation that was not told yet asks for the whole.
        if kept is not None and kept.conversation == conversation:
            body["if_changed"] = kept.answer["etag"]
        sent, asked = encoded(body), self._pace.clock()

        def call() -> Context:
            try:
                answer = self._transport.attempt("ask_context", self._pace.timeout, body=sent, fields=["etag"])
            except KeepsakeError as error:
                if error.status in (401, 403, 404):
                    self._last_good.forget(name)
                raise
            if kept is not None and answer.get("unchanged") is True and answer["etag"] == kept.answer["etag"]:
                answer = kept.answer
            expect(answer, "block", "items", "serving")
            self._last_good.put(name, Kept(answer, conversation, self._pace.now(), asked))
            return cast(Context, answer)

        def instead(error: KeepsakeError) -> Told:
            LOG.info("no context from Keepsake: %s", error)
            if kept is None or not error.passing:
                return Told(None, stale=False, age=0.0, error=error)
            return Told(kept.answer, stale=True, age=max(0.0, self._pace.now() - kept.confirmed), error=error)

        return call, instead

    def feedback(self, report: FeedbackPost) -> None:
        """Tells whether a memory that was served helped."""
        self._transport.call("report_feedback", body=report)

    def propose(self, candidate: CandidatePost) -> ProposeAnswer:
        """Proposes a memory by hand; it waits for a person."""
        return cast(ProposeAnswer, self._transport.call("propose_candidate", body=candidate, fields=["outcome"]))

    def search(self, search: SearchPost) -> List[Found]:
        """Approved memories that hold some words, the best first."""
        return cast(List[Found], self._transport.call("search_memories", body=search, fields=["data"])["data"])

    def memories(self, query: Optional[ListMemoriesQuery] = None) -> Iterator[MemoryView]:
        """Approved memories, page after page."""
        return cast(Iterator[MemoryView], self._pages("list_memories", query))

    def memory(self, id: str) -> MemoryView:
        """One memory."""
        return cast(MemoryView, self._transport.call("get_memory", path={"id": id}, fields=["revision"]))

    def revisions(self, id: str) -> List[RevisionView]:
        """Every version of a memory, the newest first."""
        return cast(List[RevisionView], self._transport.call("list_revisions", path={"id": id}, fields=["data"])["data"])

    def profile(self, user: User) -> ProfileView:
        """The profiles of a user: schema, then field, then value."""
        return cast(ProfileView, self._transport.call("get_profile", path={"id": spelled(user)}, fields=["profiles"]))

    # For a person's key

    def candidates(self, query: Optional[ListCandidatesQuery] = None) -> Iterator[CandidateView]:
        """The queue and what was decided, page after page."""
        return cast(Iterator[CandidateView], self._pages("list_candidates", query))

    def candidate(self, id: str) -> CandidateDetail:
        """One candidate, with everything a decision needs."""
        return cast(CandidateDetail, self._transport.call("get_candidate", path={"id": id}, fields=["version"]))

    def approve(self, id: str, changes: Optional[ApprovePost] = None, *, if_match: Union[int, str, None] = None) -> CandidateView:
        """Approves a candidate, as it is or changed. `if_match` is the version that was seen."""
        answer = self._transport.call(
            "approve_candidate", path={"id": id}, body=changes or {}, if_match=if_match, fields=["version"]
        )
        return cast(CandidateView, answer)

    def reject(self, id: str, why: RejectPost, *, if_match: Union[int, str, None] = None) -> CandidateView:
        """Rejects a candidate for a reason. `if_match` is the version that was seen."""
        answer = self._transport.call("reject_candidate", path={"id": id}, body=why, if_match=if_match, fields=["version"])
        return cast(CandidateView, answer)

    def decide(self, decisions: Sequence[DecisionPost]) -> List[DecisionResult]:
        """Decides on several candidates; each stands or falls alone."""
        answer = self._transport.call("decide_candidates", body={"decisions": list(decisions)}, fields=["results"])
        return cast(List[DecisionResult], answer["results"])

    def _send_once(self, body: bytes, key: str) -> None:
        self._transport.attempt("create_conversation", self._pace.timeout, body=body, once=key, fields=["operation"])

    def _pages(self, name: str, query: Optional[Mapping[str, Any]]) -> Iterator[Any]:
        asked = dict(query or {})
        while True:
            answer = self._transport.call(name, query=asked, fields=["data"])
            yield from answer["data"]
            if not answer.get("next"):
                return
            asked["cursor"] = answer["next"]


def spelled(user: User) -> str:
    """A user as a path names one. What a path would take for something else is spelled as the pairs it stands for."""
    if isinstance(user, str):
        if user not in (".", "..") and not user.startswith("{"):
            return user
        user = {"user_id": user}
    return json.dumps(dict(user), ensure_ascii=False)


def begun(work: Callable[[], T], slots: threading.Semaphore) -> Future[T]:
    """Work that a thread of its own does, to its end, whoever waits for it or no longer. Raises `NoAnswer` where no slot is free.

    A time-out of the socket would not do: looking a name up has none, and an answer that drips in never runs into it.
    """
    if not slots.acquire(blocking=False):
        raise NoAnswer("too many calls have no answer yet")
    future: Future[T] = Future()
    # From now on nobody can take it back: who no longer waits leaves it to itself.
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            value = work()
        except BaseException as error:
            slots.release()
            future.set_exception(error)
        else:
            slots.release()
            future.set_result(value)

    try:
        threading.Thread(target=run, name="keepsake-context", daemon=True).start()
    except RuntimeError as error:
        slots.release()
        raise NoAnswer(f"no thread: {error}") from error
    return future


def within(seconds: float, work: Future[T]) -> T:
    """What comes of work, waited for no longer than so many seconds."""
    try:
        return work.result(max(seconds, 0.0))
    except TimeoutOfFuture:
        raise too_late(seconds) from None


def too_late(seconds: float) -> NoAnswer:
    """Why an answer was waited for no longer."""
    return NoAnswer(f"no answer within {seconds:g} s")


def told(answer: Context) -> Told:
    """What Keepsake answered in time."""
    return Told(answer, stale=False, age=0.0, error=None)
