import importlib
import io
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import attnviz
from attnviz.__main__ import main
from attnviz.cli import window
from attnviz.core.selection import Selection
from attnviz.io import opening
from attnviz.io.errors import FileError
from attnviz.io.session import save_session
from tests.foreign_threads import start_those_of_zarr
from tests.io.documents import small_document


@pytest.fixture
def opened(monkeypatch):
    """The paths and engines that the window was opened on; no window opens."""
    paths = []
    module = ModuleType("attnviz.gui.app")
    module.run = lambda path, engine: paths.append((path, engine)) or 0
    monkeypatch.setitem(sys.modules, "attnviz.gui.app", module)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    return paths


@pytest.fixture(scope="module")
def zarr():
    zarr = pytest.importorskip("zarr", reason="pip install 'attnviz[arrays]' for this test")
    start_those_of_zarr()
    return zarr


def process(*arguments, environment=None, **options):
    """A process of its own, started with little around it."""
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT") if name in os.environ}
    return subprocess.run(
        [sys.executable, *arguments],
        env=keep | {"PYTHONPATH": os.pathsep.join(sys.path)} | (environment or {}),
        check=False,
        timeout=60,
        **({"capture_output": True} | options),
    )


def test_the_version_is_the_package_s(capfd):
    assert main(["--version"]) == 0
    assert capfd.readouterr().out == f"attnviz {attnviz.__version__}\n"


@pytest.mark.parametrize(
    ("locale", "title"), [("ja_JP.UTF-8", "手計算の例：3トークン"), ("en_US.UTF-8", "By hand: three tokens")]
)
def test_presets_are_listed_by_name_and_title_in_the_system_s_language(monkeypatch, capfd, locale, title):
    monkeypatch.setenv("LC_ALL", locale)
    assert main(["presets"]) == 0
    lines = capfd.readouterr().out.splitlines()
    names = ["neko", "toy", "english", "translation", "linear-map", "andrea", "gpt2-small", "long"]
    assert [line.split()[0] for line in lines] == names
    assert lines[1].split(maxsplit=1)[1] == title


def test_engines_are_listed_with_what_they_run_on(capfd):
    assert main(["engines"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert any(line.startswith("cpu ") and "numpy" in line for line in lines)


def test_an_engine_that_cannot_be_used_is_listed_with_the_reason(monkeypatch, capfd):
    monkeypatch.setattr("attnviz.engine.select.find_spec", lambda name: None)
    assert main(["engines"]) == 0
    assert capfd.readouterr().out.startswith("cuda  not available: PyCUDA is not installed;")


def test_asking_for_cuda_where_it_cannot_be_used_is_refused_with_the_reason(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr("attnviz.engine.select.find_spec", lambda name: None)
    for command, name in (("export", "a.npz"), ("render", "a.png")):
        assert main([command, "--engine", "cuda", "-o", str(tmp_path / name)]) == 2
        assert capfd.readouterr().err.startswith("PyCUDA is not installed;")
        assert main([command, "--engine", "auto", "-o", str(tmp_path / name)]) == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.npz", "a.png"]


@pytest.mark.parametrize("command", [[], ["presets"], ["engines"], ["export"], ["render"]])
def test_every_command_has_help(command, capfd):
    assert main([*command, "--help"]) == 0
    captured = capfd.readouterr()
    assert captured.out.startswith(" ".join(["usage: attnviz", *command]))
    assert not captured.err


def test_help_says_what_commands_there_are(capfd):
    main(["--help"])
    shown = capfd.readouterr().out
    assert all(f"attnviz {command}" in shown for command in ("presets", "engines", "render", "export"))


@pytest.mark.parametrize("command", ["presets", "engines"])
def test_a_list_takes_no_arguments(command, capfd):
    assert main([command, "more"]) == 2
    assert "more" in capfd.readouterr().err


def test_the_window_opens_on_nothing_or_a_session(tmp_path, opened):
    save_session(tmp_path / "a.attnviz", small_document(), Selection())
    assert main([]) == 0
    assert main([str(tmp_path / "a.attnviz")]) == 0
    assert opened == [(None, None), (str(tmp_path / "a.attnviz"), None)]


@pytest.mark.parametrize("name", ["mine.npz", "mine.npy", "mine.csv", "mine.tsv", "mine.JSON"])
def test_the_window_opens_on_arrays_to_import(tmp_path, opened, name):
    (tmp_path / name).write_text("1,2\n3,4\n", "utf-8")
    assert main([str(tmp_path / name)]) == 0
    assert opened == [(str(tmp_path / name), None)]


def test_a_session_is_read_once_and_only_looked_at_before_the_window(tmp_path, opened, monkeypatch):
    def read(path, watch=None):
        raise AssertionError("it is read by the window")

    monkeypatch.setattr(opening, "open_document", read)
    save_session(tmp_path / "a.attnviz", small_document(), Selection())
    assert main([str(tmp_path / "a.attnviz")]) == 0
    assert opened


def test_the_window_opens_on_a_zarr_store_of_q_k_and_v(tmp_path, opened, capfd, zarr):
    group = zarr.open_group(tmp_path / "big.zarr", mode="w")
    for which in "qk":
        group.create_array(which, data=np.ones((5, 4), np.float32))
    assert main([str(tmp_path / "big.zarr")]) == 2
    assert "There is no array “v” in it" in capfd.readouterr().err
    group.create_array("v", data=np.ones((5, 4), np.float32))
    assert main([str(tmp_path / "big.zarr")]) == 0
    assert opened == [(str(tmp_path / "big.zarr"), None)]


@pytest.mark.parametrize(
    ("option", "variable", "wish"),
    [
        (None, None, None),
        (None, "", None),
        (None, "cuda", "cuda"),
        ("cpu", "cuda", "cpu"),
        ("auto", None, "auto"),
    ],
)
def test_an_engine_may_be_asked_for_and_the_option_wins(monkeypatch, opened, option, variable, wish):
    monkeypatch.delenv("ATTNVIZ_ENGINE", raising=False)
    if variable is not None:
        monkeypatch.setenv("ATTNVIZ_ENGINE", variable)
    assert main([] if option is None else ["--engine", option]) == 0
    assert opened == [(None, wish)]
    for command, suffix in (("render", "png"), ("export", "npz")):
        parsed = importlib.import_module(f"attnviz.cli.{command}").parse(
            [*([] if option is None else ["--engine", option]), "-o", f"a.{suffix}"]
        )
        assert parsed.engine == (wish or "cpu")


@pytest.mark.parametrize("command", [[], ["render", "-o", "a.png"], ["export", "-o", "a.npz"]])
def test_an_engine_there_is_not_is_refused_by_its_three_names(monkeypatch, opened, capfd, command):
    assert main([*command, "--engine", "tpu"]) == 2
    assert capfd.readouterr().err == "--engine “tpu” is not there; choose one of auto, cuda, cpu.\n"
    monkeypatch.setenv("ATTNVIZ_ENGINE", "gpu")
    assert main(command) == 2
    assert capfd.readouterr().err == "ATTNVIZ_ENGINE is “gpu”; auto, cuda or cpu is wanted.\n"
    assert not opened


def test_a_session_named_like_a_command_is_opened_by_its_path(tmp_path, monkeypatch, opened, capfd):
    monkeypatch.chdir(tmp_path)
    save_session("presets", small_document(), Selection())
    assert main(["./presets"]) == 0
    assert opened == [("./presets", None)]
    assert main(["presets"]) == 0
    assert "neko" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.attnviz"], "There is no file “none.attnviz”"),
        (["rendr"], "There is no command and no file “rendr”; commands are presets, engines, render, export"),
        (["."], "folder"),
        (["none.npz"], "There is no file “none.npz”"),
        ([__file__], "It is not an attnviz session"),
        (["a.attnviz", "b.attnviz"], "b.attnviz"),
        (["--preset", "neko"], "--preset"),
        (["--colour"], "--colour"),
    ],
)
def test_what_cannot_be_opened_is_refused_before_the_window(arguments, words, opened, capfd):
    assert main(arguments) == 2
    captured = capfd.readouterr()
    assert words in captured.err
    assert captured.err.count("\n") == 1
    assert not opened


def test_without_a_display_no_window_is_tried(monkeypatch, opened, capfd):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert main([]) == 2
    assert "There is no display" in capfd.readouterr().err
    assert not opened


@pytest.mark.parametrize(
    ("environment", "platform"),
    [
        ({"DISPLAY": ":0"}, "linux"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux"),
        ({"QT_QPA_PLATFORM": "offscreen"}, "linux"),
        ({}, "darwin"),
        ({}, "win32"),
    ],
)
def test_with_a_display_the_window_is_tried(environment, platform):
    window.check_display(environment, platform)


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (FileError("It is gone."), 2, "It is gone."),
        (MemoryError(), 2, "not enough memory"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_what_ends_a_command_early_is_no_traceback(monkeypatch, capfd, error, code, words):
    def fail(_argv):
        raise error

    monkeypatch.setattr("attnviz.cli.presets.run", fail)
    monkeypatch.setattr("attnviz.__main__._forget", lambda _stream: None)
    assert main(["presets"]) == code
    captured = capfd.readouterr()
    assert words in captured.err
    assert "Traceback" not in captured.err


def test_a_library_that_qt_lacks_is_named(monkeypatch, opened, capfd):
    class Lacking:
        def __getattr__(self, name):
            raise ImportError("libEGL.so.1: cannot open shared object file", name="PySide6")

    monkeypatch.setitem(sys.modules, "attnviz.gui.app", Lacking())
    assert main([]) == 2
    assert "libEGL.so.1" in capfd.readouterr().err


def test_a_fault_of_the_program_is_not_hidden(monkeypatch, opened):
    monkeypatch.setitem(sys.modules, "attnviz.gui.app", ModuleType("attnviz.gui.app"))
    with pytest.raises(ImportError):
        main([])


def test_a_process_without_standard_output_says_so(monkeypatch, capfd):
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["presets"]) == 2
    assert "There is no standard output" in capfd.readouterr().err


def test_output_is_utf8_whatever_the_locale(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "ascii"))
    assert main(["presets"]) == 0
    assert "what does それ".encode() in raw.getvalue()


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_a_process_writes_utf8_under_the_plain_locale(locale):
    done = process("-m", "attnviz", "export", environment={"LC_ALL": locale, "PYTHONUTF8": "0"})
    assert done.returncode == 2
    done = process("-m", "attnviz", "export", "-o", "-", environment={"LC_ALL": locale, "PYTHONUTF8": "0"})
    assert done.returncode == 0
    assert done.stdout.decode("utf-8").startswith(",猫,が,魚,")
    assert not done.stderr


def test_a_reader_that_has_had_enough_is_no_error(tmp_path):
    tokens = tuple(str(index) for index in range(200))  # more than a pipe holds
    save_session(tmp_path / "a.attnviz", small_document(tokens), Selection())
    command = [
        sys.executable,
        "-m",
        "attnviz",
        "export",
        str(tmp_path / "a.attnviz"),
        "--stage",
        "scores",
        "-o",
        "-",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.read(1)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(60) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("command", [["presets"], ["export", "-o", "-"], ["--version"], ["render", "--help"]])
def test_a_full_standard_output_is_a_sentence(command):
    with Path("/dev/full").open("wb") as full:
        done = process("-m", "attnviz", *command, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.decode("utf-8").count("\n") == 1
    assert b"Standard output cannot be written" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_standard_error_changes_no_exit_code():
    with Path("/dev/full").open("wb") as full:
        done = process("-m", "attnviz", "--colour", capture_output=False, stderr=full)
    assert done.returncode == 2


def test_neither_export_nor_an_error_loads_qt(tmp_path):
    script = """
import sys
from attnviz.__main__ import main

assert main(["export", "--stage", "all", "-o", sys.argv[1]]) == 0
assert main(["presets"]) == main(["engines"]) == main(["render", "--help"]) == 0
assert main(["render", "--preset", "nobody", "-o", "a.png"]) == 2
assert main(["export", "--head", "9", "-o", "-"]) == 2
assert main(["none.attnviz"]) == 2
loaded = [name for name in sys.modules if name.startswith(("PySide6", "pyqtgraph", "attnviz.gui"))]
sys.exit(f"loaded: {loaded}" if loaded else 0)
"""
    done = process("-c", script, str(tmp_path / "a.npz"))
    assert done.returncode == 0, done.stderr.decode()
