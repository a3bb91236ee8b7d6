"""A small document through a new engine, held against the definition: a GPU or a compiler may be broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from attnviz.core.attention import define
from attnviz.core.inputs import Head, Inputs
from attnviz.core.request import Region, Request
from attnviz.core.stages import STAGE_NAMES
from attnviz.engine.base import Engine
from attnviz.engine.blocks import Problem
from attnviz.engine.part_walks import PooledRegion, Wish

if TYPE_CHECKING:
    from attnviz.engine.device_walks import DeviceWalks

_TOKENS = (3, 70)  # the plain kernels, and those for many tokens
_TOLERANCE = 1e-4  # far above rounding, far below what a wrong index would do


def find_wrong_numbers(engine: Engine) -> str | None:
    """Give the first stage whose numbers are wrong, None where all are right."""
    for n_tokens in _TOKENS:
        inputs = _document(n_tokens)
        stages, wanted = engine.compute(Request.whole(inputs)), define(inputs, 0)
        assert stages is not None  # nobody cancels
        answers = {stage: stages.picture(stage).array() for stage in STAGE_NAMES}
        answers["head_output"] = stages.head_outputs[0]
        for stage, answer in answers.items():
            if not np.allclose(answer, getattr(wanted, stage), rtol=_TOLERANCE, atol=_TOLERANCE):
                return stage
    return None


def find_wrong_walk(walks: DeviceWalks) -> str | None:
    """Give what of the walks of long documents is wrong, None where all is right."""
    inputs = _document(_TOKENS[1])
    n_tokens, problem, wanted = _TOKENS[1], Problem.of(inputs, 0), define(inputs, 0)
    rows, region = np.arange(n_tokens), Region(0, (0, n_tokens), (0, n_tokens), (14, 10))
    starts = np.arange(0, n_tokens, region.bins[0])
    wish = Wish(problem, rows, (PooledRegion(region, rows, starts),), mixes=True, sums=True)
    found = walks.walked(wish, lambda share: True)
    assert found is not None  # nobody cancels
    statistics = found.top, found.total
    scores, weights = walks.cells(problem, rows, statistics, region.keys)
    masked = np.where(inputs.allowed(), wanted.scaled, -np.inf)
    pooled = wanted.weights.reshape(len(starts), -1, n_tokens // region.bins[1], region.bins[1])
    logarithms = np.log2(np.where(wanted.weights > 0, wanted.weights, 1.0))
    pairs = {
        "row_max": (found.top, masked.max(axis=1)),
        "row_sum": (found.total, np.exp(masked - masked.max(axis=1)[:, None]).sum(axis=1)),
        "entropy": (found.bits, -(wanted.weights * logarithms).sum(axis=1)),
        "scores": (scores, wanted.scores),
        "weights": (weights, wanted.weights),
        "pooled": (found.pooled[0].shares(), pooled.max(axis=(1, 3))),
        "head_output": (found.mixed, wanted.head_output),
    }
    for what, (got, right) in pairs.items():
        assert got is not None
        if not np.allclose(got, right, rtol=_TOLERANCE, atol=_TOLERANCE):
            return what
    return None


def _document(n_tokens: int) -> Inputs:
    """Give a document whose numbers are all different and of a magnitude near 1."""
    index = np.arange(n_tokens * 5, dtype=np.float64).reshape(n_tokens, 5)
    q, k, v = (np.sin(index * factor + 1.0) for factor in (1.3, 0.7, 2.1))
    return Inputs("", ("t",) * n_tokens, (Head("", q, k, v[:, :3]),))
