"""Games of OpenSpiel (pip install open_spiel) as games of samuel, for search and matches.

    samuel match zero random --plugin examples/openspiel_game.py --game openspiel_breakthrough

The rules call back into Python, which takes some microseconds per call. Word 0 of a position has
the plies left; the others have the actions played, 16 bits each: equal boards after different
moves are different positions. Moves are OpenSpiel's numbers.
"""

import ctypes
import math
from itertools import takewhile

import numpy as np
from llvmlite import binding
from numba import float64, int64, types, uint64

from samuel import Game, UserError, jit, register_game
from samuel.games import OTHER, SAME, Notation, Scores, Turns
from samuel.play.openspiel import pyspiel  # says what to install where it is missing

NAMES = ("tic_tac_toe", "connect_four", "breakthrough", "hex", "clobber", "mancala", "othello")
LONGEST, MOST_ACTIONS, MOST_KNOWN = 1000, 0xFFFE, 1 << 16
MOVES, PLAY, IS_TERMINAL, UTILITY = range(4)
C_RULES = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_int64, ctypes.c_uint64] * 2)
RULES = float64(int64, uint64, int64, uint64)
KIND = pyspiel.GameType


class RuleError(UserError):
    """The last exception that a rule raised, in one sentence."""

    raised = None

    def __init__(self):
        super().__init__(f"a rule of OpenSpiel raised {type(self.raised).__name__}: {self.raised}")


class States:
    """The states of a game by their words; some are kept, others are played from the start."""

    def __init__(self, text):
        self.game, self.known = pyspiel.load_game(text), {}
        kind, self.plies = self.game.get_type(), self.game.max_game_length()
        if (kind.utility, kind.chance_mode, kind.information, kind.dynamics) != (
            *(KIND.Utility.ZERO_SUM, KIND.ChanceMode.DETERMINISTIC),
            *(KIND.Information.PERFECT_INFORMATION, KIND.Dynamics.SEQUENTIAL),
        ) or self.game.num_players() != 2:
            raise UserError(f"{text} must be a zero-sum game of two, without chance and secrets")
        if self.plies > LONGEST or self.game.num_distinct_actions() > MOST_ACTIONS:
            raise UserError(f"a game of {text} may be too long, or has too many actions")
        self.start = np.zeros(1 + -(-self.plies // 4), np.uint64)
        self.start[0] = self.plies
        self.callback = C_RULES(self.answered)  # kept alive for the compiled rules

    def at(self, words):
        """Return the state and the side to move of a position, given as bytes."""
        if words not in self.known:
            found = self.game.new_initial_state(), 0
            for action in actions_in(words):
                found = self.after(found[0], action)
            self.keep(words, found)
        return self.known[words]

    def after(self, state, action):
        """Return the state and the side to move after an action."""
        if action not in state.legal_actions():
            raise UserError(f"the action {action} is not legal here")
        child = state.child(action)
        mover = state.current_player()
        return child, 1 - mover if child.is_terminal() else child.current_player()

    def keep(self, words, found):
        if len(self.known) >= MOST_KNOWN:
            self.known.clear()
        self.known[words] = found

    def play(self, words, action):
        """Return the words after an action."""
        found, row = self.after(self.at(words)[0], action), np.frombuffer(words, np.uint64).copy()
        row[1:].view(np.uint16)[self.plies - int(row[0])] = action + 1
        row[0] -= np.uint64(1)
        self.keep(row.tobytes(), found)
        return row.tobytes()

    def answered(self, *given):
        """Return the answer, or NaN after an exception, which the compiled rules raise."""
        try:
            return self.answer(*given)
        except BaseException as error:  # none passes through C
            RuleError.raised = error
            return math.nan

    def answer(self, what, position, action, out):
        """Answer a compiled rule."""
        words = ctypes.string_at(position, self.start.nbytes)
        state, side = self.at(words)
        if what == MOVES:
            moves = np.array(state.legal_actions(), np.int32)
            ctypes.memmove(out, moves.ctypes.data, moves.nbytes)
            return len(moves)
        if what == PLAY:
            child = self.play(words, action)
            ctypes.memmove(out, child, len(child))
            return SAME if self.at(child)[1] == side else OTHER
        return state.is_terminal() if what == IS_TERMINAL else state.returns()[side]


def actions_in(words):
    return [int(one) - 1 for one in takewhile(bool, np.frombuffer(words, np.uint16)[4:])]


class Actions(Notation):
    """Positions as the actions played, such as 3,3,2; `-` is the start."""

    players = "xo"

    def __init__(self, states):
        self.states = states

    def read(self, text):
        words = self.states.start.tobytes()
        for move in text.split(",") if text != "-" else ():
            words = self.states.play(words, self.read_move(move))
        return tuple(np.frombuffer(words, np.uint64).tolist()), self.states.at(words)[1]

    def write(self, words, side):
        return ",".join(map(str, actions_in(np.array(words, np.uint64).tobytes()))) or "-"

    def board(self, words, side):
        return str(self.states.at(np.array(words, np.uint64).tobytes())[0])

    def read_move(self, text):
        if not (text.isascii() and text.isdigit() and len(text) < 6):
            raise UserError(f"a move is the number of an action (got {text!r:.40})")
        return int(text)

    def write_move(self, move):
        return str(move)


def compiled(symbol, address):
    """Return the rules that call a C function."""
    binding.add_symbol(symbol, address)
    function = types.ExternalFunction(symbol, RULES)

    @jit
    def call(what, position, action, out):
        answer = function(what, position, action, out)
        if answer != answer:
            raise RuleError
        return answer

    legal_moves = jit(lambda p, moves: int64(call(MOVES, p.ctypes.data, 0, moves.ctypes.data)))
    play = jit(lambda p, move, child: int64(call(PLAY, p.ctypes.data, move, child.ctypes.data)))
    is_terminal = jit(lambda p: call(IS_TERMINAL, p.ctypes.data, 0, 0) != 0.0)
    utility = jit(lambda p: call(UTILITY, p.ctypes.data, 0, 0))
    return legal_moves, play, is_terminal, utility, jit(lambda p: int64(p[0]))


def register(text):
    """Register a game by its text for `pyspiel.load_game`, such as hex(board_size=5)."""
    states = States(text)
    name = "_".join(["openspiel", *"".join(c if c.isalnum() else " " for c in text).split()])
    rules = compiled(f"samuel_{name}", ctypes.cast(states.callback, ctypes.c_void_p).value)
    words, most = tuple(states.start.tolist()), states.game.num_distinct_actions()
    scores, turns = Scores(max_utility=states.game.max_utility()), Turns(alternates=False)
    sizes = {"max_moves": most, "max_plies": states.plies, "scores": scores, "turns": turns}
    return register_game(Game(name, words, *rules, Actions(states), **sizes))


for each in NAMES:
    register(each)
