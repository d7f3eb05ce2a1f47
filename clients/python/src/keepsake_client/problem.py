"""What can go wrong with a call."""

from __future__ import annotations

from typing import List, Optional

from .types import ProblemDocument, ProblemField


class KeepsakeError(Exception):
    """A call that did not succeed."""

    status: Optional[int] = None
    """The HTTP status, where there was one."""
    retry_after: Optional[float] = None
    """Seconds until another try is welcome, where the answer says so."""
    passing = False
    """Whether the same call may succeed later: Keepsake is away, slow or busy."""


class Problem(KeepsakeError):
    """Keepsake refused, and says why in a problem document (RFC 9457)."""

    def __init__(self, document: ProblemDocument, status: int, retry_after: Optional[float] = None):
        self.document = document
        self.status = status
        self.retry_after = retry_after
        self.code: str = document["code"]
        self.title: str = document.get("title", "")
        self.detail: str = document.get("detail", "")
        self.request_id: str = document.get("request_id", "")
        self.errors: List[ProblemField] = document.get("errors", [])
        self.passing = status == 429 or status >= 500 or self.code == "idempotency_in_flight"
        super().__init__(f"{status} {self.code}: {self.detail} ({self.request_id})")


class NoAnswer(KeepsakeError):
    """No connection, no answer in time, or an answer that is none of Keepsake's, such as a proxy's page."""

    def __init__(self, why: str, status: Optional[int] = None, retry_after: Optional[float] = None):
        self.status = status
        self.retry_after = retry_after
        self.passing = status is None or status < 300 or status in (408, 425, 429) or status >= 500
        super().__init__(why)
