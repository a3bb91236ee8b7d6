"""What long answers are held to: the float64 definition, pooled as design says, by the accuracy rule."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from attnviz.core.attention import define
from attnviz.core.inputs import divisor
from attnviz.core.masks import CausalMask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.core.request import HEAD_OUTPUTS, SUMMARIES, Region, Request
from attnviz.core.stages import STAGE_NAMES, Stages
from tests.engine.documents import EPSILON, mask_of, plain

MASKS = {
    "causal": CausalMask(),
    "causal last": CausalMask(alignment="last"),
    "none": NoMask(),
    "window": SlidingWindowMask(5),
    "window last": SlidingWindowMask(5, alignment="last"),
    "sinks": SinkMask(3, 4),
    "prefix": PrefixMask(9, alignment="last"),
    "padding": PaddingMask((0, 3, 4, 11)),
    "padded future": PaddingMask((0, 7), hides_future=True),
}


def any_mask(kind: str, n_query: int, n_key: int, seed: int = 0):
    """Give a mask by name, of every kind there is."""
    mask = MASKS[kind] if kind in MASKS else mask_of(kind, n_query, seed, n_key)
    if isinstance(mask, PaddingMask):
        return replace(mask, tokens=tuple(token for token in mask.tokens if token < n_key))
    return mask


class Truth:
    """The float64 definition of one head, and how far float32 may be from it."""

    def __init__(self, inputs, head: int) -> None:
        vectors = inputs.heads[head]
        self.inputs, self.head = inputs, head
        self._pooled: dict[tuple, np.ndarray] = {}  # many partial answers are held to the same rows
        self.exact, rough = define(inputs, head), plain(inputs, head)
        self.allowed = inputs.allowed()
        dot = float((np.abs(vectors.q.astype(np.float64)) @ np.abs(vectors.k.astype(np.float64)).T).max())
        by = divisor(vectors.d_k, inputs.scale_strength)
        sizes = {"scores": dot, "scaled": dot / by, "masked": dot / by, "weights": 1.0}
        sizes["head_output"] = float(np.abs(vectors.v).max())
        self.limits = {}
        for stage, size in sizes.items():
            wanted = getattr(self.exact, stage)
            where = self.allowed if stage == "masked" else np.ones(wanted.shape, bool)
            error = np.abs(rough[stage][where] - wanted[where]).max(initial=0)
            self.limits[stage] = 2 * error + 4 * EPSILON * size

    def pooled(self, stage, rows, region):
        """Pool some queries to one row of a picture; two values where both signs are as far from 0."""
        place = stage, rows.start, rows.stop, region
        if place not in self._pooled:
            self._pooled[place] = self._pooled_anew(stage, rows, region)
        return self._pooled[place]

    def _pooled_anew(self, stage, rows, region):
        values = getattr(self.exact, stage)[rows, slice(*region.keys)]
        allowed = self.allowed[rows, slice(*region.keys)]
        starts = np.arange(0, values.shape[1], region.bins[1])
        high = np.maximum.reduceat(np.where(allowed, values, -math.inf).max(axis=0), starts)
        low = np.minimum.reduceat(np.where(allowed, values, math.inf).min(axis=0), starts)
        is_hidden = np.isneginf(high)
        if stage != "weights":
            return np.stack([high, np.where(is_hidden, -math.inf, low)], axis=1)
        if region.pooling == "mean":
            counts = np.add.reduceat(allowed.sum(axis=0), starts)
            high = np.add.reduceat(np.where(allowed, values, 0.0).sum(axis=0), starts) / np.maximum(counts, 1)
        shown = np.where(is_hidden, 0.0, high)
        return np.stack([shown, shown], axis=1)

    def row_fits(self, stage, got, queries, region) -> bool:
        """Say whether a row of a picture is what these queries bring."""
        limit = self.limits[stage]
        if region.bins == (1, 1):
            wanted = getattr(self.exact, stage)[queries, slice(*region.keys)][0]
            hidden = ~self.allowed[queries, slice(*region.keys)][0]
            if stage == "masked" and not (got[hidden] == np.float32(self.inputs.mask_fill)).all():
                return False
            where = ~hidden if stage == "masked" else np.ones_like(hidden)
            return bool((np.abs(got[where] - wanted[where]) <= limit).all())
        both = self.pooled(stage, queries, region)
        is_empty = np.isneginf(both[:, 0])
        if not np.isneginf(got[is_empty]).all():
            return False
        got, both = got[~is_empty], both[~is_empty]
        if stage == "weights":
            return bool((np.abs(got - both[:, 0]) <= limit).all())
        near = (np.abs(got[:, None] - both) <= limit).any(axis=1)
        return bool((near & (np.abs(got) >= np.abs(both).max(axis=1) - limit)).all())


def assert_true(stages: Stages, truth: Truth | None = None) -> None:
    """Hold every part of an answer for a long document to the definition."""
    request = stages.request
    region, inputs = request.region, request.inputs
    truth = truth or Truth(inputs, region.head)
    _assert_row(stages, truth)
    _assert_statistics(stages, truth)
    height = region.bins[0]
    first, last = region.queries
    pictures = {stage: stages.picture(stage) for stage in STAGE_NAMES}
    n_columns = -(-(region.keys[1] - region.keys[0]) // region.bins[1])
    for picture in pictures.values():
        assert picture.shape == (-(-(last - first) // height), n_columns)
        assert not any(block.flags.writeable for block in picture.blocks)
    for row in range(pictures["weights"].shape[0]):
        queries = slice(first + row * height, min(first + (row + 1) * height, last))
        got = {stage: picture.row(row) for stage, picture in pictures.items()}
        if all(truth.row_fits(stage, got[stage], queries, region) for stage in STAGE_NAMES):
            continue
        assert stages.is_coarse, row
        own = range(queries.start, queries.stop)  # the query sampled, or that of a row nearby
        candidates = (slice(query, query + 1) for query in (*own, *range(first, last)))
        assert any(
            all(truth.row_fits(stage, got[stage], one, region) for stage in STAGE_NAMES) for one in candidates
        ), row
    for head, output in stages.head_outputs.items():
        other = truth if head == region.head else Truth(inputs, head)
        assert np.abs(output - other.exact.head_output).max() <= other.limits["head_output"]


def true_answers(engine, inputs, held):
    """Compute pictures, outputs and summaries of three regions; give each answer, held to the truth.

    ``held`` are the same inputs in memory, which the truth is of.
    """
    n_query, n_key, truth = inputs.n_query, inputs.n_key, Truth(held, 0)
    for region in (
        Region(0, (0, n_query), (0, n_key), (7, 6)),
        Region(0, (1, n_query), (n_key // 5, n_key), (100, 100)),
        Region(0, (0, n_query), (0, n_key), (7, 6), "mean"),
    ):
        asked = frozenset([HEAD_OUTPUTS, SUMMARIES])
        stages = engine.compute(Request(inputs, n_query // 2, region, asked))
        assert stages.head_outputs
        assert stages.summaries
        assert_true(stages, truth)
        yield stages, truth


def assert_answers_are_true(engine, request, previous, stop_at):
    """Compute, stopped at so many calls of progress; hold all answers to the truth and give the last."""
    calls = []

    def progress(done, partial):
        calls.append(partial)
        return len(calls) < stop_at

    answer = engine.compute(request, previous, progress)
    truth = Truth(request.inputs, request.region.head)
    for each in (*calls, answer):
        if each is not None:
            assert_true(each, truth)
    return answer


def assert_cells(stages: Stages, truth: Truth, seed: int = 0) -> None:
    """Hold single cells to the definition, in the region and outside it."""
    rng = np.random.default_rng(seed)
    n_query, n_key = truth.allowed.shape
    for query, key in zip(rng.integers(n_query, size=20), rng.integers(n_key, size=20), strict=True):
        cell = stages.cell(int(query), int(key))
        assert cell.is_allowed == truth.allowed[query, key]
        for stage in STAGE_NAMES:
            wanted = getattr(truth.exact, stage)[query, key]
            got = getattr(cell, stage)
            assert got == wanted or abs(got - wanted) <= truth.limits[stage] + 1e-6, stage


def _assert_row(stages, truth):
    row = stages.row
    query = row.query
    assert query == stages.request.query
    assert np.array_equal(row.allowed, truth.allowed[query])
    for stage in STAGE_NAMES:
        wanted, got = getattr(truth.exact, stage)[query], getattr(row, stage)
        where = row.allowed if stage == "masked" else np.ones_like(row.allowed)
        assert (np.abs(got[where] - wanted[where]) <= truth.limits[stage]).all(), stage
    assert (np.abs(row.output - truth.exact.head_output[query]) <= truth.limits["head_output"]).all()


def _assert_statistics(stages, truth):
    first, last = stages.request.region.queries
    top, total = stages.row_max.astype(np.float64), stages.row_sum.astype(np.float64)
    assert top.shape == total.shape == (last - first,)
    known = ~np.isnan(top)
    assert (np.isnan(total) == ~known).all()
    if not stages.is_coarse:
        assert known.all()
    query = stages.request.query
    assert not first <= query < last or known[query - first]
    masked = truth.exact.masked[first:last][known]
    wanted = masked.max(axis=1)
    is_empty = np.isneginf(wanted)
    assert (np.isneginf(top[known]) == is_empty).all()
    assert (total[known][is_empty] == 0).all()
    top, total, wanted = top[known][~is_empty], total[known][~is_empty], wanted[~is_empty]
    fill = np.abs(truth.inputs.mask_fill) if math.isfinite(truth.inputs.mask_fill) else 0.0
    assert (np.abs(top - wanted) <= truth.limits["masked"] + 4 * EPSILON * fill).all()
    assert ((total >= 1 - 1e-5) & (total <= masked.shape[1] * (1 + 1e-5))).all()
    if truth.limits["masked"] < 0.1:  # else rounding alone makes any sum of these
        sums = np.exp(masked[~is_empty] - top[:, None]).sum(axis=1)
        assert np.allclose(total, sums, rtol=1e-5 + 4 * truth.limits["masked"])
