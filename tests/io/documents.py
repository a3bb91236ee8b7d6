"""Documents for the tests of files: strategies, and stages computed of a document."""

import math
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CustomMask
from attnviz.core.position_masks import SinkMask
from attnviz.core.projection_edits import derived_head
from attnviz.core.projections import Projection
from attnviz.core.request import Request
from attnviz.core.selection import Selection
from attnviz.engine.numpy_engine import NumpyEngine
from tests.masks.kinds import masks

NUMBERS = st.floats(-1e6, 1e6, width=32)  # −0.0 and subnormal numbers among them
SINGLES = st.floats(width=32, allow_nan=False)


def vectors(rows, columns):
    return hnp.arrays(np.float32, (rows, columns), elements=NUMBERS)


@st.composite
def heads(draw, n_tokens, dims, n_key=None):
    d_k = draw(dims)
    n_rows = n_tokens if n_key is None else n_key
    k = draw(vectors(n_rows, d_k))
    v_is_k = draw(st.booleans())
    v = k if v_is_k else draw(vectors(n_rows, draw(dims)))
    named = draw(st.booleans())
    return Head(
        name=draw(st.text(max_size=4)),
        q=draw(vectors(n_tokens, d_k)),
        k=k,
        v=v,
        v_is_k=v_is_k,
        qk_names=[draw(st.text(max_size=3)) for _ in range(d_k)] if named else (),
        v_names=[str(dim) + "次元" for dim in range(v.shape[1])] if named else (),
        source=draw(st.sampled_from(["vectors", "positions"])),
        is_default=draw(hnp.arrays(bool, n_tokens)),
        is_default_key=np.zeros(0, bool) if n_key is None else draw(hnp.arrays(bool, n_key)),
    )


@st.composite
def documents(draw, dims=None):
    n_tokens = draw(st.integers(1, 5))
    n_key = draw(st.none() | st.integers(1, 5))  # a third of them are of cross attention, or more
    dims = st.integers(1, 4) if dims is None else dims
    return Inputs(
        text=draw(st.text(max_size=8)),
        tokens=draw(st.lists(st.text(max_size=4), min_size=n_tokens, max_size=n_tokens)),
        heads=[draw(heads(n_tokens, dims, n_key)) for _ in range(draw(st.integers(1, 2)))],
        mask=draw(masks(n_tokens, n_key)),
        key_text=draw(st.text(max_size=8)),
        key_tokens=None
        if n_key is None
        else draw(st.lists(st.text(max_size=4), min_size=n_key, max_size=n_key)),
        mask_fill=draw(st.sampled_from([-math.inf, -1e9, 0.0, 0.1])),
        scale_strength=draw(st.floats(0.01, 100)),
    )


def large_document():
    """A document whose q, k, v and mask are all too large for JSON."""
    random = np.random.default_rng(0)
    arrays = [random.normal(size=(20, 16)).astype(np.float32) for _ in range(3)]
    arrays[0][0, 0] = -0.0
    mask = CustomMask(random.random((20, 20)) < 0.5)
    plain, linked = Head("a", *arrays), Head("b", arrays[0], arrays[1], arrays[1], v_is_k=True)
    return Inputs("text", [f"t{index}" for index in range(20)], [plain, linked], mask, -1e9, 0.3)


def small_document(tokens=("a", "b", "c"), n_heads=1):
    n = len(tokens)
    q = np.arange(2 * n, dtype=np.float32).reshape(n, 2) / 4
    return Inputs(
        "".join(tokens), tokens, [Head(f"h{index}", q, q - index, q + 1) for index in range(n_heads)]
    )


def lone_weight_document():
    """Query 0 sees key 2 and nothing else; the other queries see nothing at all."""
    allowed = np.zeros((3, 3), bool)
    allowed[0, 2] = True
    ones = np.ones((3, 2), np.float32)
    return Inputs("abc", ["a", "b", "c"], [Head("h", ones, ones, ones)], CustomMask(allowed))


def computed(inputs):
    """The stages of every head."""
    engine = NumpyEngine(1)
    try:
        return [engine.compute(Request.whole(inputs, head)) for head in range(inputs.n_heads)]
    finally:
        engine.close()


def selections(inputs):
    return st.builds(
        Selection,
        head=st.integers(0, inputs.n_heads - 1),
        query=st.integers(0, inputs.n_tokens - 1),
        key=st.integers(0, inputs.n_key - 1),
    )


def cross_document(n_query=3, n_key=4, d_model=5, d_model_k=6):
    """Cross attention: a head of vectors, one derived from an x of queries and one of keys, and W_O."""
    random = np.random.default_rng(n_key)

    def table(*shape):
        return random.normal(size=shape).astype(np.float32)

    x, x_keys = table(n_query, d_model), table(n_key, d_model_k)
    plain = Head("plain", table(n_query, 3), table(n_key, 3), table(n_key, 2))
    maps = Projection(table(d_model, 3), table(d_model_k, 3), table(d_model_k, 2), b_k=table(3))
    marks = np.arange(n_key) == 1
    return Inputs(
        "それは猫",
        ["それ", "は", "猫"] if n_query == 3 else [f"q{index}" for index in range(n_query)],
        (replace(plain, is_default_key=marks), derived_head(plain, x, maps, x_keys)),
        SinkMask(1, 2, alignment="last"),
        x=x,
        w_o=table(4, d_model),
        x_keys=x_keys,
        key_text="it is a cat",
        key_tokens=["it", "is", "a", "cat"] if n_key == 4 else [f"k{index}" for index in range(n_key)],
    )
