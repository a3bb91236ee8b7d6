"""Pictures that carry their document: bit for bit, seen by others as the picture, hostile ones refused."""

import base64
import struct
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.output_edits import set_w_o
from attnviz.core.projection_edits import start_projection
from attnviz.core.selection import Selection
from attnviz.io import picture_session
from attnviz.io.opening import open_document
from attnviz.io.picture_session import KEYWORD, SIGNATURE, with_session
from attnviz.io.session import SUFFIX, save_session
from tests.io.documents import documents, large_document, small_document


def chunk(kind, content, check=None):
    check = zlib.crc32(kind + content) if check is None else check
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)


def picture(*chunks):
    """A PNG of one grey pixel, with more chunks before its end."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    data = chunk(b"IDAT", zlib.compress(b"\0\x80"))
    return SIGNATURE + header + data + b"".join(chunks) + chunk(b"IEND", b"")


def piece(text, *, head=KEYWORD + b"\0\x01\x00\0\0", packed=None, check=None):
    return chunk(b"iTXt", head + (zlib.compress(text) if packed is None else packed), check)


def chunks_of(png):
    """The chunks of a picture, whole, by their order."""
    place, found = len(SIGNATURE), []
    while place < len(png):
        length = int.from_bytes(png[place : place + 4], "big")
        found.append(png[place : place + 12 + length])
        place += 12 + length
    return found


def carrying(inputs, selection=None):
    return with_session(picture(), inputs, selection or Selection())


def many_pieces():
    """A document that needs more than one chunk."""
    random = np.random.default_rng(0)
    arrays = [random.normal(size=(600, 300)).astype(np.float32) for _ in range(3)]
    return Inputs("text", [f"t{index}" for index in range(600)], [Head("a", *arrays)])


@pytest.fixture
def opened(tmp_path):
    def read(png):
        path = tmp_path / "a.png"
        path.write_bytes(png)
        return open_document(path)

    return read


@pytest.fixture
def refusal(opened):
    def read(png):
        with pytest.raises(AttnvizError) as caught:
            opened(png)
        sentence = str(caught.value)
        assert "\n" not in sentence
        assert sentence.endswith(".")
        return sentence

    return read


@given(documents(), st.data())
def test_a_document_comes_back_bit_for_bit(tmp_path_factory, inputs, data):
    path = tmp_path_factory.mktemp("p") / "a.png"
    path.write_bytes(carrying(inputs))
    again = open_document(path)
    assert again.is_picture
    assert again.session.inputs.equals(inputs)


def test_projections_and_w_o_come_back_bit_for_bit(opened):
    inputs = start_projection(small_document(n_heads=2), 1)
    inputs = set_w_o(inputs, np.arange(12).reshape(4, 3) / 7, [1, 2, 3])
    session = opened(carrying(inputs, Selection(1, 2, 0))).session
    assert session.inputs.equals(inputs)
    assert session.selection == Selection(1, 2, 0)


def test_a_large_document_lies_in_several_chunks_and_comes_back(opened):
    png = carrying(many_pieces())
    assert len([part for part in chunks_of(png) if part[4:8] == b"iTXt"]) > 1
    assert all(len(part) < 1 << 20 for part in chunks_of(png))
    assert opened(png).session.inputs.equals(many_pieces())


def test_the_picture_itself_stays_as_it_was():
    png = carrying(large_document())
    assert [part for part in chunks_of(png) if part[4:8] != b"iTXt"] == chunks_of(picture())
    assert all(len(text) <= 1 << 20 for text in texts_of(png))


def texts_of(png):
    head = len(KEYWORD) + 5
    return [zlib.decompress(part[8 + head : -4]) for part in chunks_of(png) if part[4:8] == b"iTXt"]


def test_pillow_shows_the_picture_and_the_text():
    image = pytest.importorskip("PIL.Image")
    import io

    with image.open(io.BytesIO(carrying(many_pieces()))) as shown:
        shown.load()
        assert shown.getpixel((0, 0)) == 128
        assert KEYWORD.decode() in shown.text


def test_a_document_that_is_too_large_is_not_carried(monkeypatch):
    monkeypatch.setattr(picture_session, "MAX_CARRIED_BYTES", 10_000)
    assert carrying(small_document()) is not None
    assert carrying(many_pieces()) is None


def test_a_session_is_opened_as_ever_whatever_its_name(tmp_path):
    path = tmp_path / "a.png"
    save_session(path, small_document(), Selection())
    again = open_document(path)
    assert not again.is_picture
    assert again.session.inputs.equals(small_document())
    (tmp_path / f"b{SUFFIX}").write_bytes(carrying(small_document()))
    assert open_document(tmp_path / f"b{SUFFIX}").is_picture


@pytest.mark.parametrize(
    "others",
    [
        [],
        [chunk(b"tEXt", b"attnviz-session\0session")],
        [chunk(b"iTXt", b"attnviz-sessions\0\0\0\0\0text")],
        [chunk(b"iTXt", b"Comment\0\0\0\0\0attnviz-session\0")],
        [chunk(b"iTXt", b"")],
        [chunk(b"zTXt", b"attnviz-session\0\0" + zlib.compress(b"1 of 1\n"))],
    ],
    ids=["nothing", "tEXt", "longer keyword", "other keyword", "empty", "zTXt"],
)
def test_a_picture_of_somebody_else_is_said_to_carry_none(refusal, others):
    assert "This picture carries no document" in refusal(picture(*others))


def test_every_byte_that_is_cut_off_is_missed(refusal):
    whole = carrying(small_document())
    for length in range(len(SIGNATURE), len(whole)):
        refusal(whole[:length])


def test_no_bit_can_be_turned_in_the_document_unnoticed(refusal):
    whole = bytearray(carrying(small_document()))
    start = whole.index(b"iTXt") + 4 + len(KEYWORD) + 1
    for place in range(start, len(whole) - 12):
        whole[place] ^= 0x10
        assert "damaged" in refusal(bytes(whole))
        whole[place] ^= 0x10


ONE = base64.b64encode(b"PK")


@pytest.mark.parametrize(
    ("chunks", "words"),
    [
        ([piece(b"1 of 1\n" + ONE, check=0)], "a checksum is wrong"),
        ([piece(b"", packed=b"no zlib")], "cannot be unpacked"),
        ([piece(b"", packed=zlib.compress(b"1 of 1\n" + ONE)[:-1])], "cannot be unpacked"),
        ([piece(b"", packed=zlib.compress(b"1 of 1\n" + ONE) + b"x")], "cannot be unpacked"),
        ([piece(b"1 of 1\n!!!!")], "cannot be unpacked"),
        ([piece(b"1 of 1\nQQ")], "cannot be unpacked"),
        ([piece(b"1 of\n" + ONE)], "cannot be unpacked"),
        ([piece(b"99999 of 99999\n" + ONE)], "cannot be unpacked"),
        ([piece(b"1 of 1\n" + ONE, head=KEYWORD + b"\0\x00\x00\0\0")], "cannot be unpacked"),
        ([piece(b"1 of 1\n" + ONE, head=KEYWORD + b"\0\x01\x01\0\0")], "cannot be unpacked"),
        ([piece(b"1 of 2\n" + ONE)], "1 of its 2 parts are there"),
        ([piece(b"2 of 2\n" + ONE), piece(b"1 of 2\n" + ONE)], "not in order"),
        ([piece(b"1 of 1\n" + ONE)] * 2, "not in order"),
        ([piece(b"1 of 2\n" + ONE), piece(b"2 of 3\n" + ONE)], "not in order"),
        ([piece(b"0 of 0\n" + ONE)], "not in order"),
        ([piece(b"1 of 9999\n" + ONE)], "not in order"),
        ([piece(b"1 of 1\n" + base64.b64encode(b"PK\3\4"))], "damaged"),
        ([piece(b"1 of 1\n")], "carries no document"),
        ([piece(b"1 of 1\n" + base64.b64encode(b"dear diary"))], "not an attnviz session"),
    ],
)
def test_a_tampered_document_is_refused_with_the_reason(refusal, chunks, words):
    assert words in refusal(picture(*chunks))


def test_a_chunk_that_claims_more_than_there_is_is_refused(refusal):
    assert "cut short" in refusal(SIGNATURE + struct.pack(">I", 0xFFFFFFFF) + b"iTXt" + KEYWORD + b"\0")
    assert "cut short" in refusal(SIGNATURE)
    assert "cut short" in refusal(picture()[:-12])


def test_a_part_that_is_too_long_is_not_read(refusal):
    assert "at most" in refusal(picture(piece(b"", packed=bytes(2 << 20))))


@pytest.mark.parametrize("pieces", [1, 40])
def test_a_bomb_takes_no_memory(refusal, pieces):
    bomb = zlib.compress(b"1 of %d\n" % pieces + bytes(200 << 20), 9)
    content = picture(*[piece(b"", packed=bomb)] * pieces)
    tracemalloc.start()
    try:
        assert "cannot be unpacked" in refusal(content)
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_a_bomb_within_the_session_takes_no_memory(refusal, tmp_path):
    import io
    import zipfile

    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("session.json", b" " * (100 << 20))
    text = b"1 of 1\n" + base64.b64encode(file.getvalue())
    assert "too large" in refusal(picture(piece(text)))


def test_chunks_without_number_end(refusal, monkeypatch):
    monkeypatch.setattr(picture_session, "_MAX_CHUNKS", 10)
    assert "far too many chunks" in refusal(picture(*[chunk(b"tEXt", b"a\0b")] * 20))
