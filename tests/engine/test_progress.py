"""How far the work is, stopping it, early pictures, threads and memory."""

from __future__ import annotations

import gc
import sys
import threading

import numpy as np
import pytest
import threadpoolctl

from attnviz.core import edits
from attnviz.core.request import HEAD_OUTPUTS, Region, Request
from attnviz.core.stages import STAGE_NAMES
from attnviz.engine.buffers import Buffers
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.engine.team import Team
from tests.engine.documents import assert_accurate, document


@pytest.mark.parametrize("n", [1, 10, 600])
def test_progress_rises_to_one(engine, n):
    told = []
    request = Request.whole(document(n, n_heads=2), extras=frozenset([HEAD_OUTPUTS]))
    stages = engine.compute(request, None, lambda done, partial: told.append(done) or True)
    assert stages is not None
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert told.count(1.0) == 1


@pytest.mark.parametrize("n", [1, 10, 600])
def test_answering_no_stops_the_computation(engine, n):
    calls = []
    assert engine.compute(Request.whole(document(n)), None, lambda *told: calls.append(told)) is None
    assert len(calls) == 1


def test_a_stopped_computation_leaves_the_engine_usable(engine):
    inputs = document(600, 16)
    engine.compute(Request.whole(inputs), None, lambda *_: False)
    assert_accurate(engine.compute(Request.whole(inputs)))


def test_pictures_come_before_the_outputs_of_many_heads(engine, monkeypatch):
    monkeypatch.setattr(sys.modules[type(engine).__module__], "_PARTIAL_WORK", 1)
    inputs = document(300, 8, n_heads=3)
    early = []

    def progress(done, partial):
        early.extend([] if partial is None else [(done, partial)])
        return True

    full = engine.compute(Request.whole(inputs, 1, 7, frozenset([HEAD_OUTPUTS])), None, progress)
    done, partial = early[0]
    assert 0 < done < 1
    assert partial.is_partial
    assert not full.is_partial
    assert list(partial.head_outputs) == [1]
    assert list(full.head_outputs) == [0, 1, 2]
    for stage in STAGE_NAMES:
        assert all(
            a is b for a, b in zip(partial.picture(stage).blocks, full.picture(stage).blocks, strict=True)
        )


@pytest.mark.parametrize("stop_at", [1, 2, 3, 4, 5])
def test_stopping_anywhere_gives_nothing(lone_engine, monkeypatch, stop_at):
    monkeypatch.setattr(sys.modules[type(lone_engine).__module__], "_PARTIAL_WORK", 1)
    calls = []

    def progress(*told):
        calls.append(told)
        return len(calls) < stop_at

    request = Request.whole(document(600, 8, n_heads=3), extras=frozenset([HEAD_OUTPUTS]))
    assert lone_engine.compute(request, None, progress) is None
    assert len(calls) == stop_at


def test_stages_say_who_computed_them_and_how_long_it_took(engine):
    stages = engine.compute(Request.whole(document(10)))
    assert stages.engine == engine.name
    assert 0 < stages.seconds < 10


def test_numpy_says_how_many_threads_it_has():
    assert NumpyEngine(1).name == "CPU: numpy, 1 thread"
    assert NumpyEngine(2).name == "CPU: numpy, 2 threads"


def test_small_documents_wake_no_thread():
    engine = NumpyEngine(4)
    before = threading.active_count()
    engine.compute(Request.whole(document(10)))
    assert threading.active_count() == before
    engine.close()


def test_closing_ends_all_threads():
    engine = NumpyEngine(3)
    engine.compute(Request.whole(document(600, 16)))
    assert any(thread.name.startswith("attnviz-engine") for thread in threading.enumerate())
    engine.close()
    assert not any(thread.name.startswith("attnviz-engine") for thread in threading.enumerate())


def test_blas_gets_its_threads_back():
    engine = NumpyEngine(2)

    def threads():
        return [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]

    before = threads()
    engine.compute(Request.whole(document(600, 16)))
    assert threads() == before
    engine.close()


def test_a_failing_job_fails_the_run_and_leaves_none_behind():
    team = Team(2)
    done = []

    def fails():
        raise RuntimeError("broken")

    for jobs in ([fails] + [lambda: done.append(1)] * 50, [lambda: done.append(1)] * 2 + [fails] * 50):
        with pytest.raises(RuntimeError, match="broken"):
            team.run(jobs, lambda n: True, 10**9)
    assert team.run([lambda: done.append(2)] * 5, lambda n: True, 10**9)
    assert done.count(2) == 5
    team.close()


def test_memory_is_used_again_only_when_no_view_of_it_lives():
    buffers = Buffers()
    buffers.resize(128, 512)
    first = buffers.empty(128, 512)
    place = first.ctypes.data
    view = first[3:5, 1:]
    view.flags.writeable = False
    del first
    gc.collect()
    assert buffers.idle_bytes == 0
    second = buffers.empty(128, 512)
    assert not np.shares_memory(second, view)
    del view
    assert buffers.idle_bytes == 128 * 512 * 4
    third = buffers.empty(100, 512)
    assert third.ctypes.data == place
    assert third.shape == (100, 512)


def test_memory_of_another_size_is_let_go():
    buffers = Buffers(max_idle=1 << 20)
    buffers.resize(128, 512)
    arrays = [buffers.empty(128, 512) for _ in range(6)]
    del arrays
    assert 0 < buffers.idle_bytes <= (1 << 20) + 128 * 512 * 4
    late = buffers.empty(128, 512)
    buffers.resize(128, 1024)
    assert buffers.idle_bytes == 0
    del late
    assert buffers.idle_bytes == 0
    assert buffers.empty(128, 2048).shape == (128, 2048)
    buffers.close()


def test_what_comes_back_late_is_not_taken_for_the_new_size():
    buffers = Buffers()
    buffers.resize(128, 512)
    small = buffers._memory()
    buffers.resize(128, 1024)
    # As when an array dies in another thread in just that moment.
    buffers._idle.setdefault(None, []).append(small)
    array = buffers.empty(128, 1024)
    assert array.ctypes.data != small.address
    assert buffers.idle_bytes == 0


@pytest.mark.parametrize("edit", [None, "q", "k", "v"])
def test_dropped_answers_give_their_memory_back_without_the_garbage_collector(engine, edit):
    buffers = engine._buffers if isinstance(engine, NumpyEngine) else engine._rooms.buffers
    inputs = document(300, 8, n_heads=2)
    request = Request.whole(inputs, extras=frozenset([HEAD_OUTPUTS]))
    gc.collect()
    gc.disable()
    try:
        stages = engine.compute(request, None, lambda *_: True)
        if edit is not None:
            changed = edits.set_vector_value(inputs, 0, edit, 150, 0, 2.0)
            stages = engine.compute(Request.whole(changed), stages)
        held = {id(b): b for stage in STAGE_NAMES for b in stages.picture(stage).blocks}
        n_blocks, idle = len(held), buffers.idle_bytes
        del stages, held
        assert buffers.idle_bytes == idle + n_blocks * 128 * 300 * 4
    finally:
        gc.enable()


def test_answers_outlive_the_engine_and_the_blocks_of_later_ones():
    engine = NumpyEngine(2)
    kept = [engine.compute(Request.whole(document(300, 8, seed=seed))) for seed in range(3)]
    copies = [stages.weights.array().copy() for stages in kept]
    for seed in range(10, 14):
        engine.compute(Request.whole(document(300, 8, seed=seed)))
    engine.close()
    for stages, copy in zip(kept, copies, strict=True):
        assert np.array_equal(stages.weights.array(), copy)


def test_a_part_of_a_head_is_no_earlier_answer_for_the_whole(engine):
    inputs = document(300, 8)
    part = engine.compute(Request(inputs, 0, Region(0, (5, 200), (0, 300))))
    assert_accurate(engine.compute(Request.whole(inputs), part))


def test_a_team_is_asked_whether_to_go_on_while_helpers_end_their_last_jobs():
    team, asked = Team(2), []
    is_begun, is_stopped = threading.Event(), threading.Event()

    def job():
        if threading.current_thread() is threading.main_thread():
            is_begun.wait(30)  # the helper has the other one
        else:
            is_begun.set()
            is_stopped.wait(30)

    def between(done):
        asked.append(done)
        if len(asked) == 4:
            is_stopped.set()
        return len(asked) < 4

    assert not team.run([job, job], between, 10**9)
    assert asked == [1, 1, 1, 1]
    team.close()
