"""Sessions with x, W_Q, W_K, W_V and W_O."""

import json
import zipfile

import numpy as np
import pytest

from attnviz.core import projection_edits as layer
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask
from attnviz.core.position_masks import SlidingWindowMask
from attnviz.core.projections import Projection
from attnviz.core.selection import Selection
from attnviz.io.errors import FileError
from attnviz.io.session import open_session, save_session
from tests.io.documents import cross_document


def layer_document(n=4, d_model=6):
    rng = np.random.default_rng(n)
    x = rng.standard_normal((n, d_model)).astype(np.float32)
    plain = Head("plain", *(rng.standard_normal((n, dims)) for dims in (3, 3, 2)))
    tables = (rng.standard_normal((d_model, dims)) for dims in (3, 3, 2))
    derived = layer.derived_head(plain, x, Projection(*tables, b_k=rng.standard_normal(3)))
    w_o, b_o = rng.standard_normal((4, d_model)), rng.standard_normal(d_model)
    return Inputs("", tuple("t" * n), (plain, derived), x=x, w_o=w_o, b_o=b_o)


def changed(path, change):
    """Write a session again with its JSON changed."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    main = json.loads(members["session.json"])
    change(main)
    members["session.json"] = json.dumps(main).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.fixture
def path(tmp_path):
    save_session(tmp_path / "a.attnviz", layer_document(), Selection())
    return tmp_path / "a.attnviz"


@pytest.mark.parametrize("n", [4, 200])
def test_a_layer_comes_back_bit_for_bit(tmp_path, n):
    # A number that was derived alone, not with the whole product: its last bit may differ.
    inputs = layer.set_x_block(layer_document(n), 2, 1, [[0.3]])
    inputs = layer.set_projection_block(inputs, 1, "w_q", 1, 2, [[-1.7]])
    save_session(tmp_path / "a.attnviz", inputs, Selection())
    assert open_session(tmp_path / "a.attnviz").inputs.equals(inputs)


def test_what_an_older_attnviz_knows_is_written_as_it_knows_it(tmp_path, path):
    def version(path):
        with zipfile.ZipFile(path) as archive:
            return json.loads(archive.read("session.json"))["version"]

    assert version(path) == 2
    plain = layer_document().heads[:1]
    save_session(tmp_path / "old.attnviz", Inputs("", tuple("tttt"), plain), Selection())
    assert version(tmp_path / "old.attnviz") == 1


def test_derived_vectors_may_be_left_out(path):
    wanted = open_session(path).inputs.heads[1]

    def leave_out(main):
        for which in "qkv":
            del main["heads"][1][which]

    head = open_session(changed(path, leave_out)).inputs.heads[1]
    for which in "qkv":
        assert np.allclose(getattr(head, which), getattr(wanted, which), atol=1e-6)


def put(place, value):
    def change(main):
        *way, last = place
        for step in way:
            main = main[step]
        main[last] = value

    return change


def drop(*place):
    def change(main):
        *way, last = place
        for step in way:
            main = main[step]
        del main[last]

    return change


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (put(("heads", 1, "q", 0, 0), 50.0), "“heads[1].q” is not x · W of that head"),
        (drop("x"), "there is no x"),
        (put(("x",), [[1, 2]]), "x has 1 rows, but there are 4 tokens"),
        (put(("x", 0), [1]), "“x” is ragged"),
        (put(("w_o",), [[1.0]]), "W_O has 1 rows"),
        (put(("b_o",), [[1.0], [2.0]]), "“b_o” has 2 rows; a bias has one"),
        (put(("b_o",), [[1.0]]), "b_O has shape (1,)"),
        (drop("heads", 1, "projection"), "has the source “projection”"),
        (put(("heads", 1, "source"), "vectors"), "has the source “vectors”"),
        (put(("heads", 1, "projection"), []), "“heads[1].projection” holds a list"),
        (drop("heads", 1, "projection", "w_q"), "“heads[1].projection.w_q” is missing"),
        (put(("heads", 1, "projection", "w_k"), [[1.0]] * 6), "W_Q has 3 columns and W_K has 1"),
        (put(("heads", 1, "projection", "b_k"), [[1.0]]), "b_K has shape (1,)"),
        (put(("heads", 1, "projection", "w_q", 0, 0), "1"), "“heads[1].projection.w_q” holds a text"),
        (put(("heads", 1, "projection", "w_q", 0, 0), 1e9), "W_Q holds 1000000000.0 in row 0, column 0"),
    ],
)
def test_a_layer_that_does_not_fit_is_refused_in_one_sentence(path, change, sentence):
    with pytest.raises(FileError) as refused:
        open_session(changed(path, change))
    assert sentence in str(refused.value)
    assert str(refused.value).endswith(".")


def test_near_vectors_become_what_their_maps_give_so_that_no_edit_leaves_them_far(tmp_path):
    """What is near goes by the largest number, and an edit may take that away."""
    inputs = layer.set_x_block(layer_document(), 0, 0, [[3e4]])
    path = tmp_path / "a.attnviz"
    save_session(path, inputs, Selection())
    q = inputs.heads[1].q.astype(float)
    opened = open_session(changed(path, put(("heads", 1, "q"), (q + np.abs(q).max() / 2e4).tolist()))).inputs
    assert np.allclose(opened.heads[1].q, inputs.heads[1].q, rtol=1e-6)
    edited = layer.set_x_block(opened, 0, 0, [[0.0]])
    save_session(path, edited, Selection())
    assert open_session(path).inputs.equals(edited)


# Cross attention ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_query", "n_key"), [(3, 4), (200, 70)])
def test_cross_attention_comes_back_bit_for_bit(tmp_path, n_query, n_key):
    inputs = cross_document(n_query, n_key)
    save_session(tmp_path / "a.attnviz", inputs, Selection(1, 2, n_key - 1))
    opened = open_session(tmp_path / "a.attnviz")
    assert opened.inputs.equals(inputs)
    assert opened.selection == Selection(1, 2, n_key - 1)
    with zipfile.ZipFile(tmp_path / "a.attnviz") as archive:
        assert ("x_keys.npy" in archive.namelist()) == (n_key == 70)
        assert json.loads(archive.read("session.json"))["version"] == 3


def test_an_alignment_alone_needs_version_3_and_the_usual_one_is_not_written(tmp_path):
    for mask, version in ((CausalMask(), 1), (SlidingWindowMask(2), 2), (CausalMask(alignment="last"), 3)):
        inputs = Inputs("", tuple("tttt"), layer_document().heads[:1], mask)
        save_session(tmp_path / "a.attnviz", inputs, Selection())
        with zipfile.ZipFile(tmp_path / "a.attnviz") as archive:
            main = json.loads(archive.read("session.json"))
        assert main["version"] == version
        assert main["mask"].get("alignment") == (None if version < 3 else "last")
        assert not {"key_tokens", "key_text", "x_keys"} & main.keys()
        assert open_session(tmp_path / "a.attnviz").inputs.equals(inputs)


def test_derived_vectors_of_either_side_may_be_left_out(tmp_path):
    save_session(tmp_path / "a.attnviz", cross_document(), Selection())

    def leave_out(main):
        for which in "qkv":
            del main["heads"][1][which]

    head = open_session(changed(tmp_path / "a.attnviz", leave_out)).inputs.heads[1]
    for which in "qkv":
        assert np.allclose(getattr(head, which), getattr(cross_document().heads[1], which), atol=1e-6)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (put(("key_tokens",), []), "“heads[0].k” has 4 rows, but there are 0 key tokens"),
        (put(("key_tokens",), "abcd"), "“key_tokens” holds a text"),
        (put(("key_tokens",), None), "“key_tokens” holds"),
        (put(("key_tokens", 0), 1), "“key_tokens” holds 1; a text is wanted"),
        (put(("key_tokens",), ["a", "b"]), "“heads[0].k” has 4 rows, but there are 2 key tokens"),
        (drop("key_tokens"), "“heads[0].k” has 4 rows, but there are 3 tokens"),
        (put(("key_text",), 3), "“key_text” holds 3; a text is wanted"),
        (put(("x_keys",), [[1.0]]), "x of the keys has 1 rows, but there are 4 key tokens"),
        (drop("x_keys"), "which has 3 rows, but there are 4 key tokens"),
        (put(("mask", "alignment"), "middle"), "“middle”; first or last is wanted"),
        (put(("mask", "alignment"), 1), "“mask.alignment” holds 1; a text is wanted"),
        (
            put(("heads", 0, "default_key_tokens"), [4]),
            "“heads[0].default_key_tokens” holds 4, but there are only 4",
        ),
        (put(("heads", 1, "k", 0, 0), 50.0), "“heads[1].k” is not x · W of that head"),
        (put(("heads", 0, "q"), [[1, 2, 3]]), "“heads[0].q” has 1 rows, but there are 3 tokens"),
        (put(("heads", 1, "projection", "w_v"), [[1.0, 1.0]]), "W_K has 6 rows and W_V has 1"),
    ],
)
def test_cross_attention_that_does_not_fit_is_refused_in_one_sentence(tmp_path, change, sentence):
    save_session(tmp_path / "a.attnviz", cross_document(), Selection())
    with pytest.raises(FileError) as refused:
        open_session(changed(tmp_path / "a.attnviz", change))
    assert sentence in str(refused.value)
    assert str(refused.value).endswith(".")
