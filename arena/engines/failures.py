"""What can go wrong with an outside engine, each with a message of one line."""

from __future__ import annotations

from typing import ClassVar


class EngineError(Exception):
    """An outside engine cannot go on with its game.

    Attributes
    ----------
    reason
        what to write down as the reason of a lost game, one of arena.records.ENDINGS.
    """

    reason: ClassVar[str]


class EngineCrash(EngineError):  # noqa: N818  # it is the crash that is reported
    """The engine's process has ended, or was ended before."""

    reason = "crash"


class EngineTimeout(EngineError):  # noqa: N818
    """The engine did not answer in time; its process has been ended.

    Where it was the time that it had for a move, the game is lost by `time`.
    """

    reason = "no answer"


class EngineProtocolError(EngineError):
    """The engine answered what the protocol does not allow."""

    reason = "protocol"


class EngineIllegalMove(EngineProtocolError):  # noqa: N818
    """The engine chose a move that is not legal; its process lives, ready for a new game."""

    reason = "illegal move"


class EngineResigned(EngineError):  # noqa: N818
    """The engine gave the game up; its process lives, ready for a new game."""

    reason = "resigned"
