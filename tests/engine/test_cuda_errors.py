"""Every way CUDA can refuse has a sentence of its own; the texts are what PyCUDA and CUDA say."""

from __future__ import annotations

import pytest

from attnviz.core.errors import AttnvizError
from attnviz.engine.base import EngineUnavailable
from attnviz.engine.cuda_errors import DeviceFull, DeviceLost, as_fault, as_unavailable


def of_pycuda(name: str, text: str) -> Exception:
    """An error as pycuda._driver raises it: a class of its own, of no kin to Python's class of that name."""
    base = type("Error", (Exception,), {"__module__": "pycuda._driver"})
    return (base if name == "Error" else type(name, (base,), {"__module__": "pycuda._driver"}))(text)


DRIVER = "/site-packages/pycuda/_driver.cpython-311-x86_64-linux-gnu.so"
AT_START = [
    (ModuleNotFoundError("No module named 'pycuda'"), "PyCUDA is not installed"),
    (
        ImportError("libcuda.so.1: cannot open shared object file: No such file or directory"),
        "There is no NVIDIA driver",
    ),
    (ImportError(f"{DRIVER}: undefined symbol: cuCtxCreate_v4"), "too old for this build of PyCUDA"),
    (
        ImportError(f"{DRIVER}: undefined symbol: cuArrayCreate_v2"),
        f"cannot be loaded ({DRIVER}: undefined symbol: cuArrayCreate_v2)",
    ),
    (ImportError("numpy._core.multiarray failed to import"), "built for another version of numpy"),
    (AttributeError("_ARRAY_API not found"), "built for another version of numpy"),
    (
        RuntimeError("module compiled against ABI version 0x1000009 but this version of numpy is 0x2000000"),
        "built for another version of numpy",
    ),
    (ModuleNotFoundError("No module named 'pytools'"), "cannot be loaded (No module named 'pytools')"),
    (ImportError("libcurand.so.10: cannot open shared object file"), "cannot be loaded (libcurand.so.10"),
    (of_pycuda("LogicError", "cuInit failed: CUDA driver is a stub library"), "is a stub"),
    (of_pycuda("LogicError", "cuInit failed: "), "is a stub"),
    (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "is a stub"),
    (
        of_pycuda(
            "LogicError", "cuInit failed: CUDA driver version is insufficient for CUDA runtime version"
        ),
        "do not fit each other",
    ),
    (
        of_pycuda(
            "LogicError", "cuInit failed: system has unsupported display driver / cuda driver combination"
        ),
        "do not fit each other",
    ),
    (of_pycuda("Error", "cuInit failed: system not yet initialized"), "nvidia-fabricmanager"),
    (of_pycuda("Error", "cuInit failed: unknown error"), "for no stated reason"),
    (
        of_pycuda("RuntimeError", "cuCtxCreate failed: CUDA-capable device(s) is/are busy or unavailable"),
        "in use by another program",
    ),
    (of_pycuda("MemoryError", "cuDevicePrimaryCtxRetain failed: out of memory"), "no memory left"),
    (
        of_pycuda(
            "RuntimeError",
            "cuModuleLoadDataEx failed: no kernel image is available for execution on the device - ",
        ),
        "for another kind of GPU",
    ),
    (of_pycuda("LogicError", "cuMemAlloc failed: something new."), "(cuMemAlloc failed: something new)"),
    (KeyError(), "(KeyError)"),
]


OTHER_GPU = of_pycuda("RuntimeError", "cuModuleLoadDataEx failed: no kernel image is available")


def test_the_folder_of_kernels_that_do_not_fit_is_the_one_in_use(monkeypatch):
    monkeypatch.setenv("ATTNVIZ_KERNEL_CACHE", "/somewhere/else")
    assert "delete /somewhere/else and" in str(as_unavailable(OTHER_GPU))
    monkeypatch.setenv("ATTNVIZ_KERNEL_CACHE", "")
    assert "delete" not in str(as_unavailable(OTHER_GPU))


@pytest.mark.parametrize(("error", "words"), AT_START, ids=lambda value: str(value)[:50])
def test_what_keeps_cuda_from_starting_is_said_in_one_sentence(error, words):
    reason = as_unavailable(error)
    assert type(reason) is EngineUnavailable
    assert words in str(reason)
    assert str(reason).endswith(".")
    assert "\n" not in str(reason)


def test_causes_have_sentences_of_their_own():
    groups = {words for _, words in AT_START if "(" not in words}
    assert len({as_unavailable(error).template for error, words in AT_START if words in groups}) == len(
        groups
    )


NO_GPU = of_pycuda("RuntimeError", "cuInit failed: no CUDA-capable device is detected")


@pytest.mark.parametrize("value", ["", "-1", " -1 ", "-1,0", ",0"])
def test_a_variable_that_hides_every_gpu_is_named(value, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    assert str(as_unavailable(NO_GPU)).startswith(
        f"CUDA_VISIBLE_DEVICES is “{value}”, which hides every GPU;"
    )


def test_a_variable_that_may_hide_every_gpu_is_named(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    assert "CUDA_VISIBLE_DEVICES is “7”" in str(as_unavailable(NO_GPU))


def test_without_the_variable_there_is_no_gpu(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert str(as_unavailable(NO_GPU)).startswith("The NVIDIA driver sees no GPU;")


def test_a_reason_that_is_known_already_stays():
    reason = EngineUnavailable("There is no compiler.")
    assert as_unavailable(reason) is reason


def test_a_fault_while_getting_ready_is_the_reason():
    reason = as_unavailable(
        as_fault(of_pycuda("LaunchError", "cuCtxSynchronize failed: unspecified launch failure"))
    )
    assert str(reason).startswith("CUDA could not be made ready: A computation on the GPU was broken off")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            of_pycuda("LogicError", "cuStreamSynchronize failed: an illegal memory access was encountered"),
            "memory that is not its own",
        ),
        (of_pycuda("LaunchError", "cuStreamSynchronize failed: unspecified launch failure"), "broken off"),
        (
            of_pycuda("LaunchError", "cuLaunchKernel failed: too many resources requested for launch"),
            "registers",
        ),
        (
            of_pycuda("LaunchError", "cuStreamSynchronize failed: the launch timed out and was terminated"),
            "took too long",
        ),
        (of_pycuda("RuntimeError", "cuMemcpyDtoH failed: context is destroyed"), "its context is gone"),
        (of_pycuda("LogicError", "cuMemAlloc failed: invalid device context"), "its context is gone"),
        (
            of_pycuda("Error", "cuMemcpyDtoH failed: uncorrectable ECC error encountered"),
            "cannot be corrected",
        ),
        (
            of_pycuda("LogicError", "cuMemcpyHtoD failed: invalid argument"),
            "(cuMemcpyHtoD failed: invalid argument)",
        ),
    ],
    ids=lambda value: str(value)[:50],
)
def test_a_fault_is_the_loss_of_the_device(error, words):
    fault = as_fault(error)
    assert type(fault) is DeviceLost
    assert words in str(fault)
    assert as_fault(fault) is fault


@pytest.mark.parametrize("text", ["cuMemAlloc failed: out of memory", "cuMemHostAlloc failed: out of memory"])
def test_too_little_memory_is_no_loss(text):
    fault = as_fault(of_pycuda("MemoryError", text))
    assert type(fault) is DeviceFull
    assert isinstance(fault, AttnvizError)


def test_a_text_that_a_driver_made_up_is_put_on_one_line():
    assert "a b" in str(as_unavailable(of_pycuda("Error", "a\nb")))
    assert len(str(as_fault(of_pycuda("Error", "x" * 5000)))) < 500
