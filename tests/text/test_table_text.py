import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attnviz.core.errors import InputError
from attnviz.text import table_text
from attnviz.text.table_text import format_table, parse_table

tables = hnp.arrays(
    np.float32,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=4),
    elements=st.floats(-1e6, 1e6, width=32),
)


@given(tables)
def test_a_copied_table_is_pasted_bit_for_bit(table):
    assert np.array(parse_table(format_table(table)), np.float32).tobytes() == table.tobytes()


@given(tables)
def test_it_survives_a_spreadsheets_line_ends_and_quotes(table):
    text = "\r\n".join(
        "\t".join(f'"{cell}"' for cell in row.split("\t")) for row in format_table(table).split("\n")
    )
    assert np.array(parse_table(text + "\r\n"), np.float32).tobytes() == table.tobytes()


def test_a_table_is_written_with_tabs_in_shortest_digits():
    assert format_table(np.array([[0.1, -2], [3, 1e-5]], np.float32)) == "0.1\t-2\n3\t1e-5"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1\t2\r\n3\t4\r\n", [[1, 2], [3, 4]]),
        ("1\t2\n3\t4", [[1, 2], [3, 4]]),
        ("1\t2\r3\t4\r", [[1, 2], [3, 4]]),
        ("1,2\n3,4\n", [[1, 2], [3, 4]]),
        ("1, 2", [[1, 2]]),
        ("0.5, 25\n1, 2", [[0.5, 25], [1, 2]]),
        ('"1"\t" 2 "\n3\t4', [[1, 2], [3, 4]]),
        (" 1 \t −2 \n", [[1, -2]]),
        ("7", [[7]]),
        ("1\n2\n3\n\n", [[1], [2], [3]]),
        ("１．５\t－２", [[1.5, -2]]),
        ("1e3\t.5", [[1000, 0.5]]),
    ],
)
def test_what_programs_put_on_the_clipboard_is_read(text, rows):
    assert parse_table(text) == rows


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "nothing to paste"),
        (" \r\n \n", "nothing to paste"),
        ("\t", "nothing to paste"),
        ("1\t\n", "Row 1, column 2"),
        ("1\t2\n3", "Row 2 .* has 1 cells, row 1 has 2"),
        ("1\n2\t3", "Row 2 .* has 2 cells, row 1 has 1"),
        ("1\t2\n3\tx", "Row 2, column 2 .*“x” is not a number"),
        ("1\tnan", "Row 1, column 2 .*nan"),
        ("inf\t1", "Row 1, column 1 .*inf"),
        ("1\t\t3", "Row 1, column 2 .*empty"),
        ("1\n\n3", "Row 2, column 1 .*empty"),
        ("1_000\t1", "1_000"),
        ("1e400\t1", "out of range"),
        ("0,5\t1,5", "Row 1, column 1 .*decimal comma"),
        ("0,75", "write 0.75 for one, “0, 75” for two"),
        ("0,75\r\n1,25\r\n", "decimal comma"),
        ('"1\t2', "Row 1"),
        ("猫\t魚", "Row 1, column 1"),
        ("1,000.5", "write 1000.5 for one, “1, 000.5” for several"),
        ("1,000\n-12,345,678.25", "commas between thousands"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused_with_its_place(text, words):
    with pytest.raises(InputError, match=words) as caught:
        parse_table(text)
    assert "\n" not in str(caught.value)


def test_a_whole_book_is_not_tried():
    with pytest.raises(InputError, match="too long"):
        parse_table("1" * (1 << 26))


@given(st.lists(st.lists(st.text("0123456789.eE+- ", max_size=6), min_size=1, max_size=4), min_size=1))
def test_many_numbers_at_once_are_read_as_one_by_one(cells):
    text = "\n".join("\t".join(row) for row in cells)
    try:
        at_once = parse_table(text)
    except InputError as error:
        at_once = str(error)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_text, "_plain_numbers", lambda cells: None)
        try:
            one_by_one = parse_table(text)
        except InputError as error:
            one_by_one = str(error)
    assert at_once == one_by_one


def test_numbers_of_a_large_table_are_not_read_one_by_one(monkeypatch):
    monkeypatch.setattr(table_text, "_number", lambda cell, row, column: pytest.fail("one by one"))
    assert parse_table("\n".join(["1.5\t-2\t3e2"] * 1000)) == [[1.5, -2, 300]] * 1000
