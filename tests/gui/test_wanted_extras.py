"""What is asked for beside the stages, and when."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from attnviz.core.inputs import Head, Inputs
from attnviz.core.request import OUTPUT, SUMMARIES, THUMBNAILS, Request
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui import wanted_extras
from attnviz.gui.wanted_extras import LONGEST, WantedExtras


class Parts:
    """Where the views are, as far as it is asked here."""

    def __init__(self):
        self.in_front = "arithmetic"
        self.is_beside = False
        self.marginals = SimpleNamespace(isHidden=lambda: not self.is_beside)

    def is_in_front(self, name):
        return name == self.in_front


@pytest.fixture
def parts():
    return Parts()


@pytest.fixture
def clock():
    return SimpleNamespace(now=0.0)


@pytest.fixture
def extras(parts, clock):
    return WantedExtras(parts, lambda: clock.now)


@pytest.fixture
def inputs():
    rng = np.random.default_rng(0)
    return Inputs("", tuple("abcd"), tuple(Head(f"{h}", *rng.standard_normal((3, 4, 2))) for h in range(3)))


def answer(inputs, wanted, window=16):
    engine = NumpyEngine(1)
    stages = engine.compute(replace(Request.whole(inputs, extras=wanted), window=window))
    engine.close()
    return stages


def test_only_what_is_seen_is_wanted(extras, parts):
    assert extras.wanted() == set()
    parts.is_beside = True
    assert extras.wanted() == {SUMMARIES}
    parts.in_front = "all_heads"
    assert extras.wanted() == {SUMMARIES, THUMBNAILS}
    parts.in_front = "heads_to_output"
    parts.is_beside = False
    assert extras.wanted() == {OUTPUT, THUMBNAILS}


def test_small_documents_bring_everything_with_the_edit(extras, parts, inputs):
    parts.in_front = "all_heads"
    assert extras.with_edit(inputs, None) == {THUMBNAILS}


def test_of_large_ones_only_what_has_changed_little_comes_with_the_edit(extras, parts, inputs, monkeypatch):
    monkeypatch.setattr(wanted_extras, "CHEAP_CELLS", 16)  # one head of four tokens
    parts.in_front, parts.is_beside = "all_heads", True
    assert extras.with_edit(inputs, None) == {SUMMARIES}
    shown = answer(inputs, extras.wanted())
    one = inputs.with_head(1, replace(inputs.heads[1], q=inputs.heads[1].q + 1))
    assert extras.with_edit(one, shown) == {SUMMARIES, THUMBNAILS}
    two = one.with_head(2, replace(inputs.heads[2], q=inputs.heads[2].q + 1))
    assert extras.with_edit(two, shown) == {SUMMARIES}
    assert extras.with_edit(replace(inputs, scale_strength=2.0), shown) == {SUMMARIES}
    assert extras.with_edit(one, replace(shown, thumbnails={})) == {SUMMARIES}
    extras.window = 5
    assert extras.with_edit(one, shown) == {SUMMARIES}


def test_what_lags_behind_too_long_comes_with_the_next_edit(extras, parts, inputs, clock, monkeypatch):
    monkeypatch.setattr(wanted_extras, "CHEAP_CELLS", 0)
    parts.in_front = "all_heads"
    assert extras.with_edit(inputs, None) == set()
    clock.now = LONGEST
    assert extras.with_edit(inputs, None) == set()
    clock.now = 1.5 * LONGEST
    assert extras.with_edit(inputs, None) == {THUMBNAILS}
    extras.took(answer(inputs, frozenset([THUMBNAILS])))
    assert extras.with_edit(inputs, None) == set()
    clock.now = 2 * LONGEST
    extras.took(answer(inputs, frozenset()))  # an answer without them is none
    clock.now = 3 * LONGEST
    assert extras.with_edit(inputs, None) == {THUMBNAILS}


def test_what_an_answer_lacks_is_asked_for(extras, parts, inputs):
    bare = answer(inputs, frozenset())
    assert extras.missing(bare) == set()
    parts.is_beside = True
    assert extras.missing(bare) == {SUMMARIES}
    assert extras.missing(answer(inputs, frozenset([SUMMARIES]))) == set()
    extras.window = 3
    assert extras.missing(answer(inputs, frozenset([SUMMARIES]))) == {SUMMARIES}
    assert extras.missing(answer(inputs, frozenset([SUMMARIES]), window=3)) == set()
    parts.in_front = "heads_to_output"
    both = {SUMMARIES, OUTPUT, THUMBNAILS}
    assert extras.missing(answer(inputs, frozenset([SUMMARIES]), window=3)) == both
    assert extras.missing(answer(inputs, frozenset(both), window=3)) == set()
