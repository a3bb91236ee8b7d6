import sys

import pytest

from attnviz.text import sudachi
from attnviz.text.sudachi import SudachiSplitter, load_sudachi


@pytest.fixture
def nothing_loaded():
    sudachi._loaded.cache_clear()
    yield
    sudachi._loaded.cache_clear()


def test_there_is_one_splitter():
    assert load_sudachi() is load_sudachi() is not None


def test_without_the_package_there_is_no_splitter(monkeypatch, nothing_loaded):
    monkeypatch.setitem(sys.modules, "sudachipy", None)
    assert load_sudachi() is None


def test_without_its_dictionary_there_is_no_splitter(monkeypatch, nothing_loaded):
    monkeypatch.setitem(sys.modules, "sudachidict_small", None)
    assert load_sudachi() is None


@pytest.mark.parametrize("unit", ["猫", "𠮷", "が", "猫が"])
def test_no_chunk_is_larger_than_sudachi_takes(unit):
    run = unit * 20_000
    chunks = list(sudachi._chunks(run))
    assert "".join(chunks) == run
    assert max(len(chunk.encode()) for chunk in chunks) <= sudachi.MAX_BYTES


def test_a_chunk_ends_before_a_new_word():
    first, *_ = sudachi._chunks("猫が魚を食べた" * 1000)
    assert first.endswith(("が", "を", "た"))


def test_known_compounds_of_nouns_are_one_token():
    assert SudachiSplitter().split("図書館", {"図書館"}) == ["図書館"]
    assert SudachiSplitter().split("図書館", set()) == ["図書", "館"]


def test_known_words_do_not_join_what_is_more_than_nouns():
    assert SudachiSplitter().split("猫が", {"猫が"}) == ["猫", "が"]
