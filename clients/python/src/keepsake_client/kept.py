"""The last good context of each user, for when Keepsake is slow or away."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

from .types import Context

MOST = 1000
"""So many are kept in memory; the one not asked for the longest goes first."""


class Kept(NamedTuple):
    """A context, and when Keepsake last said that it holds."""

    answer: Context
    conversation: Optional[str]
    """For which conversation it was served."""
    confirmed: float
    """Seconds since 1970."""
    asked: float
    """By the monotonic clock of this process: what was asked for later is newer. 0 from a file."""


def private(folder: Path) -> Path:
    """The folder, made for this account alone."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def write(path: Path, value: Any) -> None:
    """Writes JSON whole or not at all, readable by this account alone."""
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            json.dump(value, file)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


class LastGood:
    """Keeps contexts by name, in memory and, where a folder is given, in files. Files hold the texts in the clear."""

    def __init__(self, folder: Optional[Path], lasts: float, now: Callable[[], float], log: Any):
        self._folder, self._lasts, self._now, self._log = folder, lasts, now, log
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        if folder is not None:
            self._folder = private(folder)
            for path in folder.glob("*.json"):
                if now() - path.stat().st_mtime > lasts:
                    path.unlink()

    @staticmethod
    def name(*parts: Any) -> str:
        """A name that says nothing of whom it is about."""
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("ascii")).hexdigest()

    def get(self, name: str) -> Optional[Kept]:
        """What is kept, unless it is older than it may be."""
        with self._lock:
            kept = self._kept.get(name) or self._load(name)
            if kept is None:
                return None
            self._kept[name] = kept
            self._kept.move_to_end(name)
        return kept if self._now() - kept.confirmed <= self._lasts else None

    def put(self, name: str, kept: Kept) -> None:
        """Keeps it, unless something newer is there."""
        with self._lock:
            present = self._kept.get(name)
            if present is not None and present.asked > kept.asked:
                return
            self._kept[name] = kept
            self._kept.move_to_end(name)
            if self._folder is not None:
                try:
                    write(self._folder / f"{name}.json", kept[:3])
                except OSError as error:
                    self._log.warning("a context could not be written into the folder: %s", error.strerror)
            while len(self._kept) > MOST:
                gone, _ = self._kept.popitem(last=False)
                self._unlink(gone)

    def forget(self, name: str) -> None:
        """Keeps it no longer."""
        with self._lock:
            self._kept.pop(name, None)
            self._unlink(name)

    def _load(self, name: str) -> Optional[Kept]:
        if self._folder is None:
            return None
        try:
            answer, conversation, confirmed = json.loads((self._folder / f"{name}.json").read_bytes())
            answer["etag"], answer["block"]
            return Kept(answer, conversation, float(confirmed), 0.0)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def _unlink(self, name: str) -> None:
        if self._folder is not None:
            try:
                (self._folder / f"{name}.json").unlink()
            except OSError:
                pass
