"""samuel: learn evaluation functions of board games.

The names a session starts from, each imported when first used:

    import samuel

    position = samuel.Position.from_transcript("f5d6c3")
    print(samuel.analyse(position, "classic", depth=8))
"""

from __future__ import annotations

import importlib
import os
import signal
import sys

if (
    sys.orig_argv[1:3] == ["-m", "samuel"]
    or [os.path.basename(word) for word in sys.orig_argv[1:2]] == ["samuel"]
) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # no traceback of the imports below; `end_at_once` of samuel.cli.interrupts follows them
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from typing import Any

from samuel.common import displayable, public

if not os.environ.get("NUMBA_NUM_THREADS", "1").strip().lstrip("0").isdecimal():
    # numba would refuse to be imported; threads of its own are of no use here
    del os.environ["NUMBA_NUM_THREADS"]

_HOMES = {
    "samuel.games": [
        *("Board", "Evaluator", "Game", "Position", "game_named", "game_names", "load_plugin"),
        "register_game",
    ],
    "samuel.games.leaves": ["count_leaves"],
    "samuel.kernels.jit": ["jit"],
    "samuel.features": [
        *("Feature", "Features", "Patterns", "Shape", "feature", "feature_names", "pattern_set")
    ],
    "samuel.models.contributions.contributions": ["contributions"],
    "samuel.learning.coefficients": ["tune_coefficients"],
    "samuel.models": [
        *("NNUEClassifier", "NNUERegressor", "OutcomeNetworks", "PatternClassifier"),
        *("PatternNetwork", "PatternRegressor"),
        *("SparseNetwork", "Staged", "TaperedLogistic", "compile_model"),
        *("evaluate", "load_evaluator", "load_model", "register_evaluator", "save"),
    ],
    "samuel.models.export": ["export_model"],
    "samuel.models.bullet_file": ["import_model"],
    "samuel.search": [
        *(
            "AlphaBeta",
            "Limits",
            "Result",
            "SearchOptions",
            "analyse",
            "new_memory",
            "solve",
            "solve_sign",
            "stop",
        )
    ],
    "samuel.search.trees.method": ["UCT", "MonteCarlo"],
    "samuel.search.reference.explanation": ["explain_position", "explain_tree"],
    "samuel.search.reference.sampled": ["explain_sampling"],
    "samuel.selfplay.data.dataset": ["Dataset"],
    "samuel.selfplay.data.combine": ["filter_rows", "merge", "split"],
    "samuel.selfplay.data.summary": ["dedupe", "summarize"],
    "samuel.selfplay.data.export": ["export"],
    "samuel.selfplay.data.importing": ["import_games"],
    "samuel.selfplay.generate": ["generate"],
    "samuel.selfplay.plan": ["SelfplayPlan"],
    "samuel.selfplay.openings.openings": ["Openings"],
    "samuel.selfplay.relabel": ["relabel"],
    "samuel.learning.fitting.options": ["FitOptions"],
    "samuel.learning.selection.selection": ["Selection", "select_features"],
    "samuel.learning.comparison": ["compare"],
    "samuel.reports": ["write_generations", "write_page", "write_weights"],
    "samuel.reports.models": ["describe_models"],
    "samuel.arena.labelling": ["relabel_by_engine"],
    "samuel.arena.bench": ["bench"],
    "samuel.arena.bench_result": ["BenchResult"],
    "samuel.arena.event": ["EventOptions"],
    "samuel.arena.event_games": ["event_games"],
    "samuel.arena.match": ["match"],
    "samuel.arena.openings.choice": ["openings_for"],
    "samuel.arena.results": ["MatchResult"],
    "samuel.arena.sprt_evaluation": ["evaluate_sprt"],
    "samuel.arena.sequential.sprt": ["Sprt"],
    "samuel.arena.standings": ["TournamentResult"],
    "samuel.arena.statistics": ["match_statistics"],
    "samuel.arena.tournament": ["tournament"],
    "samuel.arena.tuning.tune": ["TuneResult", "tune"],
    "samuel.arena.tuning.spsa": ["Gains"],
    "samuel.learning.data_checks": ["check_dataset"],
    "samuel.learning.fitting.training_data": ["TrainingData"],
    "samuel.learning.trained": ["Trained"],
    "samuel.learning.training": ["train", "training_data"],
    "samuel.learning.trying": ["Tried", "try_file"],
    "samuel.learning.generations.loop": ["learn"],
    "samuel.learning.probcut": ["fit_probcut"],
    "samuel.learning.wdl": ["fit_wdl"],
    "samuel.learning.options": ["LearnOptions"],
    "samuel.common.errors": ["UserError"],
}
displayable.RENDERER[:] = ["samuel.reports.html"]
public.RESOLVERS |= {
    "Game": "samuel.models.game_of:game_of_arguments",
    "Evaluator": "samuel.models:find_evaluator",
    "Dataset": "samuel.selfplay.data.dataset:dataset_of",
    "Method": "samuel.search.methods:method_of",
    "Sprt": "samuel.arena.sequential.sprt:sprt_of",
}
_ELSEWHERE = {
    "load_dataset": "samuel.Dataset.open(folder) opens a dataset",
    "load": "samuel.load_model(folder) loads a model, samuel.Dataset.open(folder) a dataset",
    "explain": "samuel.contributions(evaluator, position) divides a score among features; "
    "samuel.explain_tree and samuel.explain_position draw a search",
}
"""Names that people look for, and what to use instead."""
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("samuel-learning")
    if name in _HOME_OF:
        return getattr(importlib.import_module(_HOME_OF[name]), name)
    if name in _ELSEWHERE:
        raise AttributeError(f"samuel has no {name!r}; {_ELSEWHERE[name]}")
    from samuel.common.errors import nearest

    near = "".join(f"; did you mean {one!r}?" for one in nearest(name, __all__))
    raise AttributeError(f"samuel has no {name!r}{near}")


def __dir__() -> list[str]:
    return __all__
