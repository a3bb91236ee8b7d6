import json

import numpy as np
from hypothesis import given
from hypothesis.extra import numpy as hnp

from attnviz.core.numbers import format_shortest
from attnviz.io.digits import json_texts, shortest_float, shortest_texts
from tests.io.documents import SINGLES

rows = hnp.arrays(np.float32, 4, elements=SINGLES)


@given(rows)
def test_a_row_reads_as_its_numbers_do_one_by_one(row):
    assert shortest_texts(row) == [format_shortest(value) for value in row]


@given(rows)
def test_the_digits_give_every_float32_back_bit_for_bit(row):
    assert np.array([np.float32(text) for text in shortest_texts(row)]).tobytes() == row.tobytes()


@given(rows)
def test_json_gives_every_float32_back_bit_for_bit(row):
    read = json.loads(f"[{', '.join(json_texts(row))}]")
    assert np.array([np.float32(value) for value in read]).tobytes() == row.tobytes()


def test_no_digit_is_written_that_is_not_needed():
    row = np.array([0, -0.0, 1, 0.1, -np.inf, 1e7, 16777216, 1e-5], np.float32)
    assert shortest_texts(row) == ["0", "-0", "1", "0.1", "-inf", "10000000", "16777216", "1e-5"]
    assert json_texts(row)[1] == "-0.0"
    assert json_texts(row)[4] == '"-inf"'
    assert repr(shortest_float(np.float32(0.1))) == "0.1"
