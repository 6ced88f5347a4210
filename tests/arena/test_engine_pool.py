"""Which engines are lent to whom, and when they end."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from samuel.arena.engine_pool import EnginePool
from samuel.arena.engines.process import EngineCrash
from samuel.common.errors import UserError
from samuel.search.limits import Limits
from tests.arena.engines.helpers import is_running
from tests.arena.fakes import engine, lives

DEPTH, TIME = Limits(2), Limits(None, seconds=5.0)


def test_a_closed_pool_lends_none(tmp_path: Path) -> None:
    name, pool = engine(tmp_path), EnginePool()
    with pool.borrowed(name, DEPTH) as one:
        pass
    with pool.borrowed(name, DEPTH) as other:
        assert other is one
        with pool.borrowed(name, DEPTH) as third:
            assert third is not one
    assert all(is_running(pid) for pid in lives(tmp_path))
    pool.close()
    pool.close()
    with pytest.raises(KeyboardInterrupt), pool.borrowed(name, DEPTH):
        raise AssertionError("lent")
    assert len(lives(tmp_path)) == 2
    assert not any(is_running(pid) for pid in lives(tmp_path))


def test_an_engine_serves_one_allowance(tmp_path: Path) -> None:
    """Of two limits told one after the other, the first would go on."""
    name, pool = engine(tmp_path), EnginePool()
    with pool.borrowed(name, DEPTH) as one:
        pass
    with pool.borrowed(name, TIME) as other:
        assert other is not one
    with pool.borrowed(name, Limits(2)) as third:
        assert third is one
    pool.close()


def test_pools_do_not_end_each_others_engines(tmp_path: Path) -> None:
    name, pool, another = engine(tmp_path), EnginePool(), EnginePool()
    with pool.borrowed(name, DEPTH) as one:
        with another.borrowed(name, DEPTH) as other:
            assert other is not one
        another.close()
        assert one.is_alive and not other.is_alive
    pool.close()


def test_an_engine_is_not_kept_after_a_failure(tmp_path: Path) -> None:
    name, pool = engine(tmp_path), EnginePool()
    with pytest.raises(RuntimeError), pool.borrowed(name, DEPTH) as one:
        raise RuntimeError
    assert not one.is_alive
    with pool.borrowed(name, DEPTH) as other:
        assert other is not one
    pool.close()


def test_a_first_start_that_fails_is_told_and_a_later_one_is_a_crash(tmp_path: Path) -> None:
    name, pool, other = engine(tmp_path), EnginePool(), EnginePool()
    with pool.borrowed(name, DEPTH):
        pass
    (tmp_path / "fine.py").unlink()
    with pickle.loads(pickle.dumps(pool)).for_task() as arrived:
        for one, error in ((arrived, EngineCrash), (other, UserError)):
            with (
                pytest.raises(error, match=r"^the engine does not speak gtp: engine '"),
                one.borrowed(name, DEPTH),
            ):
                pass
    pool.close()


def test_a_restart_that_fails_is_a_crash(tmp_path: Path) -> None:
    pool = EnginePool()
    with pool.borrowed(engine(tmp_path), DEPTH) as one:
        first, one.command = one.command, "no-such-program-anywhere"
        with pytest.raises(
            EngineCrash, match="program 'no-such-program-anywhere' was not found; install"
        ):
            pool.restart(one)
        one.command = first
        pool.restart(one)
        assert one.is_alive
        pool.close()
        with pytest.raises(KeyboardInterrupt):
            pool.restart(one)
    assert not any(is_running(pid) for pid in lives(tmp_path))


def test_a_pool_that_was_sent_ends_with_each_task(tmp_path: Path) -> None:
    """Tasks that are sent together share it."""
    name, pool = engine(tmp_path), EnginePool()
    arrived = pickle.loads(pickle.dumps(pool))
    for number in (1, 2):
        with arrived.for_task() as engines, engines.borrowed(name, DEPTH) as one:
            pass
        assert not one.is_alive and len(lives(tmp_path)) == number
    with pool.for_task() as engines, engines.borrowed(name, DEPTH) as one:
        pass
    assert one.is_alive
    pool.close()
    assert not one.is_alive
