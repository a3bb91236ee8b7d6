"""The emulated driver itself: what it has to catch it catches, and it fails when asked to.

Otherwise a green test on it would say nothing.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cuda.conftest import compiled
from tests.cuda.processes import run, with_context
from tests.cudaemu.build import copy_without

pytestmark = pytest.mark.emulated

PROBES = Path(__file__).with_name("probes.cu")


@pytest.fixture(scope="module")
def probes(driver, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("probes") / "probes.cubin"
    path.write_bytes(compiled(PROBES.read_text(encoding="utf-8")))
    return path


@pytest.fixture
def function(driver, probes, _context):
    """Gives a probe by name, in a context that is current."""
    _context.push()
    module = driver.module_from_buffer(probes.read_bytes())
    yield module.get_function
    driver.Context.pop()


LOAD = """
module = cuda.module_from_buffer(Path({probes!r}).read_bytes())
numbers = cuda.mem_alloc(400)
"""


def faulty(probes: Path, code: str, **settings: str) -> tuple[list[str], str]:
    """What a process printed, line by line, and what the emulator said on stderr; the process ends well."""
    result = with_context(LOAD.format(probes=str(probes)) + code, **settings)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines(), result.stderr


# ---- faults of kernels --------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [100, 101, 5000, -1, -2000])
def test_a_write_outside_an_array_is_a_fault(probes, at):
    code = f"""
module.get_function("write_at")(numbers, np.int32({at}), block=(1, 1, 1))
print(said(cuda.Context.synchronize))
"""
    lines, _ = faulty(probes, code)
    assert lines == ["LogicError: cuCtxSynchronize failed: an illegal memory access was encountered"]


def test_a_write_to_the_last_number_is_none(probes):
    code = """
module.get_function("write_at")(numbers, np.int32(99), block=(1, 1, 1))
print(repr(said(cuda.Context.synchronize)))
"""
    assert faulty(probes, code) == (["''"], "")


def test_a_fault_shows_in_the_next_call_and_stays_for_the_process(probes):
    code = """
print(repr(said(module.get_function("write_at"), numbers, np.int32(5000), block=(1, 1, 1))))
for call in (cuda.Context.synchronize, lambda: cuda.mem_alloc(4), cuda.mem_get_info):
    print("illegal memory access" in said(call))
end()
print("illegal memory access" in said(cuda.Device(0).retain_primary_context))
"""
    assert faulty(probes, code)[0] == ["''", "True", "True", "True", "True"]


@pytest.mark.parametrize(
    ("kernel", "error", "reason"),
    [
        ("leave_before_barrier", "LaunchError", "with 32 of 64 threads already returned"),
        ("two_barriers", "LaunchError", "reached at different lines"),
        ("wait_for_each_other", "LaunchError", "deadlock in block (0,0,0)"),
        ("name_others_only", "LaunchError", "excludes it"),
    ],
)
def test_threads_that_do_not_meet_are_a_fault(probes, kernel, error, reason):
    code = f"""
module.get_function({kernel!r})(numbers, block=(64, 1, 1))
print(said(cuda.Context.synchronize))
"""
    lines, complaint = faulty(probes, code)
    assert lines[0].startswith(f"{error}: cuCtxSynchronize failed: ")
    assert reason in complaint


def test_a_pointer_of_the_host_is_a_fault(probes):
    code = """
host = np.zeros(100, np.float32)
write_at = module.get_function("write_at")
write_at.prepare("Pi")
write_at.prepared_call((1, 1), (1, 1, 1), host.ctypes.data, 0)
print(said(cuda.Context.synchronize))
"""
    lines, complaint = faulty(probes, code)
    assert "illegal memory access" in lines[0]
    assert "is no device memory" in complaint


def test_parameters_of_another_size_are_refused(driver, function, capfd):
    write_at = function("write_at")
    write_at.prepare("PP")
    with pytest.raises(driver.LogicError, match="invalid argument"):
        write_at.prepared_call((1, 1), (1, 1, 1), driver.mem_alloc(4), 0)
    assert "takes 12 bytes of parameters, got 16" in capfd.readouterr().err


# ---- memory -------------------------------------------------------------------------------------------


def test_memory_that_nobody_wrote_is_nan(driver, function):
    read = np.empty(64, np.float32)
    driver.memcpy_dtoh(read, driver.mem_alloc(256))
    assert np.isnan(read).all()
    out = driver.mem_alloc(256)
    function("read_unwritten_shared")(out, block=(64, 1, 1))
    driver.memcpy_dtoh(read, out)
    assert np.isnan(read).all()


def test_copies_outside_an_array_are_refused(driver, function):
    room, numbers = driver.mem_alloc(400), np.zeros(101, np.float32)
    with pytest.raises(driver.LogicError, match="invalid argument"):
        driver.memcpy_htod(room, numbers)
    with pytest.raises(driver.LogicError, match="invalid argument"):
        driver.memcpy_dtoh(numbers, room)
    with pytest.raises(driver.LogicError, match="invalid argument"):
        driver.memcpy_htod(int(room) + 4, numbers[:100])


def test_part_of_a_square_is_copied_by_its_pitch(driver, function):
    square = np.arange(30, dtype=np.float32).reshape(5, 6)
    room, part = driver.mem_alloc(square.nbytes), np.empty((3, 2), np.float32)
    driver.memcpy_htod(room, square)
    copy = driver.Memcpy2D()
    copy.set_src_device(room)
    copy.set_dst_host(part)
    copy.src_pitch, copy.src_x_in_bytes, copy.src_y = 24, 12, 1
    copy.dst_pitch, copy.width_in_bytes, copy.height = 8, 8, 3
    copy(aligned=False)
    assert (part == square[1:4, 3:5]).all()
    copy.height = 5
    with pytest.raises(driver.LogicError, match="invalid argument"):
        copy(aligned=False)


@pytest.mark.parametrize("pinned", [False, True])
def test_with_async_a_copy_happens_when_somebody_waits(driver, function, monkeypatch, pinned):
    monkeypatch.setenv("CUDAEMU_ASYNC", "1")
    numbers = driver.pagelocked_zeros(10, np.float32) if pinned else np.zeros(10, np.float32)
    stream, room, read = driver.Stream(), driver.mem_alloc(40), np.zeros(10, np.float32)
    driver.memcpy_htod_async(room, numbers, stream)
    numbers[:] = 5  # too early
    driver.memcpy_dtoh_async(read, room, stream)
    assert (read == 0).all()
    stream.synchronize()
    assert (read == 5).all()


def test_events_come_in_the_order_of_their_stream(driver, function, monkeypatch):
    monkeypatch.setenv("CUDAEMU_ASYNC", "1")
    stream, first, second = driver.Stream(), driver.Event(), driver.Event()
    first.record(stream)
    second.record(stream)
    assert not first.query()
    second.synchronize()
    assert first.query()
    assert second.time_since(first) >= 0


def test_what_is_freed_is_free(driver, function):
    before = driver.mem_get_info()
    room = driver.mem_alloc(1 << 20)
    assert driver.mem_get_info()[0] == before[0] - (1 << 20)
    room.free()
    assert driver.mem_get_info() == before


# ---- what the language gives --------------------------------------------------------------------------


def test_shuffles_move_numbers_within_a_warp(driver, function):
    numbers = np.arange(64, dtype=np.float32)
    given, *out = (driver.mem_alloc(256) for _ in range(4))
    driver.memcpy_htod(given, numbers)
    function("warp_sums")(given, *out, block=(64, 1, 1))
    by_xor, by_down, first = (np.empty(64, np.float32) for _ in range(3))
    for to, room in zip((by_xor, by_down, first), out, strict=True):
        driver.memcpy_dtoh(to, room)
    totals = np.repeat(numbers.reshape(2, 32).sum(axis=1), 32)
    assert (by_xor == totals).all()
    assert (first == totals).all()
    assert (by_down[[0, 32]] == totals[[0, 32]]).all()


def test_dynamic_shared_memory_is_shared_by_the_block(driver, function):
    numbers = np.arange(40, dtype=np.float32)
    room = driver.mem_alloc(numbers.nbytes)
    driver.memcpy_htod(room, numbers)
    function("reverse_in_dynamic_shared")(room, np.int32(40), block=(40, 1, 1), shared=160)
    read = np.empty_like(numbers)
    driver.memcpy_dtoh(read, room)
    assert (read == numbers[::-1]).all()


# ---- limits of a GPU ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "grid", "block", "shared", "reason"),
    [
        ("at_most_64", (1, 1, 1), (65, 1, 1), 0, "too many resources"),
        ("too_much_shared", (1, 1, 1), (1, 1, 1), 0, "invalid argument"),
        ("reverse_in_dynamic_shared", (1, 1, 1), (1, 1, 1), 49153, "invalid argument"),
        ("leave_before_barrier", (1, 1, 1), (1025, 1, 1), 0, "invalid argument"),
        ("leave_before_barrier", (1, 1, 1), (1, 1, 65), 0, "invalid argument"),
        ("leave_before_barrier", (1, 65536, 1), (1, 1, 1), 0, "invalid argument"),
        ("leave_before_barrier", (1, 1, 65536), (1, 1, 1), 0, "invalid argument"),
    ],
)
def test_a_launch_beyond_the_limits_is_refused(driver, function, kernel, grid, block, shared, reason):
    room = driver.mem_alloc(4096)
    arguments = (room, np.int32(1)) if kernel == "reverse_in_dynamic_shared" else (room,)
    with pytest.raises(driver.Error, match=reason):
        function(kernel)(*arguments, grid=grid, block=block, shared=shared)


# ---- contexts and images ------------------------------------------------------------------------------


def test_a_call_without_a_context_is_refused(driver):
    with pytest.raises(driver.LogicError, match="invalid device context"):
        driver.mem_alloc(4)


def test_a_thread_has_no_context_but_its_own(probes):
    code = """
import threading
thread = threading.Thread(target=lambda: print(said(cuda.mem_alloc, 4)))
thread.start()
thread.join()
"""
    lines, _ = faulty(probes, code)
    assert lines == ["LogicError: cuMemAlloc failed: invalid device context"]


def test_an_image_of_another_architecture_is_refused(driver, function, probes, monkeypatch):
    monkeypatch.setenv("CUDAEMU_CC", "9.0")
    with pytest.raises(driver.RuntimeError, match="no kernel image is available"):
        driver.module_from_buffer(probes.read_bytes())


@pytest.mark.parametrize("damage", ["short", "changed", "other"])
def test_a_damaged_image_is_refused(driver, function, probes, damage):
    image = bytearray(probes.read_bytes())
    if damage == "short":
        image = image[:1000]
    if damage == "changed":
        image[5000] ^= 1
    if damage == "other":
        image = bytearray(b"no image at all, but long enough to be looked at")
    with pytest.raises(driver.Error, match="device kernel image is invalid"):
        driver.module_from_buffer(bytes(image))


# ---- failures that are asked for ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("34", "LogicError: cuInit failed: CUDA driver is a stub library"),
        ("35", "LogicError: cuInit failed: CUDA driver version is insufficient for CUDA runtime version"),
        ("100", "RuntimeError: cuInit failed: no CUDA-capable device is detected"),
        ("803", "LogicError: cuInit failed: system has unsupported display driver"),
        ("999", "Error: cuInit failed: unknown error"),
    ],
)
def test_init_fails_as_asked(code, says):
    result = run(
        """
        import pycuda.driver as cuda
        try:
            cuda.init()
        except cuda.Error as error:
            print(f"{type(error).__name__}: {error}")
        """,
        CUDAEMU_INIT_ERROR=code,
    )
    assert result.returncode == 0, result.stderr
    assert says.split(": ", 1)[1] in result.stdout
    assert result.stdout.startswith(says.split(":")[0])


def test_hidden_devices_are_not_there():
    result = run(
        "import pycuda.driver as cuda\ntry: cuda.init()\nexcept cuda.Error as error: print(error)",
        CUDA_VISIBLE_DEVICES="",
    )
    assert "no CUDA-capable device is detected" in result.stdout


def test_a_call_fails_once_or_for_ever(driver, function, monkeypatch):
    monkeypatch.setenv("CUDAEMU_FAIL", "cuMemGetInfo:2:2")
    driver.mem_get_info()
    with pytest.raises(driver.MemoryError, match="out of memory"):
        driver.mem_get_info()
    driver.mem_get_info()
    monkeypatch.setenv("CUDAEMU_FAIL", "cuMemAlloc:1+:2")
    for _ in range(2):
        with pytest.raises(driver.MemoryError, match="out of memory"):
            driver.mem_alloc(4)


def test_memory_ends(driver, function, monkeypatch):
    free, total = driver.mem_get_info()  # an engine that lasts for other tests holds some
    monkeypatch.setenv("CUDAEMU_TOTAL_MEM", str(total - free + 1000))
    driver.mem_alloc(600).free()
    with pytest.raises(driver.MemoryError, match="out of memory"):
        driver.mem_alloc(1001)


@pytest.mark.parametrize(
    ("code", "says"), [(700, "illegal memory access"), (719, "unspecified launch failure")]
)
def test_a_kernel_faults_when_asked_to(probes, code, says):
    lines, _ = faulty(
        probes,
        """
print(repr(said(module.get_function("write_at"), numbers, np.int32(0), block=(1, 1, 1))))
print(said(cuda.Context.synchronize))
""",
        CUDAEMU_FAIL=f"write_at:1:{code}",
    )
    assert lines[0] == "''"
    assert says in lines[1]


def test_a_launch_that_fails_for_want_of_memory_leaves_the_process_sound(probes):
    lines, _ = faulty(
        probes,
        """
print(said(module.get_function("write_at"), numbers, np.int32(0), block=(1, 1, 1)))
print(repr(said(module.get_function("write_at"), numbers, np.int32(0), block=(1, 1, 1))))
print(repr(said(cuda.Context.synchronize)))
""",
        CUDAEMU_FAIL="write_at:1:2",
    )
    assert "out of memory" in lines[0]
    assert lines[1:] == ["''", "''"]


def test_a_context_that_is_lost_can_be_made_anew(probes):
    code = """
print(said(cuda.mem_get_info))
print(said(cuda.mem_get_info))
end()
context = cuda.Device(0).retain_primary_context()
context.push()
print(repr(said(cuda.mem_get_info)))
"""
    lines, _ = faulty(probes, code, CUDAEMU_FAIL="cuMemGetInfo:1:709")
    assert all("context is destroyed" in line for line in lines[:2])
    assert lines[2] == "''"


def test_a_driver_that_lacks_an_entry_point_fails_at_import(tmp_path):
    copy_without("cuStreamCreate", tmp_path)
    result = run("import pycuda.driver", LD_LIBRARY_PATH=str(tmp_path))
    assert "undefined symbol: cuStreamCreate" in result.stderr
