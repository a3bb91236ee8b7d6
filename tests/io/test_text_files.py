"""Plain texts are read in the encodings people have them in, and nothing else is taken for one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.io import text_files
from attnviz.io.errors import FileError
from attnviz.io.reading import Stopped
from attnviz.io.text_files import read_text

JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\r\n" * 3000
ENGLISH = "It was the best of times, it was the worst of times.\n" * 3000


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        (JAPANESE, "utf-8", "UTF-8"),
        (JAPANESE, "utf-8-sig", "UTF-8"),
        (JAPANESE, "utf-16", "UTF-16"),
        (JAPANESE, "utf-32", "UTF-32"),
        (JAPANESE, "cp932", "Shift_JIS"),
        (JAPANESE, "euc_jp", "EUC-JP"),
        (JAPANESE, "iso2022_jp", "ISO-2022-JP"),
        (JAPANESE, "utf-16-le", "UTF-16"),
        (JAPANESE, "utf-16-be", "UTF-16"),
        (ENGLISH, "utf-16-le", "UTF-16"),
        (ENGLISH + JAPANESE, "cp932", "Shift_JIS"),
        (ENGLISH + JAPANESE, "euc_jp", "EUC-JP"),
        ("Élève naïf, cœur à l’œuvre — déjà vu «été»\n" * 900, "cp1252", "Windows-1252"),
        (ENGLISH, "ascii", "UTF-8"),
        ("“A café” – don’t!\n" * 900, "cp1252", "Windows-1252"),
        ("🐱 שלום\u0301 " * 30_000, "utf-8", "UTF-8"),
        ("猫", "utf-8", "UTF-8"),
    ],
)
def test_a_text_is_read_in_the_encoding_it_was_saved_in(tmp_path, text, codec, name):
    path = tmp_path / "book.txt"
    path.write_bytes(text.encode(codec))
    file = read_text(path)
    assert file.text == text
    assert file.encoding == name


@given(
    text=st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), min_size=1)
)
@settings(max_examples=60)
def test_whatever_is_saved_as_utf_8_comes_back(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes(text.encode())
    assert read_text(path).text == text


def test_a_character_that_lies_between_two_parts_is_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "_PART", 5)
    path = tmp_path / "a.txt"
    path.write_text("猫が魚を食べた", "utf-8")
    assert read_text(path).text == "猫が魚を食べた"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "It is empty."),
        (b"\x00\x01\x02" * 100, "It is no text: there are NUL characters in it."),
        (b"MZ\x90\x00" * 100, "It is no text: there are NUL characters in it."),
        (b"\x81\x8d\x8f\x90\x9d\xff" * 100, "It is no text in an encoding that is known; save it as UTF-8."),
        ("猫".encode("utf-16")[:-1], "It is no text in an encoding that is known; save it as UTF-8."),
    ],
)
def test_what_is_no_text_is_refused_with_the_name_of_the_file(tmp_path, content, why):
    path = tmp_path / "book.txt"
    path.write_bytes(content)
    with pytest.raises(FileError) as refused:
        read_text(path)
    assert str(refused.value) == f"“{path}” cannot be opened: {why}"


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("Все счастливые семьи похожи друг на друга. " * 90, "koi8_r"),
        ("Все счастливые семьи похожи друг на друга. " * 90, "cp1251"),
        ("学而时习之，不亦说乎？" * 90, "gbk"),
        ("ｱｲｳｴｵ ｶｷｸｹｺ " * 90, "cp932"),
    ],
)
def test_a_text_in_an_encoding_that_is_not_known_is_not_shown_as_another(tmp_path, text, codec):
    path = tmp_path / "book.txt"
    path.write_bytes(text.encode(codec))
    with pytest.raises(FileError, match="no text in an encoding that is known"):
        read_text(path)


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (JAPANESE.encode() + b"\xe7\x8c", len(JAPANESE.encode())),
        (("Élève naïf, cœur. " * 90).encode() + b"\xff more", len(("Élève naïf, cœur. " * 90).encode())),
    ],
)
def test_a_damaged_text_is_refused_with_the_place_and_not_read_as_another(tmp_path, content, place):
    path = tmp_path / "book.txt"
    path.write_bytes(content)
    with pytest.raises(FileError, match=f"UTF-8 up to byte {place:,}, but not what stands there"):
        read_text(path)


def test_a_file_of_too_many_bytes_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "MAX_BYTES", 1000)
    path = tmp_path / "book.txt"
    path.write_text("x" * 1001)
    with pytest.raises(FileError, match="large"):
        read_text(path)


def test_reading_tells_how_far_it_is_and_can_be_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "_PART", 1000)
    path = tmp_path / "book.txt"
    path.write_text("word " * 2000)
    told = []

    def watch(fraction: float) -> bool:
        told.append(fraction)
        return fraction < 0.5

    with pytest.raises(Stopped):
        read_text(path, watch)
    assert told == [place / 10 for place in range(6)]


def test_a_folder_is_no_text(tmp_path):
    with pytest.raises(FileError, match="It is a folder"):
        read_text(tmp_path)
