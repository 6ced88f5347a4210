"""Games on the board: what a position looks like, an evaluator's replies, and reasons.

Parts of a score in words: `mobility 5 against 4`, for the side asked about and its opponent.
"""

from __future__ import annotations

import random
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from samuel.common.errors import UserError
from samuel.games import Game, Position
from samuel.games.board import EMPTY
from samuel.games.drawing import paths_of, scene_of, side_names
from samuel.games.rules import PASS
from samuel.models.contributions.contributions import contributions
from samuel.models.contributions.parts import Contributions, Part
from samuel.play.engine import EnginePlayer
from samuel.play.session import Session
from samuel.play.web import requests
from samuel.play.web.library import Library
from samuel.search import Result
from samuel.search.methods import METHODS

_PLAIN = {
    "intercept": "constant of the model",
    "network": "network over all patterns or pieces together",
}
_TABLE, _SEEN = "table of ", " seen by the opponent"
_WHOSE = ("player", "opponent")


class Reason(NamedTuple):
    """A part of a score."""

    about: str
    value: str
    adds: float
    squares: tuple[str, ...] = ()


def reasons_of(found: Contributions, game: Game) -> list[Reason]:
    """Return the parts of a score in words, the largest first."""
    groups: dict[str, list[tuple[Part, dict[str, str]]]] = {}
    for part in found.parts:
        about, values = _read(part, game, found.side)
        groups.setdefault(about, []).append((part, values))
    reasons = [_together(about, parts) for about, parts in groups.items()]
    if found.rest:
        reasons.append(Reason("rest, due to several together", "", found.rest))
    return sorted(reasons, key=lambda reason: -abs(reason.adds))


def _together(about: str, parts: list[tuple[Part, dict[str, str]]]) -> Reason:
    values: dict[str, str] = {}
    for _, one in parts:
        values |= one
    if values.keys() == set(_WHOSE):
        value = f"{values['player']} against {values['opponent']}"
    else:
        value = ", ".join(values.values())
    squares = dict.fromkeys(square for part, _ in parts for square in part.squares)
    return Reason(about, value, sum(part.value for part, _ in parts), tuple(squares))


def _read(part: Part, game: Game, side: int) -> tuple[str, dict[str, str]]:
    """Return what a part is about, and its values by whose they are."""
    name, _, value = part.name.partition(" = ")
    if name in _PLAIN:
        return _PLAIN[name], {}
    if name in game.squares:
        return f"piece on {name}", {"": value}
    if name.startswith("squares_") and part.squares and value in ("-1", "0", "1"):
        owner = side if (value == "1") != name.endswith(_SEEN) else 1 - side
        stands = "empty" if value == "0" else side_names(game)[owner]
        return f"square {part.squares[0]}", {"": stands}
    if ": " in name:
        return f"pattern {name.partition(': ')[2]}", {"": _drawn(value, game)}
    if not name.startswith(_TABLE):
        about, whose = _split(name, game, side)
        return about, {whose: value.replace("-", "\N{MINUS SIGN}")}
    pairs = zip(name.removeprefix(_TABLE).split(", "), value.split(", "), strict=True)
    split = [(*_split(column, game, side), one) for column, one in pairs]
    abouts = list(dict.fromkeys(about for about, _, _ in split))
    if len(abouts) == 1:
        return abouts[0], {whose: one for _, whose, one in split}
    return " with ".join(abouts), dict(_values(split))


def _values(split: list[tuple[str, str, str]]) -> Iterator[tuple[str, str]]:
    for about, whose, value in split:
        yield f"{about} {whose}", f"{about} {value}" + (f" ({whose})" if whose else "")


def _split(column: str, game: Game, side: int) -> tuple[str, str]:
    """Return what a column counts, and whose it is; empty where it is neither's."""
    seen = f" (as {side_names(game)[1 - side]} sees it)" if column.endswith(_SEEN) else ""
    words = column.removesuffix(_SEEN).split("_")
    whose = [word for word in words if word in _WHOSE]
    if len(whose) == 1:
        words.remove(whose[0])
    return " ".join(words) + seen, whose[0] if len(whose) == 1 else ""


def _drawn(signs: str, game: Game) -> str:
    """Return what stands on the squares of a pattern, by the first letters of the sides' names."""
    board = game.board
    if board is not None and len(board.pieces) == 1 and len(board.pieces[0]) > 1:
        letters = "".join(name[0] for name in side_names(game))
        signs = signs.translate(str.maketrans(board.pieces[0], letters))
    return signs.replace(EMPTY, "·")


_MOST_PLAYERS = 8
"""Players kept with what they know of their games; the least used goes first."""
_SECONDS = 20.0
"""The most a reply may take, at whatever level."""


class AppState:
    """Answers to a page's requests about games, and the players that it has kept."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._dice = random.SystemRandom()
        self._lock = threading.Lock()
        self._players: OrderedDict[tuple[str, ...], tuple[threading.Lock, EnginePlayer]] = (
            OrderedDict()
        )

    def session(self, game: requests.Game) -> Session:
        """Return the session of a requested game."""
        rules = self.library.game_of(game.game)
        start = Position.parse(game.start, rules) if game.start else Position.start(rules)
        return Session(start, game.moves)

    def to_move(self, game: requests.Game) -> Position:
        """Return the position that a game has reached."""
        position = self.session(game).position
        if position.is_terminal:
            raise UserError("the game is over")
        if position.is_chance:
            raise UserError("roll the dice first")
        return position

    def view(self, game: requests.View) -> dict[str, Any]:
        """Return what a board shows of a game."""
        session = self.session(game)
        names = [*session.names, *session.position.names_of(game.ahead)]
        return _view(session) | {"moves_named": names} | self.library.of_game(session.game)

    def pasted(self, pasted: requests.Pasted) -> dict[str, Any]:
        """Return the game that a text means: a position's, or else a transcript's."""
        rules, text = self.library.game_of(pasted.game), pasted.text.strip()
        try:
            session = Session(Position.parse(text, rules))
        except UserError as no_position:
            try:
                session = Session.along(Position.start(rules), text)
            except UserError as no_transcript:
                raise UserError(
                    f"this is neither a position ({no_position}) nor a transcript ({no_transcript})"
                ) from None
            if len(session.moves) > requests.MOST_MOVES:
                most = requests.MOST_MOVES
                raise UserError(f"the board shows at most {most:,} moves of a game") from None
        if session.positions[0] == Position.start(rules):
            return {"start": "", "moves": session.moves}
        return {"start": session.positions[0].text, "moves": session.moves}

    def thrown(self, game: requests.Game) -> dict[str, Any]:
        """Return a random throw of the dice."""
        session = self.session(game)
        if not session.position.is_chance:
            raise UserError("there are no dice to roll in this position")
        return {"move": session.throw(self._dice)}

    def reply(self, wanted: requests.Reply) -> dict[str, Any]:
        """Return an evaluator's move."""
        position = self.to_move(wanted)
        with self._player(wanted) as player:
            result = player.think(position, _SECONDS)
        return figures_of(result, "nodes", "seconds")

    def hint(self, wanted: requests.Reply) -> dict[str, Any]:
        """Return the best move and all moves' scores, at least as deep as the level searches."""
        position = self.to_move(wanted)
        with self._player(wanted) as player:
            result = player.advise(position, _SECONDS)
        found = {"evaluator": wanted.evaluator, "moves": result.moves or {}}
        return found | figures_of(result, "exact", "moves_depth")

    def why(self, wanted: requests.Why) -> dict[str, Any]:
        """Return the parts of a score, or the differences between two moves."""
        position = self.to_move(wanted)
        evaluator = self.library.evaluator(wanted.evaluator, position.game)
        moves = [wanted.first, wanted.second] if wanted.second else [wanted.first]
        places = [position.play(move) if move else position for move in moves]
        found = [contributions(evaluator, place, side=position.side) for place in places]
        told = [reasons_of(one, position.game) for one in found]
        return {
            "score": found[0].score,
            "other": found[-1].score if wanted.second else None,
            "side": position.side,
            "method": found[0].method,
            "parts": [one._asdict() for one in told[0]] if not wanted.second else _apart(*told),
            "squares": {} if wanted.second else found[0].by_square(),
        }

    @contextmanager
    def _player(self, wanted: requests.Reply) -> Iterator[EnginePlayer]:
        """Yield the player of a name, level and method, locked for this request."""
        game = self.library.game_of(wanted.game)
        if wanted.method not in METHODS:
            raise UserError(f"there is no method {wanted.method!r:.80}")
        key = (game.name, wanted.evaluator, str(wanted.level), wanted.method)
        with self._lock:
            if key not in self._players:
                evaluator = self.library.evaluator(wanted.evaluator, game)
                player = EnginePlayer(evaluator, game, level=wanted.level, method=wanted.method)
                self._players[key] = threading.Lock(), player
                if len(self._players) > _MOST_PLAYERS:
                    self._players.popitem(last=False)
            self._players.move_to_end(key)
            alone, player = self._players[key]
        with alone:
            yield player


def figures_of(result: Result, *more: str) -> dict[str, Any]:
    """Return the move, score and depth of a result, and further fields."""
    return {name: getattr(result, name) for name in ("move", "score", "depth", *more)}


def _view(session: Session) -> dict[str, Any]:
    position = session.position
    scene = scene_of(position)
    playable = [] if position.is_terminal else position.game.playable_in(position.row).tolist()
    write = position.game.notation.write_move
    return {
        "text": position.text,
        "board": str(position),
        "scene": None if scene is None else scene.as_dict(),
        "side": position.side,
        "over": position.is_terminal,
        "result": _result(position),
        "chance": position.is_chance,
        "passes": playable == [PASS],
        "legal": []
        if position.is_chance
        else [
            {
                "move": write(move),
                "name": position.names_of([write(move)])[0],
                "paths": paths_of(position, move),
            }
            for move in playable
        ],
        "moves": session.moves,
        "sides": [one.side for one in session.positions],
        "changed": _changed(session),
        "transcript": session.transcript,
    }


def _result(position: Position) -> float | None:
    """Return the first player's result of a finished game."""
    if not position.is_terminal:
        return None
    result = position.utility()
    return result if position.side == 0 else -result


def _changed(session: Session) -> list[str]:
    """Return the places that the last move went over."""
    if not session.numbers or session.positions[-2].is_chance:
        return []
    paths = paths_of(session.positions[-2], session.numbers[-1])
    if len(paths) > 1 and all(len(path) == 1 for path in paths):  # a whole column was meant
        before, now = (scene_of(one) for one in session.positions[-2:])
        if before is None or now is None:
            return []
        return sorted({p.place for p in now.pieces} - {p.place for p in before.pieces})
    return paths[0] if paths else []


def _apart(one: list[Reason], other: list[Reason]) -> list[dict[str, Any]]:
    """Return the reasons for two scores side by side, the largest difference first."""
    here, there = ({reason.about: reason for reason in told} for told in (one, other))
    pairs = [(here.get(about), there.get(about)) for about in here | there]
    rows = [
        {
            "about": next(reason.about for reason in pair if reason),
            "values": [reason.value if reason else "" for reason in pair],
            "adds": [reason.adds if reason else 0.0 for reason in pair],
        }
        for pair in pairs
    ]
    return sorted(rows, key=lambda row: -abs(row["adds"][0] - row["adds"][1]))
