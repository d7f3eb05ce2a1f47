"""The client of Keepsake for agent runtimes. The shapes of the API are in `keepsake_client.types`."""

from .aio import AsyncKeepsake
from .client import Keepsake, Told, User
from .problem import KeepsakeError, NoAnswer, Problem
from .transport import Pace

__all__ = ["AsyncKeepsake", "Keepsake", "KeepsakeError", "NoAnswer", "Pace", "Problem", "Told", "User"]
