"""Work in several threads, to be ended by Ctrl-C at once."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterable
from typing import Any

from joblib import Parallel

from games import budget


def in_threads(calls: Iterable[Any], jobs: int) -> Generator[Any, None, None]:
    """Yield what calls (of `joblib.delayed`) return, in their order; `jobs` go on at a time.

    Closed before its end, or when one fails, it stops every search of this process: the workers
    would go on to the end of theirs.
    """
    results = Parallel(n_jobs=jobs, prefer="threads", return_as="generator")(calls)
    try:
        for result in results:  # noqa: UP028, for `yield from` closes it before the searches stop
            yield result
    except BaseException:
        budget.interrupt_all()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib's, that some tasks were not waited for
            results.close()
        raise
