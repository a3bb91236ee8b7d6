"""Any text is shown in one line, with every sign of it to be seen, and as what it is in a tooltip."""

import pytest

from attnviz.gui.plain_text import candidates_for_widest, tooltip, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("猫", "猫"),
        ("", "∅"),
        (" ", "␣"),
        ("　", "␣"),
        ("\u3000 ", "␣␣"),
        (" the", "␣the"),
        ("New York ", "New York␣"),
        ("a b", "a b"),
        ("\n", "↵"),
        ("a\tb\n", "a⇥b↵"),
        ("\x07", "␇"),
        ("a\x7f", "a␡"),
        ("<b>x</b>", "<b>x</b>"),
        ("\u202eabc", "\\u202eabc"),
        ("\ud800", "\\ud800"),
        ("👨\u200d👩", "👨\u200d👩"),
        ("👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"),
        ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
    ],
)
def test_what_cannot_be_seen_is_made_visible(text, shown):
    assert visible(text) == shown


def test_a_very_long_text_is_cut_before_it_is_measured():
    assert len(visible("x" * 1_000_000)) == 400


def test_a_tooltip_takes_no_text_for_markup():
    assert "&lt;b&gt;x &amp; y&lt;/b&gt;" in tooltip("<b>x & y</b>")


def test_the_tokens_of_a_document_are_looked_through_once_for_all_who_ask():
    tokens = tuple(f"t{index}" for index in range(9000))
    found = candidates_for_widest(tokens)
    assert candidates_for_widest(tokens) is found
    assert max(map(len, found)) == 5
    assert set(candidates_for_widest(("a", " "))) == {"a", "␣"}
    assert candidates_for_widest(tokens) is found
