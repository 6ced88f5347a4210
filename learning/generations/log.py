"""Contents of `state.json` of a run of the generation loop, and reading it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from samuel.common.json_files import as_record, read_record
from samuel.games.origins import Origin

FORMAT = 1
MOST_GENERATIONS = 10_000
SELFPLAY, TRAIN, TEACH, GATING, AGAINST = "play", "train", "teach", "gate", "against"

_AGAIN = "begin another run in another folder"
_Count = Annotated[int, Meta(ge=0, lt=1 << 48)]
_Seconds = Annotated[float, Meta(ge=0, le=1e12)]
_Generation = Annotated[int, Meta(ge=0, le=MOST_GENERATIONS)]
_Share = Annotated[float, Meta(ge=0, le=1)]


class State(TypedDict):
    """A run; its settings and the figures of its steps have types of their own."""

    digests: dict[str, str]
    sources: dict[str, str]
    plugins: list[Origin]
    goal: Annotated[int, Meta(ge=0, le=MOST_GENERATIONS)]
    settings: dict[str, Any]
    log: list[dict[str, Any]]


class _Step(TypedDict):
    generation: _Generation
    step: str
    seconds: _Seconds
    processor_seconds: NotRequired[_Seconds]


class _Play(_Step):
    player: str
    games: _Count
    positions: _Count


class _Train(_Step):
    rows: _Count
    r2: float | None
    log_loss: float | None
    begun: NotRequired[str]


class _Teach(_Step):
    player: str
    games: _Count


class _Match(_Step):
    games: _Count
    score: _Share
    score_low: _Share
    score_high: _Share
    elo: float | None
    elo_low: float | None
    elo_high: float | None


class _Test(TypedDict):
    llr: float
    lower: float
    upper: float
    decision: Literal["H0", "H1", "continue"]


class _Gate(_Match):
    b: str
    wins: _Count
    draws: _Count
    losses: _Count
    opponent: _Generation
    promoted: bool
    sprt: _Test


_OF_A_STEP: dict[str, Any] = {SELFPLAY: _Play, TRAIN: _Train, TEACH: _Teach, GATING: _Gate}


def read_state(path: Path) -> State:
    """Return the state of a run; that its steps are those of its settings is not looked at."""
    what = "the folder of samuel learn"
    found = read_record(path, dict[str, Any], what, _AGAIN, format=FORMAT)
    state = as_record(found, State, str(path), _AGAIN)
    for entry in state["log"]:
        kind = _OF_A_STEP.get(str(entry.get("step")), _Match)
        as_record(entry, kind, f"the log of {path}", _AGAIN)
    return state
