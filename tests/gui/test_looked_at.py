"""What is looked at of a long document stays there as far as the document does."""

from __future__ import annotations

import numpy as np

from attnviz.core.inputs import Head, Inputs
from attnviz.gui.looked_at import LookedAt


def document(n_query: int, n_key: int) -> Inputs:
    q, k = np.zeros((n_query, 1), np.float32), np.zeros((n_key, 1), np.float32)
    return Inputs("", ("q",) * n_query, (Head("", q, k, k),), key_tokens=("k",) * n_key)


PART = LookedAt(5000, 6000, (4000, 5000), (100, 300), (200, 150))


def test_a_document_of_the_same_size_is_looked_at_where_the_one_before_was():
    assert PART.fitted(document(5000, 6000)) is PART
    region = PART.region(0, "mean")
    assert (region.queries, region.keys, region.max_cells, region.pooling) == (
        (4000, 5000),
        (100, 300),
        (200, 150),
        "mean",
    )


def test_a_token_more_or_less_moves_the_end_alone():
    assert PART.fitted(document(5001, 6000)).queries == (4000, 5001)
    assert PART.fitted(document(4999, 6000)).queries == (4000, 4999)
    assert PART.fitted(document(4999, 6000)).keys == (100, 300)


def test_a_document_of_another_size_is_looked_at_whole_in_as_many_cells():
    assert PART.fitted(document(3000, 6000)) == LookedAt(3000, 6000, (0, 3000), (0, 6000), (200, 150))


def test_a_part_that_ends_before_it_begins_is_never_asked_for():
    last = LookedAt(5000, 5000, (4999, 5000), (0, 5000), (1, 100))
    fitted = last.fitted(document(4999, 4999))
    assert fitted.queries == (4998, 4999)
