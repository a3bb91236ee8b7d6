"""The CUDA engine over the emulated driver: what it launches and copies, its memory, and its faults."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnviz.core import edits
from attnviz.core.request import HEAD_OUTPUTS, Region, Request
from attnviz.core.stages import STAGE_NAMES
from attnviz.engine.base import EngineUnavailable
from attnviz.engine.cuda_errors import DeviceFull
from attnviz.engine.numpy_engine import NumpyEngine
from tests.engine.documents import assert_accurate, assert_same, document, mask_of
from tests.engine.random_edits import random_edit

pytestmark = pytest.mark.emulated

ALL_HEADS = frozenset([HEAD_OUTPUTS])
ROOT = Path(__file__).resolve().parents[2]
ONE_BLOCK = 16 * 128 * 300  # bytes of the four squares of 128 of 300 rows


class Recorder:
    """Notes which kernels are launched, and what is copied, from its making on."""

    def __init__(self, engine) -> None:
        self._rooms = engine._rooms
        self.launched: list[str] = []
        self._kernels = self._rooms.launches._kernels
        for room in (self._rooms.launches, self._rooms.pooling, self._rooms.outputs):
            room._kernels = self
        self._up, self._down = self._rooms.uploads.copied_bytes, self._rooms.downloads.copied_bytes

    def __getattr__(self, name: str):
        def launch(*args, **kwargs):
            self.launched.append(name)
            return getattr(self._kernels, name)(*args, **kwargs)

        return launch

    @property
    def sent(self) -> int:
        """Bytes copied to the device."""
        return self._rooms.uploads.copied_bytes - self._up

    @property
    def fetched(self) -> int:
        """Bytes copied from the device."""
        return self._rooms.downloads.copied_bytes - self._down


def computed_anew(engine, request: Request):
    """Answer with nothing of what lies on the device taken for right."""
    engine._rooms.forget()
    return engine.compute(request)


def still_there(kind: str) -> int:
    """How many things of a kind the emulated driver has still to take back."""
    return ctypes.CDLL("libcuda.so.1").cudaemu_count(kind.encode())


# The same bits ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", ["causal", "none", "holes"])
@pytest.mark.parametrize(
    "region",
    [
        Region(0, (0, 300), (0, 300)),
        Region(0, (40, 290), (30, 200)),
        Region(0, (0, 300), (0, 300), (20, 30)),
        Region(0, (7, 295), (3, 300), (100, 150)),
    ],
)
def test_computing_in_parts_gives_the_same_bits(make_engine, mask, region):
    request = Request(document(300, 12, 5, n_heads=3, mask=mask), 150, region, ALL_HEADS)
    whole, parts = make_engine(), make_engine(square_bytes=ONE_BLOCK)
    assert_same(parts.compute(request), whole.compute(request), exactly=True)
    assert whole._rooms.squares.answered is not None
    assert parts._rooms.squares.answered is None


def test_parts_compute_only_blocks_that_changed(make_engine):
    engine = make_engine(square_bytes=ONE_BLOCK)
    inputs = document(300, 12)
    before = engine.compute(Request.whole(inputs))
    recorder = Recorder(engine)
    request = Request.whole(edits.set_vector_value(inputs, 0, "q", 140, 3, 2.5))
    now = engine.compute(request, before)
    assert recorder.launched == ["scores_tiled", "softmax_rows", "weighted_sum_tiled"]
    assert now.scores.blocks[0] is before.scores.blocks[0]
    assert_same(now, computed_anew(engine, request), exactly=True)


EDITS = {
    "q": lambda i: edits.set_vector_value(i, 0, "q", 5, 1, 2.5),
    "k": lambda i: edits.set_vector_value(i, 0, "k", 5, 1, 2.5),
    "v": lambda i: edits.set_vector_value(i, 0, "v", 5, 1, 2.5),
    "apart": lambda i: edits.set_vector_value(EDITS["q"](i), 0, "q", 8, 0, -1.0),
    "many keys apart": lambda i: EDITS["k"](edits.set_vector_value(i, 0, "k", 8, 0, -1.0)),
    "strength": lambda i: edits.set_scale_strength(i, 2.0),
    "mask": lambda i: edits.set_mask(i, mask_of("holes", i.n_tokens, seed=9)),
    "fill": lambda i: edits.set_mask_fill(i, -1.5),
    "all": lambda i: EDITS["q"](EDITS["k"](EDITS["v"](EDITS["strength"](EDITS["fill"](i))))),
    "size": lambda i: edits.resize_head(i, 0, 6, 9),
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("mask", ["causal", "none", "holes"])
@pytest.mark.parametrize("n", [10, 70, 200])
def test_an_edit_gives_the_bits_of_a_full_computation(lasting_engine, n, mask, edit):
    inputs = document(n, 12, 7, mask=mask)
    before = lasting_engine.compute(Request.whole(inputs))
    request = Request.whole(EDITS[edit](inputs))
    now = lasting_engine.compute(request, before)
    alone = lasting_engine.compute(request)
    anew = computed_anew(lasting_engine, request)
    assert_same(now, anew, exactly=True)
    assert_same(alone, anew, exactly=True)
    assert_accurate(now)


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
@pytest.mark.parametrize("n", [9, 150])
def test_whatever_came_before_the_bits_are_those_of_a_full_computation(lasting_engine, n, data):
    """Edits, heads, regions and earlier answers of any age, in any order, some of them broken off."""
    inputs = document(n, 6, n_heads=2, mask="holes")
    answers = [None]
    for _ in range(data.draw(st.integers(1, 6))):
        inputs = random_edit(inputs, data.draw)
        size, head = inputs.n_tokens, data.draw(st.integers(0, inputs.n_heads - 1))
        first, last = data.draw(st.sampled_from([(0, size), (size // 3, size), (0, size // 2 + 1)]))
        cells = data.draw(st.sampled_from([None, (4, 5)]))
        extras = data.draw(st.sampled_from([frozenset(), ALL_HEADS]))
        region = Region(
            head, (first, last), data.draw(st.sampled_from([(0, size), (size // 2, size)])), cells
        )
        request = Request(inputs, size // 2, region, extras)
        calls = data.draw(st.integers(0, 8))
        told = iter([*[True] * calls, False])
        if data.draw(st.booleans()):
            lasting_engine.compute(request, answers[-1], lambda *_, told=told: next(told, False))
        now = lasting_engine.compute(request, data.draw(st.sampled_from(answers)))
        assert_same(now, computed_anew(lasting_engine, request), exactly=True)
        answers.append(now)


@pytest.mark.parametrize("which", "qkv")
def test_an_edit_that_is_taken_back_gives_the_first_bits(engine, which):
    inputs = document(150, 12)
    first = engine.compute(Request.whole(inputs))
    for token in (20, 140):
        engine.compute(Request.whole(edits.set_vector_value(inputs, 0, which, token, 1, 2.5)))
    assert_same(engine.compute(Request.whole(inputs)), first, exactly=True)


@pytest.mark.parametrize("edit", ["q", "k", "v"])
def test_an_answer_of_numpy_is_not_mixed_in(engine, edit):
    inputs = document(150, 12)
    numpy = NumpyEngine(1)
    before = numpy.compute(Request.whole(inputs))
    numpy.close()
    request = Request.whole(EDITS[edit](inputs))
    now = engine.compute(request, before)
    assert_same(now, computed_anew(engine, request), exactly=True)
    for stage in STAGE_NAMES:
        assert not {id(b) for b in now.picture(stage).blocks} & {id(b) for b in before.picture(stage).blocks}


# Only what changed is launched and copied ------------------------------------------------------------


def test_an_edit_of_a_query_is_five_launches_and_travels_as_rows(engine):
    inputs = document(300, 16, 8)
    before = engine.compute(Request.whole(inputs))
    recorder = Recorder(engine)
    engine.compute(Request.whole(edits.set_vector_value(inputs, 0, "q", 140, 3, 2.5)), before)
    assert recorder.launched == ["scores_plain", "scale", "mask", "softmax_rows", "weighted_sum_rows"]
    assert recorder.sent == 4 * 16
    assert recorder.fetched == 4 * (4 * 300 + 2 + 8)


def test_an_edit_of_a_key_fetches_columns_of_scores_and_the_rows_that_see_it(engine):
    inputs = document(300, 16, 8)
    before = engine.compute(Request.whole(inputs))
    recorder = Recorder(engine)
    engine.compute(Request.whole(edits.set_vector_value(inputs, 0, "k", 256, 3, 2.5)), before)
    assert recorder.launched == ["scores_plain", "scale", "mask", "softmax_rows", "weighted_sum_tiled"]
    assert recorder.sent == 4 * 16
    columns, rows = 2 * 300 + 44, 44  # scores and scaled of all, masked of the block that sees the key
    assert recorder.fetched == 4 * (columns + rows * 300 + rows * 2 + rows * 8)


def test_an_edit_of_a_value_fetches_outputs_alone(engine):
    inputs = document(300, 16, 8)
    before = engine.compute(Request.whole(inputs))
    recorder = Recorder(engine)
    engine.compute(Request.whole(edits.set_vector_value(inputs, 0, "v", 256, 3, 2.5)), before)
    assert recorder.launched == ["weighted_sum_tiled"]
    assert recorder.sent == 4 * 8
    assert recorder.fetched == 4 * 44 * 8


def test_another_query_and_an_equal_document_launch_and_copy_nothing(engine):
    inputs = document(300, 16, mask="holes")
    before = engine.compute(Request.whole(inputs, query=3))
    recorder = Recorder(engine)
    engine.compute(Request.whole(inputs, query=7), before)
    head = replace(inputs.heads[0], q=inputs.heads[0].q.copy())
    engine.compute(Request.whole(inputs.with_head(0, head), query=7), before)
    assert (recorder.launched, recorder.sent, recorder.fetched) == ([], 0, 0)


def test_looking_at_a_part_of_what_is_held_launches_nothing(engine):
    inputs = document(300, 16)
    engine.compute(Request.whole(inputs))
    recorder = Recorder(engine)
    part = engine.compute(Request(inputs, 50, Region(0, (40, 60), (0, 300))))
    assert recorder.launched == []
    assert_same(part, computed_anew(engine, part.request), exactly=True)


def test_an_equal_mask_is_not_sent_again(engine):
    inputs = document(300, 16, mask="holes")
    engine.compute(Request.whole(inputs))
    recorder = Recorder(engine)
    again = edits.set_mask(edits.set_scale_strength(inputs, 2.0), mask_of("holes", 300))
    engine.compute(Request.whole(again))
    assert recorder.sent == 0


@pytest.mark.parametrize("n", [40, 150])
def test_neighbouring_heads_of_one_shape_go_through_one_launch(engine, n):
    inputs = document(n, 8, n_heads=6)
    inputs = edits.resize_head(inputs, 4, 8, 5)
    recorder = Recorder(engine)
    engine.compute(Request.whole(inputs, head=0, extras=ALL_HEADS))
    # The region's own head; 1 to 3; 4; 5.
    assert recorder.launched.count("weighted_sum_tiled") == (3 if n == 40 else 4)


def test_an_edit_of_one_head_computes_no_other(engine):
    inputs = document(300, 8, n_heads=4)
    before = engine.compute(Request.whole(inputs, extras=ALL_HEADS))
    recorder = Recorder(engine)
    changed = edits.set_vector_value(inputs, 2, "q", 140, 3, 2.5)
    engine.compute(Request.whole(changed, extras=ALL_HEADS), before)
    assert recorder.launched == ["scores_tiled", "softmax_rows", "weighted_sum_tiled"]
    assert recorder.fetched == 4 * 128 * 8


def test_pooled_pictures_are_pooled_on_the_device(engine):
    recorder = Recorder(engine)
    engine.compute(Request(document(300, 8), 0, Region(0, (0, 300), (0, 300), (30, 30))))
    assert recorder.launched[-2:] == ["pool_largest", "pool_maximum"]
    assert recorder.fetched == 4 * (2 * 30 * 30 + 2 * 300 + 300 * 8)


# Memory and faults ---------------------------------------------------------------------------------


def test_closing_frees_everything_and_may_be_repeated(make_engine):
    kinds = ("memory", "pinned", "streams", "events", "modules")
    before = [still_there(kind) for kind in kinds]
    engine = make_engine()
    engine.compute(Request.whole(document(300, n_heads=3, mask="holes"), extras=ALL_HEADS))
    assert still_there("memory") > before[0]
    engine.close()
    engine.close()
    del engine
    assert [still_there(kind) for kind in kinds[:2]] == before[:2]


def test_no_context_stays_on_the_stack_between_computations(engine):
    import pycuda.driver

    engine.compute(Request.whole(document(10)))
    assert pycuda.driver.Context.get_current() is None


def test_answers_outlive_the_engine(make_engine):
    engine = make_engine()
    stages = engine.compute(Request.whole(document(150, 8)))
    copy = stages.weights.array().copy()
    engine.close()
    assert np.array_equal(stages.weights.array(), copy)
    assert_accurate(stages)


@pytest.mark.parametrize("nth", range(1, 14))
def test_without_memory_the_engine_says_so_and_stays_usable(make_engine, monkeypatch, nth):
    engine = make_engine()
    engine._rooms.free_memory()
    request = Request.whole(document(200, 8, n_heads=2, mask="holes"), extras=ALL_HEADS)
    monkeypatch.setenv("CUDAEMU_FAIL", f"cuMemAlloc:{nth}+:2")
    with pytest.raises(DeviceFull, match="too little free memory"):
        engine.compute(request)
    assert_no_device_memory(engine)
    monkeypatch.delenv("CUDAEMU_FAIL")
    stages = engine.compute(request)
    assert_accurate(stages)
    assert_same(stages, computed_anew(engine, request), exactly=True)


@pytest.mark.parametrize("kernel", ["scores_tiled", "softmax_rows", "weighted_sum_tiled"])
def test_a_launch_without_memory_leaves_nothing_that_passes_for_an_answer(make_engine, monkeypatch, kernel):
    engine = make_engine()
    request = Request.whole(document(200, 8, n_heads=2), extras=ALL_HEADS)
    before = engine.compute(request)
    edited = Request.whole(edits.set_scale_strength(request.inputs, 0.5), extras=ALL_HEADS)
    whole = Request.whole(document(200, 8, n_heads=2, seed=1), extras=ALL_HEADS)
    monkeypatch.setenv("CUDAEMU_FAIL", f"{kernel}:1:2")
    with pytest.raises(DeviceFull, match="too little free memory"):
        engine.compute(whole, before)
    monkeypatch.delenv("CUDAEMU_FAIL")
    assert_same(engine.compute(edited, before), computed_anew(engine, edited), exactly=True)


def assert_no_device_memory(engine) -> None:
    rooms = engine._rooms
    assert not any(memory.size for memory in (*rooms.squares._memory.values(), rooms.outputs._square))


def test_squares_that_do_not_fit_half_of_what_is_free_are_computed_in_parts(make_engine, monkeypatch):
    engine = make_engine()
    monkeypatch.setattr(engine._rooms, "_free_bytes", lambda: 3 * ONE_BLOCK)
    request = Request.whole(document(300, 8, n_heads=2), extras=ALL_HEADS)
    assert_accurate(engine.compute(request))
    assert engine._rooms.squares.answered is None


def test_wrong_numbers_are_no_engine(monkeypatch):
    from attnviz.engine import self_test
    from attnviz.engine.cuda_engine import CudaEngine

    right = self_test.define
    contexts = still_there("contexts")
    monkeypatch.setattr(
        self_test,
        "define",
        lambda inputs, head: replace(right(inputs, head), weights=right(inputs, head).scores),
    )
    with pytest.raises(EngineUnavailable, match=r"emulator.*wrong numbers \(weights\)"):
        CudaEngine()
    assert still_there("contexts") == contexts


FAULTS = ["softmax_rows:1:700", "scores_tiled:1:719", "cuMemcpyDtoHAsync:2:700", "weighted_sum_tiled:1:702"]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_lost_device_says_so_and_ends_without_a_word(fault):
    ran = run_alone(
        """
        engine.compute(Request.whole(document(100)))
        os.environ["CUDAEMU_FAIL"] = "FAULT"
        for size in (200, 10):
            try:
                engine.compute(Request.whole(document(size)))
            except DeviceLost as error:
                print(error)
        engine.close()
        engine.close()
    """.replace("FAULT", fault)
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    first, second = ran.stdout.splitlines()
    assert first == second
    assert "start attnviz again" in first


def test_an_engine_whose_context_was_lost_meanwhile_is_closed_without_a_word():
    ran = run_alone("""
        engine.compute(Request.whole(document(100)))
        os.environ["CUDAEMU_FAIL"] = "cuCtxPushCurrent:1:709"
        engine.close()
        print("closed")
    """)
    assert (ran.returncode, ran.stdout) == (0, "closed\n")


def test_a_thread_and_a_process_may_end_with_an_engine_that_nobody_closed():
    ran = run_alone("""
        kept = [engine]
        def work():
            kept.append(CudaEngine())
            kept[-1].compute(Request.whole(document(100)))
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        print("done")
    """)
    assert (ran.returncode, ran.stdout) == (0, "done\n")


def run_alone(body: str) -> subprocess.CompletedProcess[str]:
    """Run lines in a process of their own: a fault of the device stays until the process ends."""
    lines = body.splitlines()
    indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    code = "\n".join(
        [
            "import os, threading",
            "from attnviz.core.request import Request",
            "from attnviz.engine.cuda_engine import CudaEngine",
            "from attnviz.engine.cuda_errors import DeviceLost",
            "from tests.engine.documents import document",
            "engine = CudaEngine()",
            *(line[indent:] for line in lines),
        ]
    )
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True, timeout=120)


def test_each_thread_may_have_an_engine_of_its_own(engine):
    found = []

    def work():
        from attnviz.engine.cuda_engine import CudaEngine

        own = CudaEngine()
        found.append(own.compute(Request.whole(document(100))))
        own.close()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert_same(found[0], engine.compute(Request.whole(document(100))), exactly=True)


def test_the_name_says_which_device_it_is(engine):
    assert engine.name == "CUDA: CUDA emulator 0 (CPU, tests only)"
    assert "CUDAEMU" in os.environ
