"""What the code window says of a stage is what holds for the document, in its edge cases too."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, CustomMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.core.request import Region, Request
from attnviz.core.selection import Selection
from attnviz.core.stage_lines import OUTPUT, PARTS
from attnviz.core.stages import Stages
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.engine.stage_kernels import KERNELS
from attnviz.gui import code_mask_words, code_words
from tests.engine.documents import document


@pytest.fixture(scope="module")
def answer(qapp):
    """Gives an engine's answer to a document."""
    engine = NumpyEngine(n_threads=1)

    def answered(inputs, query: int = 0) -> Stages:
        stages = engine.compute(Request.whole(inputs, 0, query))
        assert stages is not None
        return stages

    yield answered
    engine.close()


def worked(stages: Stages, part: str, key: int = 0) -> str:
    return code_words.cell(stages, Selection(0, stages.request.query, key), part)[1]


def test_what_computed_the_numbers_is_named_and_why_it_was_not_the_gpu(answer):
    stages = answer(document(4))
    assert stages.engine in code_words.engine(stages, None)
    assert code_words.engine(stages, AttnvizError("No GPU.")).endswith("\nNo GPU.")
    on_gpu = replace(stages, engine="CUDA: NVIDIA H200")
    assert code_words.engine(on_gpu, None).endswith("come from these kernels: CUDA: NVIDIA H200.")


@pytest.mark.parametrize("fill", [-math.inf, -2.0])
def test_a_hidden_cell_says_what_becomes_of_it(answer, fill):
    stages = answer(document(4, mask_fill=fill), query=1)
    hidden, weight = worked(stages, "masked", 3), worked(stages, "weights", 3)
    assert hidden.startswith("3 > 1, so it is hidden; ")
    assert hidden.endswith("becomes −∞" if fill == -math.inf else "becomes −2")
    assert weight.startswith("exp(−∞ −" if fill == -math.inf else "exp(−2.00 −")
    assert weight.endswith("= 0.000") == (fill == -math.inf)


def test_a_query_that_sees_no_key_is_said_to_and_its_output_is_zero(answer):
    allowed = np.ones((4, 4), bool)
    allowed[2] = False
    stages = answer(document(4, mask=CustomMask(allowed)), query=2)
    assert worked(stages, "weights") == "no key may be attended, so the weight is 0"
    assert worked(stages, OUTPUT) == "0 = 0.000"


def test_long_sums_say_how_many_terms_are_left_out(answer):
    stages = answer(document(20, 64, mask="none"))
    assert "… (58 more) =" in worked(stages, "scores")
    assert "… (14 more) =" in worked(stages, OUTPUT)


def test_the_strength_of_scaling_stands_in_formula_numbers_and_cell(answer):
    stages = answer(document(4, 9, scale_strength=2.5))
    assert code_words.formula(stages, "scaled") == "scaled[i, j] = scores[i, j] ÷ (√dₖ × strength)"
    assert ("divisor", "√9 × 2.5 = 7.5") in code_words.numbers(stages, "scaled")
    assert "÷ (√9 × 2.5) =" in worked(stages, "scaled")


@pytest.mark.parametrize("n", [1, 2, 64, 65, 2048])
def test_every_part_has_words_at_every_size(answer, n):
    stages = answer(document(n, 3, 5), query=n - 1)
    selection = Selection(0, n - 1, n - 1)
    for part in PARTS:
        said = code_words.launch(stages, selection, part)
        assert f"This document has {n} keys" in said
        assert all(f"{kernel}<<<(" in said for kernel in code_words.runs_here(stages, selection, part))
        assert worked(stages, part, n - 1)


@pytest.mark.parametrize(("cells", "weights"), [((64, 64), "pool_rows"), ((1, 1), "known_cells")])
def test_a_long_document_is_said_to_be_walked(answer, cells, weights):
    inputs = document(2050, 3, 5)
    (rows, keys), query = cells, 2049
    region = Region(0, (0, rows), (0, keys), (32, 32) if cells != (1, 1) else (64, 64))
    request = Request(inputs, query, region)
    stages = replace(answer(document(5, 3, 5)), request=request)
    selection = Selection(0, query, 3)
    wanted = {"weights": weights, OUTPUT: "weighted_sum_tiled"}
    for part in PARTS:
        said, (runs, edited) = (
            code_words.launch(stages, selection, part),
            code_words.runs_here(stages, selection, part),
        )
        assert runs == edited == wanted.get(part, "walk_keys")
        assert f"{runs}<<<(" in said
        assert "walk_keys<<<(" in said
        assert ("known_cells" in said) == (part == OUTPUT or runs == "known_cells")
        assert ("made of the scores by numpy" in said) == (part in ("scaled", "masked"))
        assert runs in [kernel.name for kernel in KERNELS[part]]


def test_a_long_token_is_cut(answer):
    inputs = replace(document(2), tokens=("a" * 50, "b"))
    name, _ = code_words.cell(answer(inputs), Selection(0, 0, 1), "scores")
    assert name == f"scores[0, 1]   {'a' * 15}… → b"


def five_by_seven(mask):
    rng = np.random.default_rng(0)
    head = Head("h", rng.normal(size=(5, 4)), rng.normal(size=(7, 4)), rng.normal(size=(7, 3)))
    return Inputs("", tuple("abcde"), (head,), mask=mask, key_tokens=tuple("tuvwxyz"))


@pytest.mark.parametrize(
    ("mask", "rule"),
    [
        (CausalMask(), "j ≤ i"),
        (CausalMask(alignment="last"), "j ≤ i + 2"),
        (SlidingWindowMask(3, alignment="last"), "i + 2 − 3 < j ≤ i + 2"),
        (SinkMask(1, 2, alignment="last"), "j ≤ i + 2 and (j < 1 or i + 2 − 2 < j)"),
        (PrefixMask(2, alignment="last"), "j < 2 or j ≤ i + 2"),
        (PaddingMask((1,), True, alignment="last"), "j ≤ i + 2 and j none of 1"),
    ],
)
def test_a_rule_counts_from_where_the_query_stands_and_is_true(answer, mask, rule):
    stages = answer(five_by_seven(mask))
    assert code_mask_words.rule(stages.request.inputs) == rule
    condition = rule.replace("≤", "<=").replace("−", "-").replace("j none of 1", "j != 1")
    allowed = [[eval(condition, {"i": i, "j": j}) for j in range(7)] for i in range(5)]
    assert (np.array(allowed) == stages.request.inputs.allowed()).all()
    assert f"if {rule}, else" in code_words.formula(stages, "masked")


def test_queries_and_keys_are_named_and_counted_apart(answer):
    stages = answer(five_by_seven(CausalMask(alignment="last")), query=1)
    assert ("n_query × n_key", "5 × 7") in code_words.numbers(stages, "masked")
    heading, hiding = code_words.cell(stages, Selection(0, 1, 6), "masked")
    assert heading == "masked[1, 6]   b → z"
    assert hiding.startswith("6 > 1 + 2, so it is hidden")
    assert "itself" not in code_mask_words.kind(stages.request.inputs)
    assert "5 × 7" not in str(code_words.numbers(answer(document(4)), "masked"))
