"""What tests of views share: Stages made from the definition in core, without an engine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from attnviz.core import attention
from attnviz.core.inputs import Head, Inputs
from attnviz.core.request import Request
from attnviz.core.stages import Picture, QueryRow, Stages
from attnviz.gui.theme import DARK, LIGHT, Theme
from tests.published import NEKO_K, NEKO_NAMES, NEKO_Q, NEKO_TOKENS

BLOCK = 128


@pytest.fixture
def neko() -> Inputs:
    """The published example, with a second head."""
    k = np.array(NEKO_K, np.float32)
    head = Head("意味", np.array(NEKO_Q, np.float32), k, k, True, NEKO_NAMES, NEKO_NAMES)
    other = Head("直前", k, k, k + 1, v_names=NEKO_NAMES)
    return Inputs("".join(NEKO_TOKENS), NEKO_TOKENS, (head, other))


@pytest.fixture
def inputs_of() -> Callable[..., Inputs]:
    """Inputs whose scores are exactly the given (n, n) numbers: k is the identity."""

    def make(scores, tokens=None, **more) -> Inputs:
        q = np.array(scores, np.float32)
        names = tuple(tokens) if tokens is not None else tuple(f"t{i}" for i in range(len(q)))
        head = Head("h", q, np.eye(len(q), dtype=np.float32), np.eye(len(q), dtype=np.float32))
        return Inputs("", names, (head,), **more)

    return make


@pytest.fixture
def stages_of() -> Callable[..., Stages]:
    """Stages of a document by the definition; blocks like those of ``previous`` are shared."""

    def make(inputs: Inputs, query: int = 0, head: int = 0, previous: Stages | None = None) -> Stages:
        defined = attention.define(inputs, head)
        n = inputs.n_tokens

        def picture(stage: str) -> Picture:
            array = getattr(defined, stage).astype(np.float32)
            blocks = [array[first : first + BLOCK] for first in range(0, n, BLOCK)]
            if previous is not None:
                old = previous.picture(stage).blocks
                blocks = [a if np.array_equal(a, b) else b for a, b in zip(old, blocks, strict=True)]
            return Picture(tuple(blocks), BLOCK)

        top = defined.masked.max(axis=1)
        finite = np.where(np.isfinite(top), top, 0.0)
        total = np.where(np.isfinite(top), np.exp(defined.masked - finite[:, None]).sum(axis=1), 0.0)
        rows = [
            getattr(defined, stage)[query].astype(np.float32)
            for stage in ("scores", "scaled", "masked", "weights")
        ]
        allowed = inputs.allowed((query, query + 1))[0]
        row = QueryRow(query, *rows, allowed, defined.head_output[query].astype(np.float32))
        outputs = {
            at: attention.define(inputs, at).head_output.astype(np.float32) for at in range(inputs.n_heads)
        }
        return Stages(
            Request.whole(inputs, head, query),
            *(picture(stage) for stage in ("scores", "scaled", "masked", "weights")),
            row,
            top.astype(np.float32),
            total.astype(np.float32),
            outputs,
        )

    return make


@pytest.fixture(params=[LIGHT, DARK], ids=["light", "dark"])
def theme(request) -> Theme:
    """Both looks."""
    return request.param


@pytest.fixture
def drawn() -> Callable[[QWidget], QImage]:
    """A widget drawn in full colours, which a grabbed pixmap has not on every X server."""

    def draw(widget: QWidget) -> QImage:
        image = QImage(widget.size(), QImage.Format.Format_RGB32)
        widget.render(image)
        return image

    return draw
