"""samuel: learn evaluation functions of board games.

The names a session starts from, each imported when first used:

    import samuel

    position = samuel.Position.from_transcript("f5d6c3")
    print(samuel.search(position, samuel.load_evaluator("classic"), depth=8))
"""

from __future__ import annotations

import importlib
import importlib.metadata
from typing import Any

_HOMES = {
    "games": ["Evaluator", "Game", "Position", "game_named", "game_names", "register_game"],
    "jit": ["jit"],
    "features": [
        *("Feature", "Features", "Patterns", "Shape", "feature", "feature_names", "pattern_set"),
    ],
    "models": [
        *("Corrected", "PatternClassifier", "PatternNetwork", "PatternRegressor", "Staged"),
        *("compile_model", "evaluate", "load_evaluator", "load_model", "save"),
    ],
    "search": ["Result", "Switches", "new_memory", "search", "solve", "solve_sign", "stop"],
    "selfplay": [
        *("Dataset", "Plan", "dedupe", "export", "filter_rows", "generate", "import_games"),
        *("merge", "relabel", "split"),
    ],
    "learning": ["Fitting", "PolicyFit", "Selection", "policy_gradient", "select_features"],
    "reports": ["compare", "write_page"],
    "arena": [
        *("Allowance", "LeagueResult", "MatchResult", "Openings", "Sprt", "TournamentResult"),
        *("league", "match", "match_statistics", "openings_for", "tournament"),
    ],
    "train": ["Trained", "train"],
    "learn": ["learn"],
    "learning.generation_settings": ["Settings"],
    "errors": ["UserError"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.metadata.version("samuel")
    if name in _HOME_OF:
        return getattr(importlib.import_module(_HOME_OF[name]), name)
    raise AttributeError(f"samuel has no {name!r}")


def __dir__() -> list[str]:
    return __all__
