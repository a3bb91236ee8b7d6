"""The door of a document: what is taken, what is refused, and that nothing can be changed behind its back."""

from __future__ import annotations

import math
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from attnviz.core.arrays import checked_vectors
from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.request import Region, Request
from attnviz.core.selection import Selection


def head(n: int = 3, d_k: int = 2, d_v: int = 2, **changes: object) -> Head:
    return Head("h", np.ones((n, d_k)), np.ones((n, d_k)), np.ones((n, d_v)), **changes)  # type: ignore[arg-type]


def inputs(n: int = 3, **changes: object) -> Inputs:
    return Inputs("abc", tuple("abcdefghij"[:n]), (head(n),), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([[1, 2], [3]], "ragged"),
        ([], "two axes"),
        (np.zeros((0, 3)), "empty"),
        (np.zeros((3, 0)), "empty"),
        (np.zeros((2, 2, 2)), "two axes"),
        (1.0, "two axes"),
        ("text", "not numbers"),
        ([["a"]], "not numbers"),
        ([[1j]], "not numbers"),
        ([[None]], "not numbers"),
        ([[0, math.nan]], "token 0, dimension 1"),
        ([[0], [math.inf]], "token 1, dimension 0"),
        ([[-1.1e6]], "1e6"),
        (np.zeros((1, 4097)), "4097 dimensions"),
    ],
)
def test_vectors_that_cannot_be_held_are_refused_with_the_place(values: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        checked_vectors(values, "q")  # type: ignore[arg-type]


def test_arrays_are_copied_at_the_door_and_read_only() -> None:
    mine = np.ones((3, 2), np.float32)
    held = Head("h", mine, mine, mine)
    mine[0, 0] = 9
    assert held.q[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        held.q[0, 0] = 5
    with pytest.raises(FrozenInstanceError):
        held.name = "x"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: Head("h", np.ones((3, 2)), np.ones((3, 3)), np.ones((3, 3))),
            "q has 2 dimensions and k has 3",
        ),
        (lambda: Head("h", np.ones((3, 2)), np.ones((3, 2)), np.ones((2, 2))), "k has 3 rows and v has 2"),
        (lambda: head(qk_names=("a",)), "1 names were given for the 2"),
        (lambda: head(is_default=np.ones(2, bool)), "2 marks were given for 3"),
        (lambda: head(source="magic"), "magic"),
        (lambda: Head("h", np.ones((1, 1)), np.ones((1, 1)), np.zeros((1, 1)), v_is_k=True), "v differs"),
        (lambda: Inputs("", (), (head(),)), "no token"),
        (lambda: Inputs("", tuple("a" * 1_048_577), (head(),)), "1048577 tokens"),
        (lambda: Inputs("", ("a",), ()), "0 heads"),
        (lambda: Inputs("", ("a",), (head(3),)), "3 queries"),
        (lambda: inputs(scale_strength=0), "scale strength is 0"),
        (lambda: inputs(scale_strength=-1), "scale strength is -1"),
        (lambda: inputs(scale_strength=101), "scale strength is 101"),
        (lambda: inputs(scale_strength=math.nan), "scale strength is nan"),
        (lambda: inputs(mask_fill=math.inf), "mask value"),
        (lambda: inputs(mask_fill=math.nan), "mask value"),
        (lambda: inputs(mask_fill=-1e39), "mask value -1e.39 is out of range"),
        (lambda: inputs(mask=CustomMask(np.ones((2, 3), bool))), "shape"),
        (lambda: CustomMask(np.ones((2, 2))), "bool array"),
        (lambda: CustomMask(np.ones(2, bool)), "bool array"),
        (lambda: Request.whole(inputs(), head=1), "no head 1"),
        (lambda: Request.whole(inputs(), query=3), "no query 3"),
        (lambda: Request(inputs(), 0, Region(0, (0, 4), (0, 3))), "queries run from 0 to 4"),
        (lambda: Request(inputs(), 0, Region(0, (0, 3), (2, 2))), "keys run from 2 to 2"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(make, said: str) -> None:
    with pytest.raises(InputError, match=said) as refusal:
        make()
    assert str(refusal.value).endswith(".")


def test_an_error_keeps_its_template_so_that_it_can_be_said_in_another_language() -> None:
    error = InputError("There are {got} tokens; at most {wanted} are possible.", got=3, wanted=2)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.template, again.values, str(again)) == (
        InputError, "There are {got} tokens; at most {wanted} are possible.", {"got": 3, "wanted": 2},
        "There are 3 tokens; at most 2 are possible.",
    )  # fmt: skip


def test_linked_v_is_the_same_array_as_k() -> None:
    linked = head(v_is_k=True)
    assert linked.v is linked.k


def test_documents_are_equal_bit_for_bit_or_not_at_all() -> None:
    assert inputs().equals(inputs())
    changes = [
        {"text": "x"}, {"tokens": ("x", "b", "c")}, {"mask": NoMask()}, {"mask_fill": -1e9},
        {"scale_strength": 2.0},
        {"heads": (head(), head())}, {"heads": (replace(head(), q=-np.ones((3, 2))),)},
        {"heads": (head(d_v=3),)},
        {"mask": CustomMask(np.tri(3, dtype=bool))}, {"heads": (head(source="positions"),)},
        {"heads": (replace(head(), is_default=np.array([True, False, False])),)},
    ]  # fmt: skip
    for change in changes:
        assert not replace(inputs(), **change).equals(inputs()), change


def test_dimensions_without_names_are_numbered_from_zero() -> None:
    assert head().names_of("v") == ("0", "1")
    assert head(qk_names=("a", "b")).names_of("k") == ("a", "b")


def test_a_mask_says_where_a_query_may_attend() -> None:
    assert CausalMask().allowed((1, 3), (0, 3)).tolist() == [[True, True, False], [True, True, True]]
    assert NoMask().allowed((0, 1), (0, 2)).tolist() == [[True, True]]
    cells = np.array([[True, False], [False, True]])
    assert CustomMask(cells).allowed((1, 2), (0, 2)).tolist() == [[False, True]]
    assert not CustomMask(cells).equals(CausalMask())
    assert CustomMask(cells).equals(CustomMask(cells.copy()))
    assert NoMask().equals(NoMask())
    assert not NoMask().equals(CausalMask())
    assert CausalMask().rearranged(np.array([0])).equals(CausalMask())
    assert NoMask().rearranged(np.array([0])).equals(NoMask())


def test_a_selection_is_clamped_to_what_exists() -> None:
    assert Selection(5, 9, -1).clamped(inputs()) == Selection(0, 2, 0)
    assert Selection(0, 1, 1).at(2, 0) == Selection(0, 2, 0)
