"""A person pastes, drops, opens and edits a whole book, in English and in Japanese."""

from __future__ import annotations

import random

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QProgressBar

from attnviz import __main__ as command
from attnviz.gui import files as files_of_gui
from attnviz.gui.sentence_dialog import SentenceDialog
from attnviz.text import splitting
from attnviz.text.lexicon import load_lexicon
from attnviz.text.splitting import split, split_with_lexicon

SENTENCES = {
    "en": (
        "The cat ate the fish.",
        "It was fresh, and the old dog slept in the garden.",
        "“Who knows?” she said.",
    ),
    "ja": (
        "猫が魚を食べた。",
        "それは新鮮だったが、犬は庭で眠っていた。",
        "「誰が知っているのか」と彼女は言った。",
    ),
}


def book(language: str, sentences: int) -> str:
    """A text of many sentences in paragraphs, which differ."""
    choose = random.Random(5)
    found = [choose.choice(SENTENCES[language]) for _ in range(sentences)]
    gap = " " if language == "en" else ""
    return "\r\n\r\n".join(gap.join(found[at : at + 7]) for at in range(0, sentences, 7))


def paste_into_the_sentence(person, text: str) -> SentenceDialog:
    """Paste over the sentence; what is too long for a line opens a dialog."""
    QGuiApplication.clipboard().setText(text)
    person.shortcut("Ctrl+L")
    person.shortcut("Ctrl+V")
    QGuiApplication.clipboard().clear()
    person.until(lambda: isinstance(person.face(), SentenceDialog))
    person.until(lambda: not person.face().field.is_filling)
    return person.face()


def wait_for_files(person) -> None:
    person.until(lambda: not person.window.background.is_busy)
    person.settle()


@pytest.fixture(params=["en", "ja"])
def reader(request, sit_down):
    """Someone whose window speaks a language, and a book in it."""
    person = sit_down(speaks=request.param, engine="cpu")
    person.book = book(request.param, 2600)
    return person


def test_a_book_that_is_pasted_becomes_the_sentence_in_one_step(reader):
    document = reader.window.document
    before = document.inputs
    dialog = paste_into_the_sentence(reader, reader.book)
    reader.press_button("sentence_dialog/split")
    assert document.inputs is before
    reader.until(lambda: reader.face() is reader.window)
    reader.settle()
    now = document.inputs
    assert now.tokens == split(reader.book)
    assert 20_000 < now.n_tokens < 40_000
    assert not dialog.is_splitting
    assert reader.window.stages.request.inputs is now
    at = max(place for place, token in enumerate(now.tokens) if token in ("cat", "猫"))
    assert np.array_equal(now.heads[0].q[at], load_lexicon().find(now.tokens[at]).q)
    assert now.heads[1].source == "positions"
    reader.shortcut("Ctrl+Z")
    reader.settle()
    assert document.inputs.equals(before)
    assert not document.can_undo
    reader.shortcut("Ctrl+Shift+Z")
    reader.settle()
    assert document.inputs.tokens == now.tokens


def test_splitting_is_cancelled_in_the_middle_and_the_text_waits_to_be_split_again(reader, monkeypatch):
    monkeypatch.setattr(splitting, "_TELLING", 0.0)
    document = reader.window.document
    before = document.inputs
    dialog = paste_into_the_sentence(reader, reader.book)
    reader.press_button("sentence_dialog/split")
    progress = reader.control("sentence_dialog/progress", QProgressBar)
    reader.until(lambda: progress.value() > 0)
    assert dialog.field.isReadOnly()
    reader.key(Qt.Key.Key_Escape)
    assert not dialog.is_splitting
    assert reader.face() is dialog
    wait_for_files(reader)
    assert document.inputs is before
    assert not dialog.field.isReadOnly()
    monkeypatch.setattr(splitting, "_TELLING", 0.02)
    reader.press_button("sentence_dialog/split")
    reader.until(lambda: reader.face() is reader.window)
    assert document.inputs.tokens == split(reader.book)


def test_closing_the_dialog_while_it_splits_leaves_the_document(reader, monkeypatch):
    monkeypatch.setattr(splitting, "_TELLING", 0.0)
    before = reader.window.document.inputs
    dialog = paste_into_the_sentence(reader, reader.book)
    reader.press_button("sentence_dialog/split")
    dialog.done(0)
    wait_for_files(reader)
    assert reader.window.document.inputs is before
    assert reader.refusal() == ""


def test_a_book_is_dropped_and_is_a_document_of_its_own(reader, tmp_path):
    path = tmp_path / "neko.txt"
    path.write_bytes(reader.book.encode("cp932" if "猫" in reader.book else "cp1252"))
    hint = reader.drop_file(path)
    assert path.name in hint
    wait_for_files(reader)
    document = reader.window.document
    assert document.inputs.text == reader.book
    assert document.inputs.tokens == split(reader.book)
    assert document.title == "neko"
    assert document.path is None
    assert document.is_clean
    assert not document.can_undo
    assert f"{document.inputs.n_tokens:,}" in reader.message()
    assert ("Shift_JIS" if "猫" in reader.book else "Windows-1252") in reader.message()
    assert document.selection.query == document.inputs.n_query - 1
    row = reader.window.stages.row.weights
    assert row.shape == (document.inputs.n_key,)
    assert abs(float(row.sum()) - 1) < 1e-3


def test_a_book_is_chosen_with_open_and_stands_among_the_files_opened_last(reader, tmp_path):
    path = tmp_path / "book.txt"
    path.write_text(reader.book, encoding="utf-8", newline="")
    reader.shortcut("Ctrl+O")
    reader.choose_file(path)
    wait_for_files(reader)
    assert reader.window.document.inputs.text == reader.book
    reader.choose_in_menus(["file", "recent"], lambda action: action.text().startswith("book.txt"))
    wait_for_files(reader)
    assert reader.window.document.inputs.text == reader.book


def test_opening_a_book_is_cancelled_and_the_document_stays(reader, tmp_path, monkeypatch):
    monkeypatch.setattr(splitting, "_TELLING", 0.0)
    path = tmp_path / "book.txt"
    path.write_text(reader.book * 4, encoding="utf-8")
    before = reader.window.document.inputs
    reader.drop_file(path)
    reader.until(lambda: reader.control("status/cancel").isVisible())
    reader.click("status/cancel")
    wait_for_files(reader)
    assert reader.window.document.inputs is before


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b" \r\n" * 300_000, "The sentence is empty; write at least one word."),
        (b"", "It is empty."),
        (b"PK\x03\x04\0\0" * 1000, "It is no text: there are NUL characters in it."),
        (b"a " * 5000, "more than 4,000 tokens"),
    ],
    ids=["blank", "empty", "no text", "too long"],
)
def test_a_text_that_cannot_be_is_refused_and_the_document_stays(person, tmp_path, monkeypatch, content, why):
    monkeypatch.setattr(splitting, "MAX_TOKENS", 4000)
    before = person.window.document.inputs
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    person.drop_file(path)
    wait_for_files(person)
    assert why in person.refusal()
    assert person.window.document.inputs is before


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "\n" * 1_000_000 + "the end",
        "\x00\x01" * 3000 + "a",
        "\ud800 cat " * 3000,
        "שלום עולם. " * 3000,
        "cat\r\n\r\nfish\r" * 3000,
        "か" + "\u3099" * 20_000,
    ],
    ids=["one word", "empty lines", "NUL", "lone surrogates", "right to left", "CR LF", "one character"],
)
def test_whatever_is_pasted_is_shown_and_split(person, text):
    person.window.parts.token_editor.text_asked.emit("query", text)  # a clipboard does not carry all of them
    person.until(lambda: isinstance(person.face(), SentenceDialog))
    person.until(lambda: not person.face().field.is_filling)
    person.press_button("sentence_dialog/split")
    person.until(lambda: person.face() is person.window)
    person.settle()
    assert person.window.document.inputs.tokens == split(text)
    assert not person.picture().isNull()
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.window.document.inputs.n_tokens == 10


def test_what_is_written_into_a_pasted_book_is_in_it(reader):
    paste_into_the_sentence(reader, reader.book)
    text = reader.control("sentence_dialog/text", QPlainTextEdit)
    reader.click("sentence_dialog/text", QPoint(20, 20))
    reader.key(Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    reader.type(" the end")
    assert text.toPlainText().endswith(" the end")
    reader.press_button("sentence_dialog/split")
    reader.until(lambda: reader.face() is reader.window)
    assert reader.window.document.inputs.tokens == (*split(reader.book), "the", "end")


def test_without_sudachi_a_japanese_book_is_split_by_the_lexicon(sit_down, monkeypatch):
    monkeypatch.setattr(splitting, "load_sudachi", lambda: None)
    person = sit_down(speaks="ja", engine="cpu")
    text = book("ja", 2600)
    paste_into_the_sentence(person, text)
    person.press_button("sentence_dialog/split")
    person.until(lambda: person.face() is person.window)
    assert person.window.document.inputs.tokens == split_with_lexicon(text)


def test_a_token_in_the_midst_of_a_book_is_edited_and_the_book_is_saved_and_opened(reader, tmp_path):
    text = tmp_path / "book.txt"
    text.write_text(reader.book, encoding="utf-8")
    reader.drop_file(text)
    wait_for_files(reader)
    at = reader.window.document.inputs.n_query // 2
    reader.window.document.select_query(at)
    reader.settle()
    reader.control("tokens").setFocus()
    reader.key(Qt.Key.Key_F2)
    reader.commit("fish")
    reader.key(Qt.Key.Key_Return)
    reader.key(Qt.Key.Key_Insert)
    reader.commit("cat")
    reader.key(Qt.Key.Key_Return)
    reader.settle()
    tokens = reader.window.document.inputs.tokens
    assert tokens[at : at + 2] == ("fish", "cat")
    path = tmp_path / "book.attnviz"
    reader.shortcut("Ctrl+S")
    reader.choose_file(path)
    wait_for_files(reader)
    saved = reader.window.document.inputs
    reader.shortcut("Ctrl+Z")
    reader.window.files.open_file(path)
    reader.answer(files_of_gui._Button.Discard)
    wait_for_files(reader)
    assert reader.window.document.inputs.equals(saved)


def test_the_command_line_draws_and_exports_a_text(tmp_path, capsysbinary):
    path = tmp_path / "cats.txt"
    path.write_bytes("猫が魚を食べた。\r\nThe cat ate.".encode("cp932"))
    out = tmp_path / "weights.csv"
    assert command.main(["export", str(path), "-o", str(out)]) == 0
    assert out.read_text("utf-8").startswith(",猫,が,魚,を,食べた,。,The,cat,ate,.\n猫,1,0")
    picture = tmp_path / "cats.png"
    assert command.main(["render", str(path), "--lang", "ja", "-o", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    path.write_bytes(b"\r\n")
    assert command.main(["export", str(path), "-o", str(out)]) == 2
    assert b"The sentence is empty" in capsysbinary.readouterr().err


def test_how_long_a_pasted_book_is_and_how_far_its_splitting_is_said(reader, monkeypatch):
    monkeypatch.setattr(splitting, "_TELLING", 0.0)
    dialog = paste_into_the_sentence(reader, reader.book)
    count = reader.control("sentence_dialog/count", QLabel)
    assert any(character.isdigit() for character in count.text())
    seen = []
    count_of = dialog.show_progress
    monkeypatch.setattr(
        dialog, "show_progress", lambda fraction: (count_of(fraction), seen.append(count.text()))
    )
    dialog.split()
    reader.until(lambda: reader.face() is reader.window)
    percents = [int("".join(filter(str.isdigit, words))) for words in seen]
    assert percents == sorted(percents)
    assert len(set(percents)) > 5
