"""Rating pools: tournaments on disk that grow by players, each with the games that it takes.

When a player joins, those pairs are played that say most about its rating, its own and sometimes
others', until its interval is as narrow as was asked for (arena/rating/informative.py). The games
played before it are written down as it joins: so an interrupted call goes the same way again, over
the games that it has played already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from samuel.arena.engines import is_engine
from samuel.arena.event import event_of, warn_of_adjudication
from samuel.arena.journal import journal_of, read_journal
from samuel.arena.pool_folder import (
    POOL,
    discard,
    keep_openings,
    read_pool,
    settings_for,
    take_out,
)
from samuel.arena.pool_run import Newcomer, PoolRun, require_names
from samuel.arena.records import GAMES, text_file, write_games
from samuel.arena.running import StoppingRule, require_engines, write_down
from samuel.arena.standings import (
    GROWING,
    TournamentResult,
    read_tournament,
)
from samuel.common.errors import UserError, unknown
from samuel.common.files import holding
from samuel.games.catalog import known_game


def grow(
    folder: Path,
    who: Sequence[str],
    rule: StoppingRule,
    asked: Mapping[str, Any],
    *,
    name: str | None = None,
    jobs: int = 1,
    progress: Callable[[TournamentResult, int], None] = lambda result, of: None,
    play: Callable[[PoolRun, Sequence[Newcomer]], None] = PoolRun.add,
) -> TournamentResult:
    """Add players to a pool, one after the other, and let each play until it is rated.

    Players that an earlier run left unrated are rated first, by the rule that they were given. A
    player that is there already plays on where more is asked for: a narrower interval, or more
    pairs for the same one.

    Parameters
    ----------
    folder
        Of the pool; made where it is not there.
    who
        Names or folders of evaluators, or engines. An engine of the pool plays only where it is
        among them: no other program is started.
    rule
        When a player is rated well enough.
    asked
        Settings that are asked for (arena.pool_settings.asked_for): a pool that is there has to
        have them.
    name
        What the pool calls the player, if there is one that is not in it; by default its own name.
    play
        Lets the players join and play.

    Raises
    ------
    UserError
        There is no such player, the pool has other settings, a name is taken by another player,
        an engine does not play, or the folder cannot be used. Players that cannot play do not join.
    """
    is_new = not (folder / POOL).exists()
    settings, openings = settings_for(folder, asked)
    game, options = known_game(settings.game), settings.options(jobs)
    entries = {} if is_new else read_pool(folder)[1]
    known = {one.source: one.name for one in entries.values() if is_engine(one.source)}
    known = known if len(who) > 1 else {}
    if not who or (name is not None and len(set(who) - set(known)) != 1):
        raise UserError("--name is for one new player; give one player, or leave --name out")
    players = [settings.player(one, game) for one in who]
    newcomers = [
        Newcomer(source, one, one.digest(game), known.get(source, name), rule)
        for source, one in zip(who, players, strict=True)
    ]
    warn_of_adjudication(options, game)
    if is_new:  # nothing is to be left of a pool that nobody joins
        require_names(folder, (), newcomers)
    require_engines(game, players, options)
    event = event_of(GROWING, game, [], openings, options, settings.exact_from)
    event["allowance"] = settings.text
    with journal_of(folder, game, event) as journal:
        if is_new:
            settings = keep_openings(folder, settings)
        run = PoolRun(folder, settings, openings, options, journal, progress, who)
        try:
            play(run, newcomers)
        except UserError:
            if is_new and not journal.pairs:
                discard(folder)
            raise
        finally:
            found = run.result()
            write_down(journal, event["about"], found.pairs, found.frame, game)
    return found


def rule_for(
    folder: Path, pairs: int | None, error: float | None, usual: StoppingRule
) -> StoppingRule:
    """Return when players are rated: as is asked, as the pool's newest player was, or as usual.

    Raises
    ------
    UserError
        The pool is damaged.
    """
    entries = list(read_pool(folder)[1].values()) if (folder / POOL).exists() else []
    if entries:
        usual = StoppingRule(entries[-1].most_pairs, error=entries[-1].goal)
    return StoppingRule(pairs or usual.pairs, error=usual.error if error is None else error)


def take_from(folder: Path, name: str) -> TournamentResult:
    """Take a player out of a pool, with all its games.

    Raises
    ------
    UserError
        There is no such pool or player, it is the only one, or another run writes to the folder.
    """
    read_pool(folder)  # before anything is made there
    with holding(folder):
        settings, entries = read_pool(folder)
        number = next((key for key, one in entries.items() if one.name == name), None)
        if number is None:
            raise unknown("player", name, (one.name for one in entries.values()), of=str(folder))
        if len(entries) == 1:
            raise UserError(
                f"{name} is the only player of {folder}; to remove it, delete the folder"
            )
        game = known_game(settings.game)
        take_out(folder, settings, entries, number, read_journal(folder)[1])
        left = read_tournament(folder)
        if left.pairs:
            write_games(folder, left.pairs, left.frame(), game)
        else:
            for written in (GAMES, text_file(game)):
                (folder / written).unlink(missing_ok=True)
    return left
