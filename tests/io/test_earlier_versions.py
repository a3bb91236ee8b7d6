"""Files that earlier versions wrote keep opening: one of each is kept here and never written again."""

from __future__ import annotations

import json
import math
import zipfile
from pathlib import Path

import numpy as np
import pytest

from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.core.selection import Selection
from attnviz.io.session import open_session, save_session

HERE = Path(__file__).parent
CELLS = np.tri(4, dtype=bool)
CELLS[3, 0] = False


@pytest.mark.parametrize(
    ("file", "version", "mask", "fill"),
    [
        ("version_1/causal", 1, CausalMask(), -math.inf),
        ("version_1/none", 1, NoMask(), -1e9),
        ("version_1/custom", 1, CustomMask(CELLS), -0.5),
        ("version_2/padding", 2, PaddingMask((1, 3), hides_future=True), -math.inf),
        ("version_2/window", 2, SlidingWindowMask(2), -math.inf),
        ("version_2/sinks", 2, SinkMask(1, 2), -math.inf),
        ("version_2/prefix", 2, PrefixMask(3), -math.inf),
        ("version_3/window_last", 3, SlidingWindowMask(2, alignment="last"), -math.inf),
    ],
)
def test_a_file_of_an_earlier_version_opens_as_it_was_saved(tmp_path, file, version, mask, fill):
    path = HERE / f"{file}.attnviz"
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("session.json"))["version"] == version
    session = open_session(path)
    inputs = session.inputs
    assert session.selection == Selection(1, 2, 0)
    assert inputs.tokens == ("猫", "が", "魚", "を")
    assert inputs.mask.equals(mask)
    assert (inputs.mask_fill, inputs.scale_strength) == (fill, 1.25)
    first, second = inputs.heads
    assert (first.name, first.v_is_k, first.qk_names) == ("意味", True, ("動物", "食べ物"))
    assert first.is_default.tolist() == [False, True, False, True]
    assert first.q.tolist() == np.float32([[1, 0.1], [0.5, -2], [0, 3], [1.5, 1]]).tolist()
    assert (first.k == first.q + 1).all()
    assert second.v.shape == (4, 3)
    save_session(tmp_path / "again.attnviz", inputs, session.selection)
    assert open_session(tmp_path / "again.attnviz").inputs.equals(inputs)


def test_a_large_file_of_version_1_opens_with_its_arrays():
    session = open_session(HERE / "version_1" / "large.attnviz")
    head = session.inputs.heads[0]
    assert (head.q.shape, head.v.shape) == ((20, 16), (20, 16))
    assert head.q[0, :3].tolist() == np.float32([0.35, 0.82, 0.33]).tolist()
    assert session.inputs.mask.equals(CustomMask(np.tri(20, dtype=bool)))


def test_a_file_of_version_3_opens_with_its_key_tokens_and_both_x():
    path = HERE / "version_3" / "cross.attnviz"
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("session.json"))["version"] == 3
    session = open_session(path)
    inputs = session.inputs
    assert session.selection == Selection(1, 2, 3)
    assert (inputs.tokens, inputs.key_tokens) == (("それ", "は", "猫"), ("it", "is", "a", "cat"))
    assert (inputs.text, inputs.key_text) == ("それは猫", "it is a cat")
    assert inputs.mask.equals(SinkMask(1, 2, alignment="last"))
    assert (inputs.x.shape, inputs.x_keys.shape, inputs.w_o.shape) == ((3, 5), (4, 6), (4, 5))
    plain, derived = inputs.heads
    assert (plain.q.shape, plain.k.shape, plain.v.shape) == ((3, 3), (4, 3), (4, 2))
    assert plain.key_marks.tolist() == [False, True, False, False]
    assert (derived.k == derived.projection.derived("k", inputs.x_keys)).all()
    assert inputs.x[0, :2].tolist() == np.float32([-0.65179116, -0.17471729]).tolist()
