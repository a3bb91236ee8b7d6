"""A long text is made ready for its first edit while nobody waits."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.core.inputs import Head, Inputs
from attnviz.gui.document import Document
from attnviz.gui.later import Later
from attnviz.gui.ready_text import ReadyText
from attnviz.text import joining, token_edits


def text_of(n: int) -> Inputs:
    rows = np.zeros((n, 2), np.float32)
    return Inputs("", tuple(f"t{index}" for index in range(n)), (Head("a", rows, rows, rows),))


@pytest.fixture
def joined(monkeypatch):
    """How many tokens each call joined that were not joined before."""
    counts, real = [], joining._joined
    monkeypatch.setattr(joining, "_joined", lambda part, state: counts.append(len(part)) or real(part, state))
    return counts


def test_the_first_edit_of_a_long_text_joins_next_to_nothing(qtbot, joined):
    document = Document(text_of(4))
    later = Later(document)
    ReadyText(document, later, document)
    later.begin()
    assert later.is_done
    document.replace(text_of(30_000))
    qtbot.waitUntil(lambda: later.is_done)
    assert sum(joined) == 30_000
    joined.clear()
    document.apply(lambda now: token_edits.insert_token(now, 15_000, "new"))
    assert sum(joined) < 300
    assert later.is_done  # an edit is no other document
    assert document.inputs.text.split() == list(document.inputs.tokens)


def test_a_text_that_was_edited_meanwhile_is_left_alone(qtbot, joined):
    document = Document(text_of(30_000))
    later = Later(document)
    ReadyText(document, later, document)
    document.apply(lambda now: token_edits.insert_token(now, 15_000, "new"))
    joined.clear()
    later.begin()
    qtbot.waitUntil(lambda: later.is_done)
    assert not joined
