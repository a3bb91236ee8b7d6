"""A small document through a new engine, held against the definition: a GPU or a compiler may be broken."""

from __future__ import annotations

import numpy as np

from attnviz.core.attention import define
from attnviz.core.inputs import Head, Inputs
from attnviz.core.request import Request
from attnviz.core.stages import STAGE_NAMES
from attnviz.engine.base import Engine

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


def _document(n_tokens: int) -> Inputs:
    """Give a document whose numbers are all different and of a magnitude near 1."""
    index = np.arange(n_tokens * 5, dtype=np.float64).reshape(n_tokens, 5)
    q, k, v = (np.sin(index * factor + 1.0) for factor in (1.3, 0.7, 2.1))
    return Inputs("", ("t",) * n_tokens, (Head("", q, k, v[:, :3]),))
