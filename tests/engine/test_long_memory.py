"""What the engine keeps of a long document between calls: for whom, how much, and until when."""

from __future__ import annotations

import math
import threading
from dataclasses import replace

import numpy as np
import pytest

from attnviz.core import edits
from attnviz.core.attention import define
from attnviz.core.masks import NoMask
from attnviz.core.position_masks import SlidingWindowMask
from attnviz.core.request import HEAD_OUTPUTS, OUTPUT, THUMBNAILS, Region, Request
from attnviz.core.row_sources import LostArrayError
from attnviz.core.stages import STAGE_NAMES
from attnviz.engine import head_memory, long_engine
from attnviz.engine.head_memory import MOST_PICTURES
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.engine.watch import Watch
from tests.engine.documents import document
from tests.engine.long_documents import assert_true


@pytest.fixture(autouse=True)
def _everything_is_small(small_limits):
    """Blocks, jobs and limits of a few tokens."""


@pytest.fixture
def engine():
    engine = NumpyEngine(2)
    yield engine
    engine.close()


def ask(inputs, head=0, queries=(0, 60), keys=(0, 60), query=0, extras=(), detail="full"):
    return Request(inputs, query, Region(head, queries, keys, (12, 10)), frozenset(extras), detail)


def shares_all(now, before):
    return all(
        mine is theirs
        for stage in STAGE_NAMES
        for mine, theirs in zip(now.picture(stage).blocks, before.picture(stage).blocks, strict=True)
    )


def known(engine, inputs, head=0):
    return engine._long._memories.of(inputs, head).is_known


def test_a_moved_head_takes_along_what_is_known_of_it(engine):
    inputs = document(60, 4, n_heads=3)
    before = [engine.compute(ask(inputs, head, extras=[HEAD_OUTPUTS])) for head in range(3)]
    moved = edits.move_head(inputs, 0, 2)
    for now, was in ((2, 0), (0, 1), (1, 2)):
        after = engine.compute(ask(moved, now, extras=[HEAD_OUTPUTS]))
        assert shares_all(after, before[was])
        assert after.head_outputs[now] is before[was].head_outputs[was]


def test_an_edit_of_one_head_takes_nothing_from_the_others(engine):
    inputs = document(60, 4, n_heads=2)
    before = [engine.compute(ask(inputs, head, extras=[HEAD_OUTPUTS])) for head in range(2)]
    changed = edits.set_vector_value(inputs, 0, "k", 20, 1, 3.0)
    after = engine.compute(ask(changed, 1, extras=[HEAD_OUTPUTS]))
    assert shares_all(after, before[1])
    assert after.head_outputs[1] is before[1].head_outputs[1]
    assert after.head_outputs[0] is not before[0].head_outputs[0]


@pytest.mark.parametrize(
    ("which", "mask", "lost"),
    [
        ("q", NoMask(), [30]),
        ("k", NoMask(), range(60)),
        ("v", NoMask(), []),
        ("k", SlidingWindowMask(4), range(30, 34)),
    ],
)
def test_a_change_takes_what_it_touched_and_no_more(engine, which, mask, lost):
    inputs = document(60, 4, mask=mask)
    engine.compute(ask(inputs))
    assert known(engine, inputs).all()
    changed = edits.set_vector_value(inputs, 0, which, 30, 1, 3.0)
    now_lost = np.flatnonzero(~known(engine, changed)).tolist()
    assert set(now_lost) <= set(lost)
    assert which == "k" or now_lost == list(lost)


@pytest.mark.parametrize("fill", [-math.inf, -0.5])
def test_sums_follow_a_dragged_key_without_walking_until_rounding_adds_up(engine, fill):
    inputs = document(60, 4, spread=0.3, mask_fill=fill)
    engine.compute(ask(inputs))
    lost = np.zeros((60, 40), bool)
    for step in range(40):
        inputs = edits.set_vector_value(inputs, 0, "k", 30, step % 4, 0.01 * step)
        lost[:, step] = ~known(engine, inputs)
        assert_true(engine.compute(ask(inputs, query=35)))
    assert not lost[:30].any()  # they do not see it
    assert lost[:, 0].sum() < 10
    assert lost[40:].any(axis=1).all()
    assert lost.sum() < 300  # of 1,200


def test_a_key_that_is_the_largest_of_rows_or_becomes_it_leaves_them_true(engine):
    inputs = document(60, 4, mask="none")
    engine.compute(ask(inputs))
    for value in (40.0, -40.0, 0.0, 3.0, 1e4, 0.5):
        inputs = edits.set_vector_value(inputs, 0, "k", 30, 1, value)
        assert_true(engine.compute(ask(inputs, query=35)))


def test_the_longest_key_is_followed_without_looking_at_all_of_them(engine, monkeypatch):
    inputs = document(60, 4, mask="none")
    engine.compute(ask(inputs))

    def bound():
        return engine._long._memories.of(inputs, 0).longest_key

    def lengths():
        return np.linalg.norm(inputs.heads[0].k, axis=1)

    for value in (50.0, 3.0, -80.0, 0.0):  # it becomes the longest, and no longer
        inputs = edits.set_vector_value(inputs, 0, "k", 30, 1, value)
        assert bound() == pytest.approx(lengths().max())
    shorter = int(lengths().argmin())
    monkeypatch.setattr("attnviz.engine.head_memory.by_blocks", lambda *_: pytest.fail("it looked at all"))
    inputs = edits.set_vector_value(inputs, 0, "k", shorter, 1, 0.01)
    assert bound() >= lengths().max() * (1 - 1e-6)


def test_keys_that_are_lost_while_an_edit_is_followed_take_nothing_that_is_wrong_later(engine, monkeypatch):
    inputs = document(60, 4, mask="none")
    engine.compute(ask(inputs))
    changed = edits.set_vector_value(inputs, 0, "k", 30, 1, 3.0)

    def lost(*_):
        raise LostArrayError("It is not there.")

    with monkeypatch.context() as patched:
        patched.setattr("attnviz.engine.head_memory.patch", lost)
        with pytest.raises(LostArrayError):
            engine.compute(ask(changed))
    assert_true(engine.compute(ask(changed)))


def test_scale_and_mask_take_all(engine):
    inputs = document(60, 4)
    for change in (
        lambda i: edits.set_scale_strength(i, 2.0),
        lambda i: edits.set_mask(i, NoMask()),
        lambda i: edits.set_mask_fill(i, -1.0),
        lambda i: edits.rearrange_tokens(i, "", ["t"] * 59, range(1, 60)),  # the first token is gone
    ):
        engine.compute(ask(inputs))
        assert not known(engine, change(inputs)).any()


def test_pictures_of_few_regions_are_kept_and_the_oldest_go(engine):
    inputs = document(60, 4, n_heads=2)
    regions = [(0, (0, 60)), (1, (0, 60)), (0, (0, 40)), (1, (10, 60)), (0, (30, 60))]
    answers = [engine.compute(ask(inputs, head, queries)) for head, queries in regions]
    kept = [place for memory in engine._long._memories._memories.values() for place in memory.pictures]
    assert len(kept) <= MOST_PICTURES
    head, queries = regions[-1]
    assert shares_all(engine.compute(ask(inputs, head, queries)), answers[-1])


def test_pictures_too_large_for_a_screen_are_kept_only_until_they_are_true(engine, monkeypatch):
    inputs = document(60, 4)
    small, large = ask(inputs, queries=(0, 20)), ask(inputs)
    monkeypatch.setattr(head_memory, "MOST_CELLS", 80)
    monkeypatch.setattr(long_engine, "AT_ONCE", 0)
    monkeypatch.setattr(long_engine, "COARSE", 10**9)
    calls = []
    assert engine.compute(large, None, lambda done, partial: calls.append(done) or len(calls) < 8) is None
    kept = engine._long._memories.of(inputs, 0).pictures
    assert [each.shape for each in kept.values()] == [(12, 10)]  # it goes on where it was
    assert_true(engine.compute(large))
    assert not kept
    small = replace(small, region=replace(small.region, max_cells=(5, 10)))
    before = engine.compute(small)
    assert len(kept) == 1
    assert shares_all(engine.compute(small, before), before)
    for _ in range(MOST_PICTURES):
        assert_true(engine.compute(large))
    assert len(kept) == 1


def test_pictures_of_few_heads_are_kept_where_all_show_one_region(engine):
    inputs = document(60, 4, n_heads=3 * MOST_PICTURES)
    answers = [engine.compute(ask(inputs, head)) for head in range(inputs.n_heads)]
    kept = [place for memory in engine._long._memories._memories.values() for place in memory.pictures]
    assert len(kept) == MOST_PICTURES
    for head in range(inputs.n_heads)[-MOST_PICTURES:]:
        assert shares_all(engine.compute(ask(inputs, head)), answers[head])


def test_a_copy_of_a_head_has_values_and_pictures_of_its_own(engine):
    inputs = edits.copy_head(document(200, 4, n_heads=2), 0, "copy")
    inputs = edits.set_vector_value(inputs, 1, "v", 3, 1, 9.0)
    assert inputs.heads[0].q is inputs.heads[1].q
    stages = engine.compute(ask(inputs, 0, (0, 200), (0, 200), extras=[OUTPUT, THUMBNAILS]))
    assert sorted(stages.head_outputs) == sorted(stages.thumbnails) == [0, 1, 2]
    assert_true(stages)
    for head in range(3):
        weights = define(inputs, head).weights
        pooled = np.maximum.reduceat(np.maximum.reduceat(weights, range(0, 200, 3)), range(0, 200, 3), axis=1)
        assert np.allclose(stages.thumbnails[head].picture, pooled, atol=1e-5)


def test_a_copy_knows_the_rows_of_its_head_and_takes_nothing_from_the_others(engine):
    inputs = document(60, 4, n_heads=2)
    before = [engine.compute(ask(inputs, head)) for head in range(2)]
    copied = edits.copy_head(inputs, 0, "copy")
    assert known(engine, copied, 1).all()
    assert shares_all(engine.compute(ask(copied, 2)), before[1])
    assert shares_all(engine.compute(ask(copied, 0)), before[0])


def test_thumbnails_come_however_often_they_were_stopped_before(engine):
    inputs = document(200, 4, n_heads=2)
    request = ask(inputs, 0, (0, 200), (0, 200), extras=[THUMBNAILS])
    for stop in range(1, 60, 2):
        asked = iter(range(stop))
        engine.compute(request, None, lambda *_, left=asked: next(left, None) is not None)
    stages = engine.compute(request)
    assert sorted(stages.thumbnails) == [0, 1]


def test_a_pan_over_known_rows_walks_none_of_them_again(engine, monkeypatch):
    inputs = document(60, 4)
    engine.compute(ask(inputs))
    monkeypatch.setattr("attnviz.engine.key_walk.KeyWalk.walk", lambda *_: pytest.fail("it walked"))
    for queries, keys in (((10, 50), (20, 45)), ((0, 10), (0, 8)), ((3, 59), (0, 60))):
        assert not engine.compute(ask(inputs, 0, queries, keys, query=9)).is_coarse


def test_closing_lets_everything_go(engine):
    engine.compute(ask(document(60, 4)))
    engine.close()
    assert not engine._long._memories._memories


def test_progress_is_asked_in_the_thread_that_computes_alone():
    asked = []
    watch = Watch(lambda *_: asked.append(threading.get_ident()) or len(asked) < 3, 100)
    others = [threading.Thread(target=watch.go_on, args=(10,)) for _ in range(5)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert not asked
    assert watch.go_on(10)
    assert watch.go_on(10)
    assert not watch.go_on(10)
    assert watch.is_stopped
    assert not watch.go_on(10)  # and nobody is asked any more
    assert not watch.finish()
    assert asked == [threading.get_ident()] * 3
