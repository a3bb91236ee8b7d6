import io

import numpy as np
import pytest

from attnviz.io.npy import npy_bytes, read_npy


@pytest.mark.parametrize(
    ("kind", "array"), [("<f4", np.eye(3, 2, dtype=np.float32)), ("|b1", np.eye(3, 2) > 0)]
)
def test_numpy_reads_what_is_written_and_it_reads_what_numpy_writes(kind, array):
    file = io.BytesIO()
    np.save(file, array)
    for content in (npy_bytes(array), file.getvalue()):
        mine = read_npy(content, kind, "a")
        assert mine.dtype == array.dtype
        assert np.array_equal(mine, np.load(io.BytesIO(content)))
        assert not mine.flags.writeable


def test_columns_first_in_memory_are_rows_first_in_the_file():
    array = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert read_npy(npy_bytes(array), "<f4", "a").tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_header_of_any_length_is_read():
    content = npy_bytes(np.arange(6, dtype=np.float32).reshape(2, 3))
    size = int.from_bytes(content[8:10], "little")
    for more in (1, 2, 3):  # numbers that lie across the machine's words
        odd = (
            content[:8] + (size + more).to_bytes(2, "little") + content[10:-24] + b" " * more + content[-24:]
        )
        array = read_npy(odd, "<f4", "a")
        assert array.flags.aligned
        assert not array.flags.writeable
        assert array.tolist() == [[0, 1, 2], [3, 4, 5]]
