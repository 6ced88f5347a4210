"""Result of a search as Python returns it."""

from __future__ import annotations

from dataclasses import dataclass

from samuel.common.displayable import Displayable


@dataclass(frozen=True)
class Result(Displayable):
    """Result of a search.

    Attributes
    ----------
    score
        Score for the side to move, in the game's unit.
    move
        Best move as text, or None when the game is over or chance is to move.
    pv
        Principal variation as text, the best move first. Within a limit it may come from an
        unfinished, deeper iteration.
    nodes
        Number of positions visited by all threads, leaves included.
    depth
        Depth of the deepest finished iteration, in plies. For an exact result, the plies left.
    seconds
        Wall time, in seconds.
    exact
        True if the score is the true value.
    moves
        Score of every legal move, the best first, with `all_moves`. Empty when the game is over or
        the search was stopped.
    moves_depth
        Depth of the scores in `moves`. Within a limit it may be less than `depth`, and 0 where the
        positions after the moves are only evaluated.
    margins
        Half-widths of the 95 % intervals of the scores in `moves`, for Monte Carlo.

    Examples
    --------
    >>> import samuel
    >>> position = samuel.Position.start("tic_tac_toe")
    >>> result = samuel.analyse(position, "zero", depth=2, all_moves=True)
    >>> len(result.pv), len(result.moves)
    (2, 9)
    """

    score: float
    move: str | None
    pv: list[str]
    nodes: int
    depth: int
    seconds: float
    exact: bool
    moves: dict[str, float] | None = None
    moves_depth: int | None = None
    margins: dict[str, float] | None = None
