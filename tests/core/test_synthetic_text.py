"""The long text has what its note says of it."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.core.synthetic_text import D_K, synthetic_text

WORDS = [f"w{index}" for index in range(50)]
PASSAGES = [(200, 3), (100, 2)]


@pytest.fixture(scope="module")
def inputs():
    return synthetic_text(WORDS, "copy", n_tokens=3000, passages=PASSAGES, seed=3)


def weights_of(inputs, query: int) -> np.ndarray:
    head = inputs.heads[0]
    scores = head.k[: query + 1] @ head.q[query] / np.sqrt(np.float32(D_K))
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


def test_it_has_the_size_asked_for_and_is_the_same_every_time(inputs):
    head = inputs.heads[0]
    assert (inputs.n_tokens, head.d_k, head.d_v) == (3000, D_K, D_K)
    again = synthetic_text(WORDS, "copy", n_tokens=3000, passages=PASSAGES, seed=3)
    assert again.equals(inputs)
    assert not synthetic_text(WORDS, "copy", n_tokens=3000, passages=PASSAGES, seed=4).equals(inputs)


def test_passages_come_again_token_by_token(inputs):
    tokens = inputs.tokens
    longest = {}
    for at in range(len(tokens) - 100):
        longest.setdefault(tokens[at : at + 100], []).append(at)
    assert sum(len(places) == 3 for places in longest.values()) >= 101
    assert any(len(places) == 2 for places in longest.values())


def test_a_query_in_a_passage_attends_to_what_came_next_the_time_before(inputs):
    tokens, copies = inputs.tokens, 0
    for query in range(500, 2999, 25):
        weights = weights_of(inputs, query)
        best = int(weights.argmax())
        if (
            weights[best] > 0.3
            and best < query
            and tokens[best - 20 : best] == tokens[query - 19 : query + 1]
        ):
            copies += 1
            assert tokens[best] == tokens[query + 1]
    assert copies >= 8


def test_the_first_token_takes_what_has_nowhere_else_to_go(inputs):
    assert inputs.tokens[0] not in inputs.tokens[1:]
    on_first = [weights_of(inputs, query)[0] for query in range(100, 3000, 50)]
    assert np.median(on_first) > 20 / 1500
