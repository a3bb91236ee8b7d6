"""The gate for translations notices each way in which a translation can be wrong."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

SOURCE = """
class Window:
    def texts(self):
        return self.tr("Open {name}"), self.tr("Save")
"""


@pytest.fixture(scope="module")
def gate():
    spec = importlib.util.spec_from_file_location(
        "check_translations", ROOT / ".ci" / "check_translations.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(gate, tmp_path) -> Path:
    """A source tree whose two texts are translated and compiled."""
    (tmp_path / gate.SOURCES).mkdir(parents=True)
    (tmp_path / gate.TS).parent.mkdir(parents=True)
    (tmp_path / gate.SOURCES / "window.py").write_text(SOURCE, encoding="utf-8")
    gate.update(tmp_path, tmp_path / gate.TS)
    for english, japanese in {"Open {name}": "{name} を開く", "Save": "保存"}.items():
        translate(tmp_path / gate.TS, english, japanese)
    gate.release(tmp_path / gate.TS, tmp_path / gate.QM)
    return tmp_path


def translate(ts: Path, english: str, japanese: str) -> None:
    text = ts.read_text(encoding="utf-8")
    start = text.index(f"<source>{english}</source>")
    end = text.index("</translation>", start)
    before = text[: text.index("<translation", start)]
    ts.write_text(f"{before}<translation>{japanese}{text[end:]}", encoding="utf-8")


def test_a_complete_translation_has_no_findings(gate, tree):
    assert gate.findings(tree) == []


def test_a_tree_without_texts_needs_no_translation(gate, tmp_path):
    assert gate.findings(tmp_path) == []


def test_a_missing_file_is_found(gate, tree):
    (tree / gate.TS).unlink()
    [finding] = gate.findings(tree)
    assert "is missing" in finding


def test_a_text_that_is_new_in_the_sources_is_found(gate, tree):
    source = tree / gate.SOURCES / "window.py"
    source.write_text(SOURCE.replace('"Save"', '"Save as"'), encoding="utf-8")
    findings = gate.findings(tree)
    assert any("lacks" in finding and "Save as" in finding for finding in findings)
    assert any("which no source has" in finding and "'Save'" in finding for finding in findings)


def test_an_f_string_is_found(gate, tree):
    source = tree / gate.SOURCES / "window.py"
    source.write_text(SOURCE + '        self.tr(f"{name} is open")\n', encoding="utf-8")
    assert any("f-string" in finding for finding in gate.findings(tree))


def test_a_text_left_untranslated_is_found(gate, tree):
    gate.update(tree, tree / gate.TS)
    source = tree / gate.SOURCES / "window.py"
    source.write_text(SOURCE + '        self.tr("Close")\n', encoding="utf-8")
    gate.update(tree, tree / gate.TS)
    assert any("Close" in finding and "is not translated" in finding for finding in gate.findings(tree))


@pytest.mark.parametrize(
    ("japanese", "fault"),
    [("", "translated by nothing"), ("開く", "placeholders"), ("{file} を開く", "placeholders")],
)
def test_a_wrong_translation_is_found(gate, tree, japanese, fault):
    translate(tree / gate.TS, "Open {name}", japanese)
    gate.release(tree / gate.TS, tree / gate.QM)
    [finding] = gate.findings(tree)
    assert fault in finding


def test_a_compiled_file_that_is_out_of_date_is_found(gate, tree):
    translate(tree / gate.TS, "Save", "保存する")
    [finding] = gate.findings(tree)
    assert "is not what" in finding


def test_a_context_that_lupdate_guessed_wrong_is_found(gate, tree):
    source = tree / gate.SOURCES / "window.py"
    source.write_text(
        SOURCE + '        QCoreApplication.translate("A", "Yes")\n        self.tr("No")\n',
        encoding="utf-8",
    )
    gate.update(tree, tree / gate.TS)
    assert any("guessed wrong" in finding for finding in gate.findings(tree))
