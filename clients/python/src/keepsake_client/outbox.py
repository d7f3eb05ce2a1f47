"""Conversations that are sent in the background, in their order, however long Keepsake is away."""

from __future__ import annotations

import atexit
import json
import logging
import os
import threading
import time
from collections import deque
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any, Callable, Deque, Dict, NamedTuple, Optional

from .kept import private, write
from .problem import KeepsakeError, Problem
from .transport import Pace, encoded, new_key

LOG = logging.getLogger("keepsake_client")
AT_EXIT = 2.0
"""Seconds that the end of a process waits for conversations of a client that nobody closed."""


class Waiting(NamedTuple):
    """A conversation that waits to be sent."""

    body: Dict[str, Any]
    key: str
    """Its Idempotency-Key: sent again after an answer was lost, it is taken once."""
    file: Optional[Path]


class Outbox:
    """At most so many conversations. One thread sends them, the oldest first; nobody waits for it."""

    def __init__(
        self,
        send: Callable[[bytes, str], Any],
        capacity: int,
        folder: Optional[Path],
        pace: Pace,
        refused: Optional[Callable[[Dict[str, Any], Problem], None]],
        key_refused: Optional[Callable[[KeepsakeError], None]],
    ):
        self._send, self._capacity, self._pace = send, capacity, pace
        self._refused, self._key_refused = refused, key_refused
        self._key_told = False
        self._folder = private(folder) if folder is not None else None
        self._changed = threading.Condition()
        self._thread: Optional[threading.Thread] = None
        self._hurry = self._closed = False
        self._last: Optional[Finalize] = None
        self._number = 0
        self.lost = 0
        """How many were given up because the buffer was full."""
        self._waiting: Deque[Waiting] = deque()
        for path in sorted(self._folder.glob("*.json")) if self._folder else []:
            try:
                body, key = json.loads(path.read_bytes())
                self._waiting.append(Waiting(body, key, path))
            except (OSError, ValueError):
                LOG.warning("%s is no conversation that waits; it stays where it is", path.name)
        if self._waiting:
            with self._changed:
                self._start()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, body: Dict[str, Any]) -> None:
        """Takes a conversation and returns at once. A full buffer gives up its oldest one."""
        encoded(body)
        with self._changed:
            if self._closed:
                raise ValueError("this client is closed")
            item = Waiting(body, new_key(), self._file())
            if item.file is not None:
                try:
                    write(item.file, [body, item.key])
                except OSError as error:
                    LOG.warning("a conversation waits in memory only: %s", error.strerror)
            self._waiting.append(item)
            while len(self._waiting) > self._capacity:
                self.lost += 1
                LOG.warning("the buffer of conversations is full; the oldest one is given up")
                self._done(self._waiting[0])
            self._start()
            self._changed.notify_all()

    def flush(self, seconds: float) -> int:
        """Tries at once, and waits until all are sent or the time is over. Answers how many wait still."""
        with self._changed:
            self._hurry = True
            self._start()
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._waiting, seconds)
            return len(self._waiting)

    def close(self, seconds: float) -> int:
        """As `flush`; after it nothing is taken or sent any more, and what is left is told."""
        self.flush(seconds)
        atexit.unregister(self._at_exit)
        if self._last is not None:
            self._last.cancel()
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            left = len(self._waiting)
        if left and self._folder is None:
            LOG.warning("closed with conversations that are not sent: %d", left)
        elif left:
            LOG.warning("closed with conversations that wait in the folder for the next process: %d", left)
        return left

    def _at_exit(self, process: int) -> None:
        # What a fork took over is sent by where it comes from, and its lock may be held for ever.
        if process == os.getpid():
            self.close(AT_EXIT)

    def _file(self) -> Optional[Path]:
        if self._folder is None:
            return None
        self._number += 1
        return self._folder / f"{time.time_ns():020d}-{os.getpid()}-{self._number:06d}.json"

    def _start(self) -> None:
        # After a fork there is no thread, so one is begun. What both processes send, Keepsake takes once: the key is the same.
        if self._waiting and not self._closed and (self._thread is None or not self._thread.is_alive()):
            self._thread = threading.Thread(target=self._run, name="keepsake-outbox", daemon=True)
            self._thread.start()
            # A thread that keeps no process alive; so the end of the process looks at what it has left.
            atexit.unregister(self._at_exit)
            atexit.register(self._at_exit, os.getpid())
            if self._last is not None:
                self._last.cancel()
            # A child of multiprocessing ends without what atexit knows.
            self._last = Finalize(None, self._at_exit, args=(os.getpid(),), exitpriority=0)

    def _done(self, item: Waiting) -> None:
        if self._waiting and self._waiting[0] is item:
            self._waiting.popleft()
        if item.file is not None:
            try:
                item.file.unlink()
            except OSError:
                pass
        self._changed.notify_all()

    def _run(self) -> None:
        tries = 0
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                self._hurry = False
                item = self._waiting[0]
            tries += 1
            wait = self._deliver(item, tries)
            with self._changed:
                if wait is None:
                    tries = 0
                    self._done(item)
                else:
                    self._changed.wait_for(lambda: self._hurry or self._closed, wait)

    def _deliver(self, item: Waiting, tries: int) -> Optional[float]:
        """Sends one; `None` where it need not be sent again, else the seconds to wait."""
        try:
            self._send(encoded(item.body), item.key)
            self._key_told = False
            return None
        except KeepsakeError as error:
            if isinstance(error, Problem) and error.code == "idempotency_gone":
                return None
            # A key that is not valid now may be so again; what waits is not lost by it.
            if error.status in (401, 403):
                self._tell_of_key(error)
            elif isinstance(error, Problem) and not error.passing:
                LOG.warning("a conversation was refused and is not sent again: %s", error)
                self._tell(self._refused, item.body, error)
                return None
            LOG.info("a conversation waits to be sent again: %s", error)
            return self._pace.wait(tries, error.retry_after)

    def _tell_of_key(self, error: KeepsakeError) -> None:
        """Once, until something was taken: it goes on for as long as nobody gives another key."""
        if not self._key_told:
            self._key_told = True
            LOG.warning("the key is refused, and conversations wait until it is valid: %s", error)
            self._tell(self._key_refused, error)

    def _tell(self, callback: Optional[Callable[..., None]], *what: Any) -> None:
        if callback is not None:
            try:
                callback(*what)
            except Exception:
                LOG.exception("what was to be told of a refusal failed")
