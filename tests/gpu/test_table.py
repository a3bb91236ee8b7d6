"""The table of the measuring script says plainly whose times they are. Needs no device."""

from __future__ import annotations

from tests.gpu.table import REHEARSED, table_of

STEP = {"name": "all stages and outputs", "what": "whole", "µs": 100.0, "bytes": 2e8, "operations": 3.2e9}
EDIT = {**STEP, "name": "one row of q edited, T = 1024", "what": "edit", "µs": 101.0}
VALUES = {
    "is_rehearsal": False,
    "failed": {},
    "device": "Some GPU",
    "copy bandwidth": 4e6,
    "peak": 64e6,
    "12 × 1024 × 64": [STEP, EDIT],
    "edit to host": {"1024": {"median": 900.0, "p95": 990.0, "first answer": 5000.0}},
    "long documents": {"131072": {"coarse": 2e4, "full": 3e5, "edit": 900.0, "longest launch": 1500.0}},
    "torch": "not installed",
}


def test_a_real_device_has_shares_and_aims():
    table = table_of(VALUES)
    assert REHEARSED not in table
    # 2e8 bytes in 100 µs of 4e6 bytes/µs; 3.2e9 operations in 100 µs of 64e6 operations/µs
    assert "| all stages and outputs | 100.0 | 200.0 | 50% | 50% |" in table
    assert "writing them takes 50.0, their arithmetic 50.0; aim 150.0: met" in table
    assert "on the device: 101.0 µs; aim 100.0: NOT MET" in table
    assert "median 900 µs, p95 990; first answer 5000; aim 1000.0: met" in table
    said = "131,072 tokens, one head: coarse 20.0 ms, full 300.0 ms, edit 0.9 ms, longest launch 1.5 ms"
    assert said in table
    assert "torch: not installed" in table


def test_an_emulated_device_has_neither_whatever_it_was_started_as():
    for changed in ({"device": "CUDA emulator 0"}, {"is_rehearsal": True}):
        table = table_of({**VALUES, **changed})
        assert table.startswith(REHEARSED)
        assert "%" not in table
        assert "aim" not in table
        assert "bandwidth 4" not in table


def test_what_was_not_measured_is_named():
    table = table_of({"is_rehearsal": False, "failed": {"peak": "OSError: no nvcc"}})
    assert "NOT MEASURED: peak: OSError: no nvcc" in table
    assert "torch: not measured" in table
