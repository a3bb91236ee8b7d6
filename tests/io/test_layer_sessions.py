"""Sessions with x, W_Q, W_K, W_V and W_O."""

import json
import zipfile

import numpy as np
import pytest

from attnviz.core import projection_edits as layer
from attnviz.core.inputs import Head, Inputs
from attnviz.core.projections import Projection
from attnviz.core.selection import Selection
from attnviz.io.errors import FileError
from attnviz.io.session import open_session, save_session


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
