"""Undo over every kind of edit: the same documents both ways, and no more memory than it may have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core import edits
from attnviz.core.inputs import Inputs
from attnviz.core.steps import Step
from attnviz.gui.document import UNDO_BYTES, Document
from attnviz.io.presets import load_preset
from tests.core.every_edit import EVERY_KIND, edited, layer_of_every_source


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 1 << 20), st.sampled_from(["", "", "drag#1", "drag#2"])), max_size=20)
)
def test_undo_to_the_start_and_redo_to_the_end_give_the_same_documents(qapp, steps):
    document = Document(layer_of_every_source())
    start = document.inputs
    for seed, gesture in steps:
        document.apply(lambda inputs, seed=seed: edited(inputs, Random(seed)), gesture)
    moments = []
    while document.can_undo:
        moments.append(document.inputs)
        document.undo()
    assert document.inputs.equals(start)
    for moment in reversed(moments):
        document.redo()
        assert document.inputs.equals(moment)
    assert not document.can_redo


def arrays_of(part: Any) -> Iterator[np.ndarray]:
    """All arrays that an object of undo holds on to; of a view, what it is a view of."""
    if isinstance(part, np.ndarray):
        while isinstance(part.base, np.ndarray):
            part = part.base
        yield part
    elif isinstance(part, tuple | list):
        for item in part:
            yield from arrays_of(item)
    elif is_dataclass(part):
        for item in fields(part):
            yield from arrays_of(getattr(part, item.name))


def steps_of(document: Document) -> list[Step]:
    stack = document._stack
    return [stack.command(index).step for index in range(stack.count())]


def bytes_kept(document: Document) -> int:
    """Bytes of the arrays that only the steps keep alive."""
    kept = {id(array): array.nbytes for step in steps_of(document) for array in arrays_of(step)}
    for array in arrays_of(document.inputs):
        kept.pop(id(array), None)
    return sum(kept.values())


@pytest.fixture(scope="module")
def andrea() -> Inputs:
    return load_preset("andrea").inputs


def test_undo_memory_stays_under_its_cap_whatever_is_done_to_a_large_layer(qapp, andrea):
    """12 heads × 1,024 tokens × 64: the very size that a step must not keep as a whole."""
    document, random = Document(andrea), Random(4)
    order = list(EVERY_KIND) * 4
    random.shuffle(order)
    most = 0
    for change in order:
        document.apply(lambda inputs, change=change: edited(inputs, random, change))
        kept = bytes_kept(document)
        assert kept <= sum(step.nbytes for step in steps_of(document)) <= UNDO_BYTES
        most = max(most, kept)
    assert most > 1 << 20  # there was something to be kept
    moments = [document.inputs]
    while document.can_undo:
        document.undo()
        moments.append(document.inputs)
    for moment in reversed(moments[:-1]):
        document.redo()
        assert document.inputs.equals(moment)


def test_many_tokens_and_heads_of_a_large_layer_can_be_brought_back(qapp, andrea):
    document = Document(andrea)

    def without_the_first(inputs: Inputs) -> Inputs:
        return edits.rearrange_tokens(inputs, "", inputs.tokens[1:], range(1, inputs.n_tokens))

    for _ in range(20):
        document.apply(without_the_first)
    for _ in range(5):
        document.apply(lambda inputs: edits.remove_head(inputs, 0))
    assert document.undo_steps == 25
    while document.can_undo:
        document.undo()
    assert document.inputs.equals(andrea)
