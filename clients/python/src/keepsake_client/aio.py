"""The same client for asyncio: each call in a thread, so that the loop goes on. A context has a thread of its own."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Iterator, List, Optional, Sequence, TypeVar, Union

from .client import Keepsake, Told, User, begun, told, too_late
from .problem import KeepsakeError
from .types import (
    Accepted,
    ApprovePost,
    CandidateDetail,
    CandidatePost,
    CandidateView,
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

T = TypeVar("T")
_END: Any = object()


class AsyncKeepsake:
    """As `Keepsake`, with the same arguments; `blocking` is that one."""

    def __init__(self, *args: Any, **kwargs: Any):
        self.blocking = Keepsake(*args, **kwargs)

    async def __aenter__(self) -> AsyncKeepsake:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def send(self, conversation: ConversationPost) -> Accepted:
        return await asyncio.to_thread(self.blocking.send, conversation)

    def send_later(self, conversation: ConversationPost) -> None:
        self.blocking.send_later(conversation)

    async def flush(self, seconds: float = 10.0) -> int:
        return await asyncio.to_thread(self.blocking.flush, seconds)

    async def close(self, seconds: float = 2.0) -> int:
        return await asyncio.to_thread(self.blocking.close, seconds)

    async def operation(self, id: str) -> OperationView:
        return await asyncio.to_thread(self.blocking.operation, id)

    async def wait(self, id: str, seconds: float = 60.0) -> OperationView:
        return await asyncio.to_thread(self.blocking.wait, id, seconds)

    async def retry(self, id: str) -> OperationView:
        return await asyncio.to_thread(self.blocking.retry, id)

    async def context(self, ask: ContextPost, *, timeout: float = 0.8, or_raise: bool = False) -> Told:
        # Not in the loop's own threads: all of them may be taken, by calls that may wait for longer than this one.
        call, instead = self.blocking._asking(ask)
        try:
            work = asyncio.wrap_future(begun(call, self.blocking._slots))
            try:
                return told(await asyncio.wait_for(work, max(timeout, 0.0)))
            except asyncio.TimeoutError:
                raise too_late(timeout) from None
        except KeepsakeError as error:
            if or_raise:
                raise
            return instead(error)

    async def feedback(self, report: FeedbackPost) -> None:
        await asyncio.to_thread(self.blocking.feedback, report)

    async def propose(self, candidate: CandidatePost) -> ProposeAnswer:
        return await asyncio.to_thread(self.blocking.propose, candidate)

    async def search(self, search: SearchPost) -> List[Found]:
        return await asyncio.to_thread(self.blocking.search, search)

    def memories(self, query: Optional[ListMemoriesQuery] = None) -> AsyncIterator[MemoryView]:
        return _each(self.blocking.memories(query))

    async def memory(self, id: str) -> MemoryView:
        return await asyncio.to_thread(self.blocking.memory, id)

    async def revisions(self, id: str) -> List[RevisionView]:
        return await asyncio.to_thread(self.blocking.revisions, id)

    async def profile(self, user: User) -> ProfileView:
        return await asyncio.to_thread(self.blocking.profile, user)

    def candidates(self, query: Optional[ListCandidatesQuery] = None) -> AsyncIterator[CandidateView]:
        return _each(self.blocking.candidates(query))

    async def candidate(self, id: str) -> CandidateDetail:
        return await asyncio.to_thread(self.blocking.candidate, id)

    async def approve(
        self, id: str, changes: Optional[ApprovePost] = None, *, if_match: Union[int, str, None] = None
    ) -> CandidateView:
        return await asyncio.to_thread(self.blocking.approve, id, changes, if_match=if_match)

    async def reject(self, id: str, why: RejectPost, *, if_match: Union[int, str, None] = None) -> CandidateView:
        return await asyncio.to_thread(self.blocking.reject, id, why, if_match=if_match)

    async def decide(self, decisions: Sequence[DecisionPost]) -> List[DecisionResult]:
        return await asyncio.to_thread(self.blocking.decide, decisions)


async def _each(rows: Iterator[T]) -> AsyncIterator[T]:
    # A row may need the next page, and that is a call.
    while (row := await asyncio.to_thread(next, rows, _END)) is not _END:
        yield row
