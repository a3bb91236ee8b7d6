"""Whatever edits make of a document, its session brings it back bit for bit."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core import edits
from attnviz.core.selection import Selection
from attnviz.io.session import open_session, save_session
from tests.core.every_edit import EVERY_KIND, edited, layer_of_every_source
from tests.masks.kinds import KINDS, masks_of

SEEDS = st.integers(0, 1 << 20)
NAMES = st.text(max_size=6)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("sessions") / "edited.attnviz"


def assert_comes_back(path, inputs):
    save_session(path, inputs, Selection())
    assert open_session(path).inputs.equals(inputs)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([(4, 5, 3), (70, 40, 24)]), st.lists(SEEDS, max_size=10))
def test_a_document_after_edits_of_every_kind(path, size, seeds):
    """Small arrays stand in the JSON, large ones beside it."""
    inputs = layer_of_every_source(*size)
    for seed in seeds:
        inputs = edited(inputs, Random(seed))
    assert_comes_back(path, inputs)


@pytest.mark.parametrize("change", EVERY_KIND, ids=lambda change: change.__name__)
@settings(max_examples=8, deadline=None)
@given(seed=SEEDS)
def test_a_document_after_each_kind_of_edit(path, change, seed):
    assert_comes_back(path, edited(layer_of_every_source(), Random(seed), change))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15, deadline=None)
@given(st.data())
def test_projections_any_mask_and_names_of_ones_own(path, kind, data):
    inputs = layer_of_every_source()
    inputs = edits.set_mask(inputs, data.draw(masks_of(kind, inputs.n_tokens)))
    for head in range(inputs.n_heads):
        inputs = edits.rename_head(inputs, head, data.draw(NAMES))
        for which, dims in (("q", inputs.heads[head].d_k), ("v", inputs.heads[head].d_v)):
            for dim in range(dims):
                inputs = edits.rename_dimension(inputs, head, which, dim, data.draw(NAMES))
    assert_comes_back(path, inputs)
