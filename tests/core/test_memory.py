"""What does not fit into memory is refused with the bytes it would take and those that are free."""

from __future__ import annotations

import math

import numpy as np
import pytest

import attnviz
from attnviz.core import edits, mask_edits, memory
from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CustomMask
from attnviz.core.memory import check_fits, free_bytes


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda: 10_000)


def long_document(n: int = 5000) -> Inputs:
    return Inputs("", ("t",) * n, (Head("h", *(np.zeros((n, 2), np.float32) for _ in "qkv")),))


def test_the_system_says_how_much_memory_is_free():
    free = free_bytes()
    assert free is not None
    assert 1 << 20 < free < 1 << 50


def test_a_container_that_allows_less_is_believed(monkeypatch, tmp_path):
    for name, content in (("max", "5000000"), ("current", "2000000"), ("unlimited", "max\n")):
        (tmp_path / name).write_text(content)
    used = tmp_path / "current"
    monkeypatch.setattr(memory, "_LIMITS", ((tmp_path / "max", used), (tmp_path / "unlimited", used)))
    assert free_bytes() == 3_000_000
    monkeypatch.setattr(memory, "_LIMITS", ((tmp_path / "nothing", used), (tmp_path / "unlimited", used)))
    assert free_bytes() > 3_000_000


def test_where_nobody_says_how_much_is_free_nothing_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "nothing")
    assert free_bytes() > 1 << 20  # all that the machine has
    monkeypatch.setattr(memory, "free_bytes", lambda: None)
    check_fits(1 << 60, "q")


def test_a_refusal_says_both_numbers(little_memory):
    check_fits(10_000, "q")
    with pytest.raises(InputError) as refused:
        check_fits(10_001, "q, k, v")
    assert str(refused.value) == (
        "q, k, v would take 10,001 bytes of memory, and 10,000 are free; use fewer tokens or heads."
    )


def test_arrays_at_the_door_are_refused_before_they_are_copied(little_memory):
    wide = np.zeros((30, 40), np.float16)
    with pytest.raises(InputError, match=r"q, k, v would take 14,400 bytes of memory, and 10,000 are free"):
        attnviz.compute(wide, wide, wide)


def test_squares_that_do_not_fit_are_refused_before_they_are_made(little_memory):
    small = np.zeros((30, 2), np.float32)
    with pytest.raises(InputError, match=r"scores, scaled, masked, weights would take 14,640 bytes"):
        attnviz.compute(small, small, small)


def test_tokens_that_do_not_fit_are_refused(little_memory):
    inputs = Inputs("", ("t",), (Head("h", [[0.0] * 4], [[0.0] * 4], [[0.0] * 4]),))
    with pytest.raises(InputError, match=r"q, k, v would take 48,000 bytes of memory, and 10,000 are free"):
        edits.rearrange_tokens(inputs, "", ("t",) * 1000, (0, *[None] * 999))


def test_a_mask_of_its_own_cells_is_refused_where_the_square_would_be_too_large():
    said = "every cell, 5000 × 5000 here; up to 4096 × 4096 can be held"
    inputs = long_document()
    for edit in (
        lambda: mask_edits.toggle_cell(inputs, 0, 0),
        lambda: CustomMask.of(inputs.mask, 5000, 5000),
        lambda: CustomMask(np.ones((5000, 5000), bool)),
    ):
        with pytest.raises(InputError, match=said):
            edit()
    assert CustomMask(np.ones((4096, 4096), bool)).array.shape == (4096, 4096)


def test_arrays_of_a_long_document_are_put_together_of_parts(monkeypatch):
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((n, 4)).astype(np.float32) for n in (50, 70, 70))
    whole = attnviz.compute(q, k, v, alignment="last", mask_fill=-1.0)
    for module in ("core.inputs", "core.request", "engine.arrays"):
        monkeypatch.setattr(f"attnviz.{module}.DENSE_TOKENS", 20)
    parts = attnviz.compute(q, k, v, alignment="last", mask_fill=-1.0)
    for stage in ("scores", "scaled", "masked", "weights", "head_output"):
        assert np.allclose(getattr(parts, stage), getattr(whole, stage), rtol=1e-5, atol=1e-6)
    assert math.isclose(float(parts.weights.sum()), 50, rel_tol=1e-5)
