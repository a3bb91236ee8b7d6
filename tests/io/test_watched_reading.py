"""Who reads a large file is told how far that is, and can stop it; nothing else differs."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.core.inputs import Head, Inputs
from attnviz.core.selection import Selection
from attnviz.io.array_files import read_arrays
from attnviz.io.opening import open_document
from attnviz.io.picture_session import with_session
from attnviz.io.reading import Stopped
from attnviz.io.session import save_session

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8ffff3f0005fe02fe"
    "0def46b80000000049454e44ae426082"
)


@pytest.fixture(scope="module")
def inputs():
    random = np.random.default_rng(0)
    q, k, v = random.normal(size=(3, 300, 300)).astype(np.float32)
    return Inputs("t", tuple(f"t{index}" for index in range(300)), (Head("large", q, k, v),))


@pytest.fixture(scope="module", params=["session", "picture", "arrays", "one array"])
def read(request, inputs, tmp_path_factory):
    """Reads a file of some kind, of a MB or more, with a Watch."""
    folder = tmp_path_factory.mktemp("files")
    if request.param == "session":
        save_session(folder / "a.attnviz", inputs, Selection())
        return lambda watch: open_document(folder / "a.attnviz", watch).session.inputs.heads[0].q
    if request.param == "picture":
        (folder / "a.png").write_bytes(with_session(PNG, inputs, Selection()))
        return lambda watch: open_document(folder / "a.png", watch).session.inputs.heads[0].q
    if request.param == "arrays":
        np.savez_compressed(folder / "a.npz", q=inputs.heads[0].q, k=inputs.heads[0].k)
        return lambda watch: read_arrays(folder / "a.npz", watch).arrays[0].array
    np.save(folder / "q.npy", inputs.heads[0].q)
    return lambda watch: read_arrays(folder / "q.npy", watch).arrays[0].array


def test_reading_tells_how_far_it_is_and_gives_what_it_gives_unwatched(read, inputs):
    told = []
    array = read(lambda fraction: told.append(fraction) or True)
    assert np.array_equal(array, inputs.heads[0].q)
    assert np.array_equal(read(None), array)
    assert told[0] == 0
    assert told == sorted(told)
    assert all(0 <= fraction <= 1 for fraction in told)


def test_reading_stops_where_the_watch_says_no(read):
    told = []
    read(lambda fraction: told.append(fraction) or True)
    for last in range(len(told)):
        asked = []
        with pytest.raises(Stopped):
            read(lambda fraction, asked=asked, last=last: asked.append(fraction) or len(asked) <= last)
        assert asked == told[: last + 1]


def test_packing_a_picture_tells_how_far_it_is_and_stops(inputs):
    told = []
    whole = with_session(PNG, inputs, Selection(), lambda fraction: told.append(fraction) or True)
    assert whole == with_session(PNG, inputs, Selection())
    assert told == sorted(told)
    assert told[0] < 0.5 <= told[-1] < 1
    for last in range(len(told)):
        with pytest.raises(Stopped):
            with_session(PNG, inputs, Selection(), lambda fraction, last=last: fraction < told[last])
