"""`quantised.bin` of bullet's simple networks, by a reader written from the format alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models import evaluate, load_evaluator, save
from samuel.models.bullet_file import bullet_bytes, read_bullet
from samuel.models.export import export_model
from samuel.models.nnue.estimators import regressor_of
from tests.networks import random_network

CHESS = game_named("chess")
UNITS = 32


def content_of(units: int = UNITS, largest: int = 120) -> bytes:
    """Return a file with random numbers."""
    random = np.random.default_rng(1)
    parts = (
        random.integers(-50, 50, 768 * units),
        random.integers(0, 120, units),
        random.integers(-largest, largest, 2 * units, endpoint=True),
        random.integers(-9000, 9000, 1),
    )
    content = b"".join(part.astype("<i2").tobytes() for part in parts)
    return content + (b"bullet" * 11)[: -len(content) % 64]


def by_hand(content: bytes, row: np.ndarray, activation: str) -> float:
    """Return the score of a position in pawns, as bullet's example infers it, unrounded."""
    numbers = np.frombuffer(content, "<i2").astype(int)
    rows = numbers[: 768 * UNITS].reshape(768, UNITS)
    biases, weights = numbers[768 * UNITS :][:UNITS], numbers[769 * UNITS :][: 2 * UNITS]
    mine, theirs = biases.copy(), biases.copy()
    for k, word in enumerate(row[:12].tolist()):
        kind, is_other = divmod(k, 2)
        for square in range(64):
            if word >> square & 1:
                mine += rows[384 * is_other + 64 * kind + square]
                theirs += rows[384 * (1 - is_other) + 64 * kind + (square ^ 56)]
    values = np.clip(np.concatenate([mine, theirs]), 0, 255)
    total = (values**2 @ weights) / 255 if activation == "screlu" else values @ weights
    return float(400 * (total + numbers[771 * UNITS]) / (255 * 64) / 100)


@pytest.mark.parametrize("activation", ["screlu", "crelu"])
def test_a_network_scores_as_in_bullet(activation, tmp_path: Path) -> None:
    content = content_of()
    (tmp_path / "quantised.bin").write_bytes(content)
    model = read_bullet(tmp_path / "quantised.bin", activation)
    rows = random_positions(CHESS, 200, seed=2)
    expected = [by_hand(content, row, activation) for row in rows]
    assert np.std(expected) > 0.5
    assert model.predict(rows) == pytest.approx(expected, abs=1e-4)
    assert bullet_bytes(model.compiled()) == content
    save(tmp_path / "model", model, name="model")
    size = export_model(str(tmp_path / "model"), CHESS, "bullet", tmp_path / "again.bin")
    assert (tmp_path / "again.bin").read_bytes() == content and size == len(content)
    assert (
        evaluate(load_evaluator(tmp_path / "model", CHESS), CHESS, rows) == model.predict(rows)
    ).all()


@pytest.mark.parametrize("units", [16, 256])
def test_the_number_of_units_is_found_by_the_size(units: int, tmp_path: Path) -> None:
    (tmp_path / "quantised.bin").write_bytes(content_of(units))
    assert read_bullet(tmp_path / "quantised.bin").units == units


def test_an_exported_network_scores_nearly_alike() -> None:
    model = random_network(CHESS, UNITS)
    rows = random_positions(CHESS, 200, seed=2)
    scores = evaluate(model.evaluator("x"), CHESS, rows)
    found = [by_hand(bullet_bytes(model), row, "screlu") for row in rows]
    # each weight, in units of score, is off by half a step at most
    assert np.abs(found - scores).max() <= (2 * UNITS + 1) * 0.5 * 4 / 64
    assert np.abs(found - scores).max() < 0.1 * np.std(scores)


@pytest.mark.parametrize("change", [slice(0, -1), slice(0, -64), slice(0, 0), slice(0, 7000)])
def test_a_file_of_another_size_is_refused(change: slice, tmp_path: Path) -> None:
    (tmp_path / "quantised.bin").write_bytes(content_of()[change])
    with pytest.raises(UserError, match=r"so it is not a whole quantised.bin of a network"):
        read_bullet(tmp_path / "quantised.bin")
    (tmp_path / "quantised.bin").write_bytes(content_of() + bytes(64))
    with pytest.raises(UserError, match=r"so it is not a whole quantised.bin of a network"):
        read_bullet(tmp_path / "quantised.bin")


def test_what_is_no_such_network_is_refused(tmp_path: Path) -> None:
    (tmp_path / "quantised.bin").write_bytes(content_of(largest=30000))
    with pytest.raises(UserError, match=r"has a weight of .* beyond the limit of 3.9"):
        read_bullet(tmp_path / "quantised.bin")
    with pytest.raises(UserError, match="no activation called 'relu'"):
        read_bullet(tmp_path / "quantised.bin", "relu")
    network = random_network(CHESS, 16, (8,), buckets=2, king="K", areas=2)
    with pytest.raises(UserError, match="this one has small layers and has 2 buckets and mirrors"):
        bullet_bytes(network)
    with pytest.raises(UserError, match="this one is of othello: use --format c or numpy"):
        bullet_bytes(random_network(game_named("othello")))
    save(tmp_path / "model", regressor_of(network), name="model")
    with pytest.raises(
        UserError, match=r"quantised.bin can only hold a network of chess with hidden"
    ):
        export_model(str(tmp_path / "model"), CHESS, "bullet", tmp_path / "out.bin")
