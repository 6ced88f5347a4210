"""Games on the board: what a position looks like, an evaluator's replies, and reasons."""

from __future__ import annotations

import random
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from samuel.common.errors import UserError
from samuel.games import Position
from samuel.games.drawing import paths_of, scene_of
from samuel.games.rules import PASS
from samuel.models.contributions.contributions import contributions
from samuel.play.engine import EnginePlayer
from samuel.play.session import Session
from samuel.play.web import requests
from samuel.play.web.library import Library
from samuel.play.web.reasons import Reason, reasons_of
from samuel.search import Result
from samuel.search.methods import METHODS

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
