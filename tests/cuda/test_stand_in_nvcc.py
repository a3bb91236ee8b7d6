"""The stand-in nvcc refuses what nvcc refuses, in its words."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.emulated

PROBES = Path(__file__).with_name("probes.cu")


def compiler(*arguments: str, path: str | None = None, **settings: str) -> subprocess.CompletedProcess[str]:
    folder = os.environ["CUDAEMU"]
    surroundings = {**os.environ, "PATH": path or os.environ["PATH"], **settings}
    return subprocess.run(
        [f"{folder}/bin/nvcc", *arguments], env=surroundings, text=True, capture_output=True
    )


@pytest.mark.parametrize(
    ("arch", "settings", "says"),
    [
        ("sm_70", {}, "Unsupported gpu architecture 'sm_70'"),
        ("sm_121", {"CUDAEMU_NVCC_MAX": "90"}, "Unsupported gpu architecture 'sm_121'"),
        ("sm_86", {"CUDAEMU_NVCC_MAX": "75"}, "Value 'sm_86' is not defined for option 'gpu-architecture'"),
    ],
)
def test_nvcc_refuses_an_architecture_it_does_not_know(tmp_path, arch, settings, says):
    result = compiler("--cubin", "-arch", arch, str(PROBES), "-o", f"{tmp_path}/out", **settings)
    assert result.returncode != 0
    assert says in result.stderr
    assert not any(tmp_path.iterdir())


def test_nvcc_needs_gcc(tmp_path):
    alone = f"{os.environ['CUDAEMU']}/bin"
    result = compiler("--cubin", "-arch", "sm_86", str(PROBES), "-o", f"{tmp_path}/out", path=alone)
    assert result.returncode != 0
    assert "gcc: No such file or directory" in result.stderr


def test_nvcc_names_the_line_of_an_error(tmp_path):
    source = tmp_path / "wrong.cu"
    source.write_text('#line 7 "softmax.cu"\nextern "C" __global__ void wrong(float *x) { x = nothing; }\n')
    result = compiler("--cubin", "-arch", "sm_86", str(source))
    assert result.returncode != 0
    assert "softmax.cu:7" in result.stderr
