"""Zarr stores of both formats: long arrays stay there, short ones are read, and nothing in them can run."""

from __future__ import annotations

import builtins
import json
import shutil
import time
import warnings

import numpy as np
import pytest

import attnviz
from attnviz.core.array_stacks import ArrayStack
from attnviz.core.block_arrays import BlockArray
from attnviz.core.request import Region, Request
from attnviz.core.row_sources import LostArrayError
from attnviz.engine.arrays import inputs_from_arrays
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.io.array_files import read_arrays
from attnviz.io.errors import FileError
from attnviz.io.zarr_stores import array_at, document_of, read_store, store_at
from tests.engine.documents import document
from tests.engine.long_documents import Truth, assert_true
from tests.foreign_threads import start_those_of_zarr

zarr = pytest.importorskip("zarr", reason="pip install 'attnviz[arrays]' for this test")


@pytest.fixture(scope="module", autouse=True)
def _zarr_has_its_threads():
    start_those_of_zarr()


@pytest.fixture(autouse=True)
def _twenty_rows_are_many(monkeypatch):
    for place in ("core.array_stacks.READ_ROWS", "core.inputs.DENSE_TOKENS", "core.request.DENSE_TOKENS"):
        monkeypatch.setattr(f"attnviz.{place}", 20)


@pytest.fixture(params=[2, 3], ids=["format 2", "format 3"])
def zarr_format(request):
    return request.param


@pytest.fixture
def held():
    return document(60, 4, 3, n_heads=2)


@pytest.fixture
def store(tmp_path, held, zarr_format):
    """A store of q, k and v of two heads, and the tokens."""
    return written(tmp_path / "big.zarr", held, zarr_format)


def written(path, held, zarr_format):
    group = zarr.open_group(path, mode="w", zarr_format=zarr_format)
    for which in "qkv":
        numbers = np.stack([getattr(head, which) for head in held.heads])
        group.create_array(which, data=numbers.astype(np.float64), chunks=(1, 7, numbers.shape[2]))
    return path


def test_long_arrays_of_a_store_stay_there(store, held):
    found = read_store(store)
    assert set(found) == {"q", "k", "v"}
    for which, stack in found.items():
        assert isinstance(stack, ArrayStack)
        for head in (0, 1):
            assert isinstance(stack.head(head), BlockArray)
            assert np.array_equal(np.asarray(stack.head(head)), getattr(held.heads[head], which))


def test_what_is_computed_of_a_store_is_what_the_definition_says(store, held):
    inputs = inputs_from_arrays(**document_of(store))
    engine = NumpyEngine(2)
    region = Region(1, (0, 60), (0, 60), (7, 6))
    stages = engine.compute(Request(inputs, 30, region))
    engine.close()
    assert_true(stages, Truth(held, 1))


def test_the_public_door_takes_the_path_of_a_store_or_of_its_arrays(store, held, monkeypatch):
    monkeypatch.setattr("attnviz.engine.arrays.DENSE_TOKENS", 20)
    arrays = {which: np.stack([getattr(head, which) for head in held.heads]) for which in "qkv"}
    wanted = attnviz.compute(**arrays)
    for paths in ([store], [str(store)], [store / "q", store / "k", store / "v"]):
        assert np.allclose(attnviz.compute(*paths).weights, wanted.weights, atol=1e-6)
    with pytest.raises(ValueError, match="k is missing"):
        attnviz.compute(arrays["q"])
    with pytest.raises(FileError, match=r"“gone\.zarr” cannot be opened. There is no Zarr store"):
        attnviz.compute("gone.zarr")
    with pytest.raises(FileError, match="There is no Zarr store in it"):
        attnviz.compute(store.parent)


def test_tokens_and_heads_of_a_store_are_named(tmp_path, held):
    path = written(tmp_path / "named.zarr", held, 3)
    group = zarr.open_group(path, mode="a")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # texts of numpy have no agreed form in the format yet
        group.create_array("tokens", data=np.array([f"w{index}" for index in range(60)]))
    inputs = inputs_from_arrays(**document_of(path))
    assert inputs.tokens[59] == "w59"


def test_a_store_is_imported_as_any_file_is(store, held):
    file = read_arrays(store)
    assert file.name == "big.zarr"
    assert {array.name: array.shape for array in file.arrays} == {
        "q": (2, 60, 4), "k": (2, 60, 4), "v": (2, 60, 3)
    }  # fmt: skip
    mark = next(store / name for name in ("zarr.json", ".zgroup") if (store / name).is_file())
    assert store_at(mark) == store
    assert read_arrays(mark).name == "big.zarr"


class TestAStoreThatIsNoLongerWhatItWas:
    @pytest.fixture
    def blocks(self, store, monkeypatch):
        monkeypatch.setattr("attnviz.core.store_rows.LOOKED_AT_EVERY", 0.0)
        monkeypatch.setattr("attnviz.core.row_sources.BLOCK_BYTES", 100)
        return array_at(store, "q").head(0)

    def test_that_vanished_says_so(self, blocks, store):
        shutil.rmtree(store)
        for look in (blocks.check, lambda: blocks[50]):
            with pytest.raises(LostArrayError, match="is not there any more; the picture shows"):
                look()

    def test_of_which_a_chunk_is_missing_is_not_read_as_zeros(self, blocks, store):
        for chunk in store.rglob("*"):
            if (
                chunk.is_file()
                and "q" in chunk.parts
                and chunk.name not in ("zarr.json", ".zarray", ".zattrs")
            ):
                chunk.unlink()
        with pytest.raises(LostArrayError, match="has changed since it was opened"):
            blocks[50]

    def test_that_was_written_to_says_so(self, blocks, store, held):
        time.sleep(0.02)
        zarr.open_group(store, mode="a")["q"][0, 50] = 7.0
        with pytest.raises(LostArrayError, match="has changed since it was opened"):
            blocks[50]


def test_objects_are_never_unpickled(tmp_path):
    path = tmp_path / "evil.zarr"
    zarr.open_array(path, mode="w", shape=(30, 4), chunks=(30, 4), dtype="f4", zarr_format=2)[:] = 1
    metadata = json.loads((path / ".zarray").read_text())
    metadata["filters"] = [{"id": "pickle", "protocol": 5}]
    (path / ".zarray").write_text(json.dumps(metadata))
    for read in (read_store, lambda path: array_at(path, "q")):
        with pytest.raises(FileError, match="could run anything"):
            read(path)


def test_a_chunk_that_is_no_array_of_numbers_is_one_sentence(store):
    for chunk in store.rglob("*"):
        if chunk.is_file() and chunk.suffix != ".json" and not chunk.name.startswith(".z"):
            chunk.write_bytes(b"nonsense")
    blocks = array_at(store, "q").head(0)
    with pytest.raises(LostArrayError, match="cannot be read any more"):
        blocks[50]


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"zarr_format": 9}', '{"zarr_format": 3, "node_type": "array"}']
)
def test_damaged_stores_are_one_sentence(tmp_path, content):
    (tmp_path / "bad.zarr").mkdir()
    (tmp_path / "bad.zarr" / "zarr.json").write_text(content)
    with pytest.raises(FileError, match="damaged"):
        read_store(tmp_path / "bad.zarr")


def test_a_chunk_of_more_than_can_be_read_at_once_is_refused(tmp_path):
    path = tmp_path / "huge.zarr"
    zarr.open_array(path, mode="w", shape=(2**40, 4), chunks=(2**40, 4), dtype="f4")
    (value,) = read_store(path).values()
    assert "bytes at a time" in str(value)


def test_where_zarr_is_not_installed_it_says_what_to_install(store, monkeypatch):
    load = builtins.__import__

    def without(name, *arguments, **options):
        if name == "zarr":
            raise ImportError(name)
        return load(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(FileError, match=r"pip install 'attnviz\[arrays\]'"):
        read_store(store)
