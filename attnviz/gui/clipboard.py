"""Copying what is no text or table by itself: a panel as picture and table, bars as rows of numbers."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QImage

from attnviz.core.numbers import format_shortest
from attnviz.core.stages import Stages
from attnviz.engine.base import Engine, Progress
from attnviz.gui.runner import Runner
from attnviz.io.digits import AT_ONCE, shortest_texts


def copy_panel(stages: Stages, stage: str, image: QImage, runner: Runner, then: Callable[[], object]) -> None:
    """Copy one stage as a picture, and as a table with the keys in its first row, the queries beside it.

    Of a long document it is the part that the picture shows; where a cell of the picture stands for several,
    its row and column are called by their ranges. A table that takes long is written by the worker; ``then``
    is called when all is on the clipboard.
    """
    inputs, region = stages.request.inputs, stages.request.region
    picture = stages.picture(stage).array()
    tokens = _labels(inputs.tokens, region.queries, region.bins[0])
    lines = [tab_separated([["", *_labels(inputs.key_labels, region.keys, region.bins[1])]])]

    def write(engine: Engine | None, progress: Progress | None) -> bool:
        for index, (token, values) in enumerate(zip(tokens, picture, strict=True)):
            if progress is not None and not progress(index / len(tokens), None):
                return False
            lines.append("\t".join((_cell(token), *shortest_texts(values))) + "\n")
        return True

    def put() -> None:
        _put("".join(lines), image)
        then()

    if picture.size <= AT_ONCE:
        write(None, None)
        put()
    else:
        runner.run_errand(write, put)


def copy_weights(
    stages: Stages, runner: Runner | None = None, then: Callable[[], object] = lambda: None
) -> None:
    """Copy the weights of the selected query, one key per row, of whatever number there are.

    Very many are written by the worker; ``then`` is called when all of them are on the clipboard.
    """
    tokens, weights, lines = stages.request.inputs.key_labels, stages.row.weights, [""]

    def write() -> bool:
        texts = shortest_texts(weights)
        lines[0] = tab_separated([[token, text] for token, text in zip(tokens, texts, strict=True)])
        return True

    def put() -> None:
        _put(lines[0])
        then()

    if runner is None or len(weights) <= AT_ONCE:
        write()
        put()
    else:
        runner.run_errand(lambda engine, progress: write(), put)


def copy_later(write: Callable[[], str], runner: Runner, then: Callable[[], object]) -> None:
    """Copy a text that takes long to be written: the worker does, and ``then`` is called when it is there."""
    text = [""]

    def errand(engine: Engine, progress: Progress) -> bool:
        text[0] = write()
        return progress(1.0, None)

    def put() -> None:
        _put(text[0])
        then()

    runner.run_errand(errand, put)


def copy_output(stages: Stages) -> None:
    """Copy the output of the selected query, one dimension per row."""
    names = stages.request.inputs.heads[stages.request.region.head].names_of("v")
    _put(
        tab_separated(
            [[name, format_shortest(value)] for name, value in zip(names, stages.row.output, strict=True)]
        )
    )


def _labels(tokens: Sequence[str], part: tuple[int, int], size: int) -> list[str]:
    """Give what rows or columns are called: tokens, or ranges such as 0–63."""
    first, last = part
    if size == 1:
        return list(tokens[first:last])
    return [f"{begin}–{min(begin + size, last) - 1}" for begin in range(first, last, size)]


def tab_separated(rows: Sequence[Sequence[str]]) -> str:
    """Give rows as a spreadsheet takes them; a cell with a tab, a quote or a line break is quoted."""
    return "".join("\t".join(_cell(cell) for cell in row) + "\n" for row in rows)


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(sign in text for sign in '\t"\r\n') else text


def _put(text: str, image: QImage | None = None) -> None:
    data = QMimeData()
    data.setText(text)
    if image is not None:
        data.setImageData(image)
    QGuiApplication.clipboard().setMimeData(data)
    atexit.unregister(_let_go)
    atexit.register(_let_go)


def _let_go() -> None:
    """Empty a clipboard that is no system's while Python is still there to delete what it made.

    Qt keeps such a clipboard until the process ends, and deleting a QMimeData made in Python crashes by then
    (PySide6 6.11). A system's clipboard is deleted with the application, after it was handed on.
    """
    is_of_system = QGuiApplication.platformName() not in ("offscreen", "minimal", "vnc")
    if QGuiApplication.instance() is not None and not is_of_system:
        QGuiApplication.clipboard().clear()
