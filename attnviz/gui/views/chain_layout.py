"""Where everything stands in the diagram of a chain; all of it measured, so that no text is ever cut.

Geometry alone: nothing here paints, or knows a widget.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from PySide6.QtCore import QCoreApplication, QPointF, QRectF

from attnviz.core.shape_chain import STAGES, ChainArray, ShapeChain
from attnviz.gui.labels import Labels
from attnviz.gui.theme import SPACE
from attnviz.gui.views.shape_words import array_name, axes_text, shape_text

HEIGHT = 148
"""Height of the whole in px."""
READING = 12.0
"""The height the line of words is centred on."""
_LARGEST, _LEAST = 36.0, 5.0  # px of a box's side
_ROWS = {"q": 46.0, "k": 86.0, "v": 126.0}
_MAIN = 66.0
_UNDER, _LINE = 11.0, 13.0  # from a box to the text below it, and from line to line
_APART = 12.0  # px between texts of neighbours
_ARROW = 18.0  # px of an arrow beside its label

TEXT, BOLD, MUTED = "text", "bold", "muted"


@dataclass(frozen=True)
class Word:
    """A text, centred at (x, y), or from x to the right; ``look`` is TEXT, BOLD or MUTED."""

    text: str
    x: float
    y: float
    look: str = TEXT
    is_centred: bool = True


@dataclass(frozen=True)
class Place:
    """Where an array stands: its box, none for a map on an arrow, and the area that stands for it."""

    name: str
    box: QRectF | None
    area: QRectF


@dataclass
class ChainLayout:
    """The diagram: places of arrays from left to right, words, and lines of which some end in an arrow."""

    places: list[Place] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    lines: list[list[QPointF]] = field(default_factory=list)
    arrows: list[list[QPointF]] = field(default_factory=list)
    concat_parts: list[QRectF] = field(default_factory=list)
    """The columns of concat that belong to each head."""
    width: float = 0.0

    def place(self, name: str) -> Place | None:
        """Give where an array stands, None where it is not drawn."""
        return next((place for place in self.places if place.name == name), None)


def arranged(chain: ShapeChain, scaling: str, labels: dict[str, Labels]) -> ChainLayout:
    """Arrange a chain.

    Parameters
    ----------
    scaling
        What scores are divided by, such as ``÷ √64``.
    labels
        What texts are measured with: TEXT, BOLD and MUTED.
    """
    return _Arranger(chain, scaling, labels).layout


class _Arranger:
    """Goes from left to right."""

    def __init__(self, chain: ShapeChain, scaling: str, labels: dict[str, Labels]) -> None:
        self.chain, self.labels, self.layout = chain, labels, ChainLayout()
        drawn = (array for array in chain.arrays if array.own is not None and not array.is_parameter)
        self._longest = max(side for array in drawn if array.own for side in array.own.shape)
        left = 2.0 * SPACE
        if chain.array("w_q") is not None:
            left = self._from_x(left)
        right = self._vectors(left)
        self._main(right, scaling)

    def _array(self, name: str) -> ChainArray:
        array = self.chain.array(name)
        assert array is not None
        return array

    def _width(self, text: str, look: str = TEXT) -> float:
        return self.labels[look].width(text)

    def _box(self, name: str, x: float, y: float) -> QRectF:
        """Give the box of an array centred at (x, y), whose sides hint at its shape."""
        own = self._array(name).own
        assert own is not None
        rows, columns = (max(_LEAST, _LARGEST * math.sqrt(side / self._longest)) for side in own.shape)
        return QRectF(x - columns / 2, y - rows / 2, columns, rows)

    def _texts(self, name: str) -> tuple[str, str, str]:
        array = self._array(name)
        assert array.own is not None
        return array_name(name), shape_text(array.own), axes_text(array)

    def _half(self, name: str) -> float:
        """Give half the width of all that stands over and under each other at one array."""
        widths = (self._width(text, look) for text, look in zip(self._texts(name), _LOOKS, strict=True))
        return max(_LARGEST, *widths) / 2

    def _stand(self, name: str, x: float, y: float) -> QRectF:
        """Put an array with its name above it and its shape below it."""
        box, (title, shape, axes) = self._box(name, x, y), self._texts(name)
        top, bottom = y - _LARGEST / 2, y + _LARGEST / 2
        self.layout.words += [
            Word(title, x, top - 10, BOLD),
            Word(shape, x, bottom + _UNDER),
            Word(axes, x, bottom + _UNDER + _LINE, MUTED),
        ]
        half = self._half(name)
        area = QRectF(x - half - 3, top - 18, 2 * half + 6, _LARGEST + 18 + _UNDER + _LINE + 8)
        self.layout.places.append(Place(name, box, area))
        return box

    def _from_x(self, left: float) -> float:
        """Put x, and the arrows to q, k and v that say their maps; give where they end."""
        trunk = self._two_x(left) if self.chain.array("x_keys") is not None else self._one_x(left)
        titles = {}
        for which in "qkv":
            title, shape, _ = self._texts(f"w_{which}")
            if self.chain.array(f"b_{which}") is not None:
                title += f" + b_{which.upper()}"
            titles[which] = (f"· {title}", shape)
        widest = max(self._width(text) for texts in titles.values() for text in texts)
        end = trunk + widest + _ARROW
        for which, y in _ROWS.items():
            title, shape = titles[which]
            middle = (trunk + end - 4) / 2
            box = self._box(which, end + SPACE + _LARGEST / 2, y)
            self.layout.arrows.append([QPointF(trunk, y), QPointF(box.left() - 3, y)])
            self.layout.words += [Word(title, middle, y - 8), Word(shape, middle, y + 9, MUTED)]
            area = QRectF(trunk + 2, y - 18, end - trunk - 6, 36)
            self.layout.places.append(Place(f"w_{which}", None, area))
        return end + SPACE

    def _one_x(self, left: float) -> float:
        """Put the x that q, k and v are derived from; give where the way to them parts."""
        half, (first, middle, last) = self._half("x"), _ROWS.values()
        box = self._stand("x", left + half, middle)
        trunk = max(left + 2 * half, box.right()) + 2 * SPACE
        self.layout.lines.append([QPointF(box.right() + 3, middle), QPointF(trunk, middle)])
        self.layout.lines.append([QPointF(trunk, first), QPointF(trunk, last)])
        return trunk

    def _two_x(self, left: float) -> float:
        """Put the x that q is derived from and that of the keys; give where the ways to q, k and v begin."""
        first, *others = _ROWS.values()
        middle = sum(others) / len(others)
        ends = {y: self._beside(name, left, y) for name, y in (("x", first), ("x_keys", middle))}
        trunk = max(ends.values()) + 2 * SPACE
        for y, end in ends.items():
            self.layout.lines.append([QPointF(end + SPACE, y), QPointF(trunk, y)])
        self.layout.lines.append([QPointF(trunk, y) for y in others])
        return trunk

    def _vectors(self, left: float) -> float:
        """Put q, k and v one below the other, their words beside them; give where the words end."""
        return max(self._beside(name, left, y) for name, y in _ROWS.items()) + SPACE

    def _beside(self, name: str, left: float, y: float) -> float:
        """Put an array with its words beside it; give where they end."""
        beside = left + _LARGEST + 2 * SPACE
        title, shape, axes = self._texts(name)
        at = beside + self._width(title, BOLD) + 2 * SPACE
        self.layout.words += [
            Word(title, beside, y - 7, BOLD, is_centred=False),
            Word(axes, at, y - 7, MUTED, is_centred=False),
            Word(shape, beside, y + 7, is_centred=False),
        ]
        end = max(at + self._width(axes, MUTED), beside + self._width(shape))
        area = QRectF(left - 3, y - 19, end - left + 6, 38)
        self.layout.places.append(Place(name, self._box(name, left + _LARGEST / 2, y), area))
        return end

    def _main(self, start: float, scaling: str) -> None:
        """Put the scores and all that follows in one line."""
        softmax, mask = "softmax", QCoreApplication.translate("ShapeView", "mask")
        n_heads = len(self.chain.d_v_of_heads)
        heads = QCoreApplication.translate("ShapeView", "{count} heads").format(count=n_heads)
        if n_heads == 1:
            heads = QCoreApplication.translate("ShapeView", "1 head")
        names = [*STAGES, "head_output", "concat", "output"]
        above = ["QKᵀ", scaling, mask, softmax, "· v", heads, self._w_o_title()]
        w_o = self.chain.array("w_o")
        under_output = shape_text(w_o.own) if w_o is not None and w_o.own is not None else ""
        if w_o is None:
            under_output = QCoreApplication.translate("ShapeView", "the identity")
        below = {"scaled": self._divisor(scaling), "output": under_output}
        previous, at = start, start
        for index, (name, label) in enumerate(zip(names, above, strict=True)):
            under = below.get(name, "")
            room = max(self._width(label), self._width(under)) + _ARROW
            box_half = self._box(name, 0, 0).width() / 2
            if index == 0:
                trunk = start + 2 * SPACE
                x = trunk + room + max(box_half, self._half(name) - room)
            else:
                x = max(
                    previous + room + box_half, at + self._half(names[index - 1]) + _APART + self._half(name)
                )
            box = self._stand(name, x, _MAIN)
            begin = trunk if index == 0 else previous + 3
            end = box.left() - 3
            middle = (begin + end - 4) / 2
            self.layout.arrows.append([QPointF(begin, _MAIN), QPointF(end, _MAIN)])
            self.layout.words.append(Word(label, middle, _MAIN - 9))
            if index == 0:
                ends = [QPointF(start, _ROWS["q"]), QPointF(trunk, _ROWS["q"])]
                self.layout.lines.append([*ends, QPointF(trunk, _ROWS["k"]), QPointF(start, _ROWS["k"])])
            if name == "head_output":
                joint = at + self._half("weights") + _APART / 2  # passes between the texts
                self.layout.lines.append(
                    [QPointF(start, _ROWS["v"]), QPointF(joint, _ROWS["v"]), QPointF(joint, _MAIN)]
                )
            if name == "concat":
                self._split_concat(box)
            if under:
                self.layout.words.append(Word(under, middle, _MAIN + 9, MUTED))
            if name == "output" and w_o is not None:
                area = QRectF(begin, _MAIN - 18, end - begin, 36)
                self.layout.places.insert(-1, Place("w_o", None, area))
            previous, at = box.right(), x
        self.layout.width = at + self._half("output") + 2 * SPACE

    def _divisor(self, scaling: str) -> str:
        """Give ``÷ 8`` below ``÷ √64``; nothing where the root is no whole number."""
        own = self._array("q").own
        assert own is not None
        root = math.isqrt(own.shape[1])
        return f"÷ {root}" if scaling == f"÷ √{root * root}" else ""

    def _w_o_title(self) -> str:
        return "· W_O" if self.chain.array("b_o") is None else "· W_O + b_O"

    def _split_concat(self, box: QRectF) -> None:
        widths = self.chain.d_v_of_heads
        unit, x = box.width() / sum(widths), box.left()
        for width in widths:
            self.layout.concat_parts.append(QRectF(x, box.top(), width * unit, box.height()))
            x += width * unit


_LOOKS = (BOLD, TEXT, MUTED)
