"""What differs decides which stages are launched, over which rows and keys. No CUDA here."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attnviz.core import edits
from attnviz.core.masks import CustomMask
from attnviz.engine.blocks import Problem
from attnviz.engine.launch_plan import LaunchPlan
from attnviz.engine.spans import Lines, spans_of
from tests.engine.documents import document, mask_of

N = 40


def indices(lines: Lines) -> list[int]:
    return list(range(lines.first, lines.last)) if lines.listed is None else lines.listed.tolist()


def shown(plan: LaunchPlan) -> dict[str, object]:
    """Give a plan as plain lists: cells as (rows, keys), rows of the last two stages alone."""
    found: dict[str, object] = {
        stage: [(indices(rows), indices(keys)) for rows, keys in getattr(plan, stage)]
        for stage in ("scores", "scaled", "masked")
    }
    return found | {"weights": indices(plan.weights), "output": indices(plan.output)}


def plan(edit, rows=(0, N), **kwargs) -> LaunchPlan:
    inputs = document(N, 4, **kwargs)
    return LaunchPlan.between(Problem.of(inputs, 0), Problem.of(edit(inputs), 0), rows)


def changed(which, tokens, d=0):
    def edit(inputs):
        for token in tokens:
            inputs = edits.set_vector_value(inputs, 0, which, token, d, 7.5)
        return inputs

    return edit


ALL = list(range(N))
NOTHING = {"scores": [], "scaled": [], "masked": [], "weights": [], "output": []}


def test_no_difference_launches_nothing():
    assert shown(plan(lambda inputs: inputs)) == NOTHING
    assert not plan(lambda inputs: inputs).is_full


def test_a_changed_query_is_one_row_of_every_stage():
    row = [([7], ALL)]
    assert shown(plan(changed("q", [7]))) == {
        "scores": row, "scaled": row, "masked": row, "weights": [7], "output": [7],
    }  # fmt: skip


def test_rows_count_from_the_first_one_held_and_others_are_left_out():
    assert shown(plan(changed("q", [7, 20]), rows=(15, 30)))["weights"] == [5]
    assert shown(plan(changed("q", [7]), rows=(15, 30))) == NOTHING
    assert shown(plan(changed("k", [17]), rows=(15, 30)))["weights"] == list(range(2, 15))


def test_a_changed_key_is_a_column_and_the_softmax_of_the_rows_that_see_it():
    column = [(ALL, [30])]
    wanted = {"scores": column, "scaled": column, "masked": column}
    seeing = list(range(30, N))
    assert shown(plan(changed("k", [30]))) == wanted | {"weights": seeing, "output": seeing}
    assert shown(plan(changed("k", [30]), mask="none")) == wanted | {"weights": ALL, "output": ALL}
    allowed = np.zeros((N, N), bool)
    allowed[[3, 9], 30] = True
    assert shown(plan(changed("k", [30]), mask=CustomMask(allowed)))["weights"] == [3, 9]


def test_a_key_that_is_hidden_reaches_no_weight_whatever_the_mask_value():
    assert shown(plan(changed("k", [30]), mask_fill=-1.0))["weights"] == list(range(30, N))


def test_a_changed_value_is_the_weighted_sum_of_the_rows_that_mix_it():
    assert shown(plan(changed("v", [30]))) == NOTHING | {"output": list(range(30, N))}
    assert shown(plan(changed("v", [30]), mask_fill=-1.0)) == NOTHING | {"output": ALL}


@pytest.mark.parametrize("mask", ["causal", "holes"])
def test_values_of_another_length_are_mixed_in_every_row(mask):
    resized = plan(lambda inputs: edits.resize_head(inputs, 0, 4, 6), mask=mask)
    assert shown(resized) == NOTHING | {"output": ALL}


@pytest.mark.parametrize(
    ("edit", "stages"),
    [
        (lambda inputs: edits.set_scale_strength(inputs, 2.0), ["scaled", "masked"]),
        (lambda inputs: edits.set_mask(inputs, mask_of("holes", N)), ["masked"]),
        (lambda inputs: edits.set_mask_fill(inputs, -5.0), ["masked"]),
    ],
)
def test_scale_and_mask_start_at_their_own_stage(edit, stages):
    wanted = NOTHING | {stage: [(ALL, ALL)] for stage in stages} | {"weights": ALL, "output": ALL}
    assert shown(plan(edit)) == wanted
    assert not plan(edit).is_full


def test_a_query_and_the_scale_together_need_one_row_of_scores():
    both = plan(lambda inputs: edits.set_scale_strength(changed("q", [7])(inputs), 2.0))
    assert shown(both)["scores"] == [([7], ALL)]
    assert shown(both)["scaled"] == [(ALL, ALL)]


@pytest.mark.parametrize("which", ["q", "k"])
def test_more_than_a_quarter_is_a_full_pass(which):
    assert not plan(changed(which, range(N // 4))).is_full
    assert plan(changed(which, range(N // 4 + 1))).is_full


def test_another_shape_or_no_earlier_problem_is_a_full_pass():
    new = Problem.of(document(N, 4), 0)
    assert LaunchPlan.between(None, new, (0, N)).is_full
    assert LaunchPlan.between(Problem.of(document(N, 5), 0), new, (0, N)).is_full
    assert LaunchPlan.between(Problem.of(document(N + 1, 4), 0), new, (0, N)).is_full


def test_rows_of_which_none_may_see_anything_are_not_weighed_again():
    hides_all = CustomMask(np.zeros((N, N), bool))
    assert shown(plan(changed("k", [3]), mask=hides_all))["weights"] == []
    assert shown(plan(changed("v", [3]), mask=hides_all, mask_fill=-math.inf))["output"] == []


def test_neighbours_need_no_list():
    assert Lines.of(np.array([3, 4, 5])).listed is None
    assert indices(Lines.of(np.array([3, 5]))) == [3, 5]
    assert Lines.of(np.array([3, 5])).count == 2
    assert Lines.of(np.array([], int)).count == 0


@pytest.mark.parametrize(
    ("found", "most", "spans"),
    [
        ([], 4, []),
        ([3], 4, [(3, 4)]),
        ([3, 4, 8], 4, [(3, 5), (8, 9)]),
        ([3, 4, 8], 1, [(3, 9)]),
        ([0, 2, 4, 6], 4, [(0, 1), (2, 3), (4, 5), (6, 7)]),
        ([0, 2, 4, 6], 3, [(0, 7)]),
    ],
)
def test_indices_are_covered_by_few_ranges(found, most, spans):
    assert spans_of(np.array(found, int), most) == spans
