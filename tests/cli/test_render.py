"""The options of render; what it draws is tested with the window."""

import sys
from types import ModuleType

import pytest

from attnviz.__main__ import main
from attnviz.cli.render import parse
from attnviz.core.selection import Selection
from attnviz.io.picture_session import with_session
from attnviz.io.picture_wish import PANELS
from attnviz.io.session import save_session
from tests.io.documents import small_document


@pytest.fixture
def out(tmp_path):
    return str(tmp_path / "a.png")


@pytest.fixture
def drawn(monkeypatch):
    """The options that reach the drawing; nothing is drawn."""
    asked = []
    module = ModuleType("attnviz.gui.render_command")
    module.render = asked.append
    monkeypatch.setitem(sys.modules, "attnviz.gui.render_command", module)
    return asked


@pytest.fixture(autouse=True)
def english(monkeypatch):
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")


def test_without_options_it_is_neko_s_stages_in_light(out, drawn):
    assert main(["render", "-o", out]) == 0
    (options,) = drawn
    assert options.inputs.tokens[0] == "猫"
    assert options.selection == Selection(0, 6, 2)
    assert (options.panel, options.size, options.scale) == ("stages", (1200, 1000), 1.0)
    assert (options.language, options.theme, str(options.output)) == ("en", "light", out)


def test_every_option_is_taken(out, drawn):
    arguments = (
        "--preset toy --panel weights --head 0 --query 1 --size 640x480 --scale 2 --lang ja --theme dark"
    )
    assert main(["render", *arguments.split(), "-o", out]) == 0
    (options,) = drawn
    assert options.selection == Selection(0, 1, 1)
    assert (options.panel, options.size, options.scale) == ("weights", (640, 480), 2.0)
    assert (options.language, options.theme) == ("ja", "dark")


def test_a_session_is_drawn_as_it_was_saved(tmp_path, out):
    save_session(tmp_path / "a.attnviz", small_document(n_heads=2), Selection(1, 2, 0))
    options = parse([str(tmp_path / "a.attnviz"), "-o", out])
    assert options.inputs.equals(small_document(n_heads=2))
    assert options.selection == Selection(1, 2, 0)
    assert parse([str(tmp_path / "a.attnviz"), "--head", "0", "-o", out]).selection == Selection(0, 2, 0)


def test_a_picture_that_carries_a_document_is_drawn_and_no_document_leaves_it_out(tmp_path, out, drawn):
    path, inputs = tmp_path / "carries.png", small_document(n_heads=2)
    grey = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\0IEND\xaeB`\x82"
    path.write_bytes(with_session(grey, inputs, Selection(1, 2, 0)))
    assert main(["render", str(path), "-o", out]) == 0
    assert main(["render", str(path), "--no-document", "-o", out]) == 0
    assert drawn[0].inputs.equals(inputs)
    assert drawn[0].selection == Selection(1, 2, 0)
    assert [options.carries_document for options in drawn] == [True, False]


@pytest.mark.parametrize("panel", PANELS)
def test_a_scale_keeps_the_layout_unless_a_size_is_given(panel, out):
    once, twice = (parse(["--panel", panel, "--scale", scale, "-o", out]) for scale in ("1", "2"))
    assert twice.size == (2 * once.size[0], 2 * once.size[1])
    assert parse(["--panel", panel, "--scale", "4", "--size", "1x16384", "-o", out]).size == (1, 16384)


@pytest.mark.parametrize(
    ("locale", "language", "head"),
    [("ja_JP.UTF-8", "ja", "意味"), ("C", "en", "meaning"), ("de_DE", "en", "meaning")],
)
def test_the_language_is_the_system_s(monkeypatch, locale, language, head, out):
    monkeypatch.setenv("LC_ALL", locale)
    options = parse(["-o", out])
    assert options.language == language
    assert options.inputs.heads[0].name == head


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--panel", "all"], "stages, scores, scaled, masked, weights, window"),
        (["--head", "2"], "There is no head 2"),
        (["--head", "-1"], "There is no head -1"),
        (["--query", "10"], "There is no query 10; 0 to 9 are there"),
        (["--query", "-1"], "There is no query -1"),
        (["--query", "それ"], "a whole number is wanted"),
        (["--query", "1.0"], "a whole number is wanted"),
        (["--size", "0x100"], "1 to 16384 pixels"),
        (["--size", "100x0"], "1 to 16384 pixels"),
        (["--size", "16385x1"], "1 to 16384 pixels"),
        (["--size", "999999999999x1"], "1 to 16384 pixels"),
        (["--size", "axb"], "--size “axb”"),
        (["--size", "100"], "--size “100”"),
        (["--size", "100x"], "--size “100x”"),
        (["--size=-1x5"], "--size “-1x5”"),
        (["--size", "1.5x2"], "--size"),
        (["--size", ""], "--size"),
        (["--scale", "0"], "from 1 to 4"),
        (["--scale", "9"], "from 1 to 4"),
        (["--scale", "nan"], "“nan” is not a number"),
        (["--scale", "inf"], "“inf” is not a number"),
        (["--scale", "1e400"], "out of range"),
        (["--scale", "2x"], "--scale"),
        (["--scale=-1"], "out of range"),
        (["--lang", "fr"], "ja, en"),
        (["--theme", "blue"], "light, dark"),
        (["--preset", "nobody"], "neko, toy, english"),
        (["none.attnviz"], "There is no file"),
        (["none.attnviz", "--preset", "toy"], "A file and a preset were given"),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(arguments, words, out, tmp_path, drawn, capfd):
    assert main(["render", *arguments, "-o", out]) == 2
    captured = capfd.readouterr()
    assert not captured.out
    assert words in captured.err
    assert captured.err.count("\n") == 1
    assert captured.err.endswith(".\n")
    assert not drawn
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("a.jpg", "does not end in .png"),
        ("a", "does not end in .png"),
        ("-", "does not end in .png"),
        ("", "does not end in .png"),
        ("none/a.png", "there is no folder"),
        ("folder.png", "it is a folder"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_drawing(
    target, words, tmp_path, monkeypatch, drawn, capfd
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.png").mkdir()
    assert main(["render", "-o", target]) == 2
    assert words in capfd.readouterr().err
    assert not drawn


def test_without_a_place_to_write_it_asks_for_one(drawn, capfd):
    assert main(["render"]) == 2
    assert "-o OUT.png" in capfd.readouterr().err
