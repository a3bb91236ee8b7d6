"""The readout of a cell whose keys lie elsewhere: true numbers, or a word of what is not known."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.core import stages as stages_module
from attnviz.core.request import Region, Request
from attnviz.engine.arrays import inputs_from_arrays
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui.views.hover_card import cell_lines, spoken

N = 2100


@pytest.fixture
def stages(qapp, tmp_path, monkeypatch):
    """A picture of some rows; all keys are too many to be read while a pointer rests."""
    random = np.random.default_rng(0)
    for which in "qkv":
        np.save(tmp_path / f"{which}.npy", random.standard_normal((N, 4)).astype(np.float32))
    inputs = inputs_from_arrays(*(np.load(tmp_path / f"{which}.npy", mmap_mode="r") for which in "qkv"))
    engine = NumpyEngine(1)
    answer = engine.compute(Request(inputs, 5, Region(0, (0, 100), (0, 100))))
    engine.close()
    monkeypatch.setattr(stages_module, "KEPT_BYTES", 0)
    return answer


def values(stages, query, key):
    return dict(cell_lines(stages, query, key)[1])


def test_outside_the_picture_scores_are_true_and_the_weight_says_how_to_get_it(stages):
    score = np.float32(stages.request.inputs.heads[0].q[2000] @ stages.request.inputs.heads[0].k[1500])
    told = values(stages, 2000, 1500)
    assert float(told["QKᵀ"].replace("−", "-")) == pytest.approx(float(score), abs=1e-3)
    assert told["softmax"] == "—"
    remark = cell_lines(stages, 2000, 1500)[2]
    assert remark == "The weight takes all keys, which are not read for this; click to compute it."
    assert "NaN" not in spoken(stages, 2000, 1500)


def test_what_is_hidden_has_no_weight_wherever_it_lies(stages):
    assert stages.cell(1500, 2000).weights == 0.0
    assert values(stages, 1500, 2000)["softmax"] == "masked (hidden)"


def test_within_the_picture_and_in_the_selected_row_all_is_told(stages):
    for query, key in ((50, 20), (5, 3)):
        told = values(stages, query, key)["softmax"]
        assert float(told.split()[0]) == pytest.approx(stages.cell(query, key).weights, abs=1e-3)


def test_what_cannot_be_read_any_more_is_a_dash(stages, tmp_path, monkeypatch):
    from attnviz.core import row_sources

    for which in "qkv":
        (tmp_path / f"{which}.npy").unlink()
    monkeypatch.setattr(row_sources, "_kept", row_sources._KeptBlocks())
    told = values(stages, 2000, 1500)
    assert told["QKᵀ"] == told["softmax"] == "—"
    assert cell_lines(stages, 2000, 1500)[2] == "These numbers cannot be read any more."
