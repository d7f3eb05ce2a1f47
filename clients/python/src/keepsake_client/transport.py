"""One call over HTTP, tried again where that is harmless."""

from __future__ import annotations

import email.message
import email.utils
import http.client
import json
import random
import ssl
import time
import uuid
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Union
from urllib.parse import quote, urlencode, urlsplit

from .problem import KeepsakeError, NoAnswer, Problem
from .types import CALLS

MOST_BYTES = 64 * 1024 * 1024
"""More than any answer of Keepsake has; what is longer comes from somewhere else."""
MOST_PATIENCE = 3600
"""Seconds. Whatever stands in `Retry-After`, after an hour it is tried again."""


@dataclass(frozen=True)
class Pace:
    """How long a call may take and how it is tried again, in seconds."""

    timeout: float = 10.0
    """For one try."""
    deadline: float = 30.0
    """For all tries together, with the waits between them."""
    first_wait: float = 0.25
    """Before the second try; doubled before each further one, and spread by chance over its upper half."""
    longest_wait: float = 30.0
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random

    def wait(self, tries: int, retry_after: Optional[float]) -> float:
        """How long to wait after so many tries. What the answer asks for is the least."""
        own = min(self.longest_wait, self.first_wait * 2.0 ** min(tries - 1, 16))
        return max(own * (0.5 + self.chance() / 2), retry_after or 0.0)


def encoded(body: Any) -> bytes:
    """A body as it is sent."""
    return json.dumps(body, separators=(",", ":")).encode("ascii")


def new_key() -> str:
    """An Idempotency-Key."""
    return str(uuid.uuid4())


class Transport:
    """Where Keepsake is, and with which key it is called."""

    def __init__(self, url: str, key: str, agent: Optional[str], pace: Pace, tls: Optional[ssl.SSLContext] = None):
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the address of Keepsake begins with http:// or https://")
        # A file ends with a line break.
        key = key.strip()
        if not key:
            raise ValueError("a key is needed, such as keep_live_…")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("the key has white space or other letters in it than a key has: give one key alone, such as keep_live_…")
        self.base = parts.path.rstrip("/")
        self.host, self.port, self.secure = parts.hostname, parts.port, parts.scheme == "https"
        self.key, self.agent, self.pace, self.tls = key, agent, pace, tls

    def call(
        self,
        name: str,
        *,
        path: Optional[Mapping[str, str]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Union[bytes, Any, None] = None,
        if_match: Union[int, str, None] = None,
        fields: Sequence[str] = (),
    ) -> Any:
        """Calls by the name of the OpenAPI document, and gives what the answer's body says; `None` where it has none. An answer
        without one of the `fields` is none of Keepsake's.

        What may be sent twice is tried again until the deadline, under one Idempotency-Key where the call takes one.
        """
        call, pace = CALLS[name], self.pace
        key = new_key() if call.once else None
        began, tries = pace.clock(), 0
        while True:
            tries += 1
            seconds = min(pace.timeout, pace.deadline - (pace.clock() - began))
            try:
                return self.attempt(
                    name, seconds, path=path, query=query, body=body, if_match=if_match, once=key, fields=fields
                )
            except KeepsakeError as error:
                if not error.passing or not (call.again or call.once):
                    raise
                wait = pace.wait(tries, error.retry_after)
                if pace.clock() - began + wait >= pace.deadline:
                    raise
            pace.sleep(wait)

    def attempt(
        self,
        name: str,
        seconds: float,
        *,
        path: Optional[Mapping[str, str]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Union[bytes, Any, None] = None,
        if_match: Union[int, str, None] = None,
        once: Optional[str] = None,
        fields: Sequence[str] = (),
    ) -> Any:
        """Calls once, with the Idempotency-Key `once`."""
        call = CALLS[name]
        target = self.base + call.path.format_map({name: quote(value, safe="") for name, value in (path or {}).items()})
        asked = {name: value for name, value in (query or {}).items() if value is not None}
        if call.agent and self.agent is not None:
            asked.setdefault("agent", self.agent)
        if asked:
            target += "?" + urlencode(asked)
        headers = {"Authorization": f"Bearer {self.key}", "Accept": "application/json", "User-Agent": "keepsake-client-python"}
        if once is not None:
            headers["Idempotency-Key"] = once
        if if_match is not None:
            headers["If-Match"] = f'"{if_match}"' if isinstance(if_match, int) else if_match
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = body if isinstance(body, bytes) else encoded(body)
        return expect(self._exchange(call.method, target, headers, body, seconds), *fields)

    def _exchange(self, method: str, target: str, headers: Dict[str, str], body: Optional[bytes], seconds: float) -> Any:
        until = time.monotonic() + seconds

        def left() -> float:
            remaining = until - time.monotonic()
            if remaining <= 0:
                raise TimeoutError(f"no answer within {seconds:g} s")
            return remaining

        connection = self._connection(max(seconds, 0.001))
        try:
            connection.request(method, target, body=body, headers=headers)
            socket = connection.sock
            socket.settimeout(left())
            response = connection.getresponse()
            parts, length = [], 0
            while not response.isclosed():
                socket.settimeout(left())
                part = response.read1(65536)
                if not part:
                    break
                parts.append(part)
                length += len(part)
                if length > MOST_BYTES:
                    raise NoAnswer("an answer too long to be Keepsake's", response.status)
            return read(response.status, response.headers, b"".join(parts), self.pace.now())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise NoAnswer(f"{type(error).__name__}: {error}") from error
        finally:
            connection.close()

    def _connection(self, seconds: float) -> http.client.HTTPConnection:
        if self.secure:
            return http.client.HTTPSConnection(self.host, self.port, timeout=seconds, context=self.tls)
        return http.client.HTTPConnection(self.host, self.port, timeout=seconds)


def read(status: int, headers: email.message.Message, raw: bytes, now: float) -> Any:
    """What an answer says.

    Raises `Problem` for a problem document, and `NoAnswer` for whatever Keepsake would not say.
    """
    kind = (headers.get("Content-Type") or "").split(";")[0].strip().lower()
    retry_after = seconds_of(headers.get("Retry-After"), now)
    said = None
    if kind in ("application/json", "application/problem+json"):
        try:
            said = json.loads(raw)
        except (ValueError, RecursionError):
            said = None
    if 200 <= status < 300:
        if status == 204:
            return None
        if not isinstance(said, dict):
            raise NoAnswer(f"{status} without an answer of Keepsake's", status, retry_after)
        return said
    if kind == "application/problem+json" and isinstance(said, dict) and isinstance(said.get("code"), str):
        raise Problem(said, status, retry_after)  # type: ignore[arg-type]
    raise NoAnswer(f"{status} without a problem document", status, retry_after)


def seconds_of(retry_after: Optional[str], now: float) -> Optional[float]:
    """`Retry-After`: seconds, or a date; an hour at most."""
    if retry_after is None:
        return None
    try:
        return float(min(max(0, int(retry_after)), MOST_PATIENCE))
    except ValueError:
        pass
    try:
        seconds = email.utils.parsedate_to_datetime(retry_after).timestamp() - now
        return min(max(0.0, seconds), MOST_PATIENCE)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def expect(answer: Any, *fields: str) -> Any:
    """The answer, where it has these fields; what is JSON without them comes from somewhere else."""
    missing = [field for field in fields if not isinstance(answer, dict) or field not in answer]
    if missing:
        raise NoAnswer(f"an answer without {', '.join(missing)}", 200)
    return answer
