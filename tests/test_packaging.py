"""The wheel carries all that the program needs, and works away from the source tree."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    # Not measured: the installed copy of the package is not the one whose coverage counts.
    kept = {name: value for name, value in os.environ.items() if name != "COVERAGE_PROCESS_CONFIG"}
    return subprocess.run(command, cwd=os.sep, env=kept | environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # Without build isolation nothing is downloaded: hatchling comes with the extra [test].
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    done = run(sys.executable, "-m", "pip", "wheel", *options, str(ROOT))
    assert done.returncode == 0, done.stdout + done.stderr
    [built] = folder.glob("attnviz-*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """A folder that holds the contents of the wheel and nothing of the source tree."""
    folder = tmp_path_factory.mktemp("installed")
    options = ["--quiet", "--no-deps", "--target", str(folder)]
    done = run(sys.executable, "-m", "pip", "install", *options, str(wheel))
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.parametrize("folder", ["cuda", "resources"])
def test_the_wheel_carries_every_file_of(folder, names):
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*") if path.is_file()}
    assert files
    assert {f"attnviz/_assets/{name}" for name in files} <= names


def test_the_wheel_carries_every_module_and_the_mark_of_types(names):
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "attnviz").rglob("*.py")}
    assert modules | {"attnviz/py.typed"} <= names


def test_the_wheel_carries_nothing_else(names):
    tops = {name.split("/")[0] for name in names}
    assert {re.sub(r"-.*\.", ".", top) for top in tops} == {"attnviz", "attnviz.dist-info"}
    assert not any("__pycache__" in name for name in names)


def test_the_wheel_carries_nothing_of_the_emulated_driver(names):
    emulator = {path.name for path in (ROOT / "tests" / "cudaemu").rglob("*") if path.is_file()}
    assert emulator
    inside = {name for name in names if "emu" in name or "libcuda" in name or Path(name).name == "nvcc"}
    assert inside == set()
    assert {Path(name).name for name in names} & emulator <= {"__init__.py", "README.md"}


@pytest.fixture(scope="module")
def metadata(wheel) -> str:
    """What the wheel says of itself and asks for, in lower case."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return archive.read(name).decode("utf-8").lower()


def test_only_the_extra_cuda_asks_for_pycuda_and_nvrtc(metadata):
    lines = re.findall(r"^requires-dist: (?:pycuda|nvidia-).*$", metadata, re.MULTILINE)
    assert len(lines) == 2
    assert all("extra == 'cuda'" in line for line in lines)


def test_the_wheel_keeps_the_pyside6_that_loses_none_away_from_old_pythons(metadata):
    [old] = re.findall(r"requires-dist: pyside6-essentials(\S*); python_version < '3.12'", metadata)
    assert "<6.12" in old.split(",")


def test_an_installed_wheel_finds_its_resources_inside_itself(installed):
    code = "from attnviz.assets import resource_path; print(resource_path('fonts'))"
    done = run(sys.executable, "-c", code, PYTHONPATH=str(installed))
    assert done.stderr == ""
    assert Path(done.stdout.strip()) == installed / "attnviz" / "_assets" / "resources" / "fonts"


def test_an_installed_wheel_finds_its_kernels_inside_itself(installed):
    code = "from attnviz.engine import kernel_sources as k; print(k.kernel_source().count('__global__'))"
    done = run(sys.executable, "-c", code, PYTHONPATH=str(installed))
    assert done.stderr == ""
    sources = (ROOT / "cuda").glob("*.cu")
    assert int(done.stdout) == sum(path.read_text(encoding="utf-8").count("__global__") for path in sources)


def test_an_installed_wheel_says_its_version(installed):
    from attnviz import __version__

    for command in ([sys.executable, "-m", "attnviz"], [str(installed / "bin" / "attnviz")]):
        done = run(*command, "--version", PYTHONPATH=str(installed))
        assert (done.returncode, done.stderr) == (0, "")
        assert __version__ in done.stdout
