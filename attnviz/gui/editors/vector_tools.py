"""The line above the tables of vectors: where they come from, which page is shown, and their sizes."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QRadioButton, QWidget

from attnviz.core.arrays import MAX_DIMENSIONS
from attnviz.core.inputs import Head, Inputs
from attnviz.gui.editors.page_button import PageButton
from attnviz.gui.editors.sheet import SYMBOLS
from attnviz.gui.fonts import number_font
from attnviz.gui.number_field import NumberField
from attnviz.gui.theme import SPACE, Theme

ALL = "all"
"""The page on which q, k and v stand side by side."""
_PAGES = {"q": "x·W → q", "k": "x·W → k", "v": "x·W → v", ALL: "q k v"}
_SIZES = {"d_model": "model", "d_k": "k", "d_v": "v"}
_HEIGHT = 28


class VectorTools(QWidget):
    """Controls of the head shown; they say what a person chose and show what they are told.

    Signals
    -------
    source_chosen(str)
        ``vectors`` or ``projection``.
    page_chosen(str)
        ``q``, ``k``, ``v`` or ``all``.
    link_chosen(bool), bias_chosen(bool)
        v is to follow k; the vectors of the page are to have a bias.
    size_asked(str, int, str)
        ``d_model``, ``d_k`` or ``d_v`` is to be a number; the run of keys it belongs to, "" where typed.
    refused(AttnvizError)
        What was typed is no such number.
    """

    source_chosen = Signal(str)
    page_chosen = Signal(str)
    link_chosen = Signal(bool)
    bias_chosen = Signal(bool)
    size_asked = Signal(str, int, str)
    refused = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page = ALL
        self._is_derived = False
        self._sources = {
            "vectors": QRadioButton(self),
            "projection": QRadioButton("x · W", self),
        }
        for source, button in self._sources.items():
            button.setObjectName(f"source/{source}")
            button.clicked.connect(lambda checked, source=source: self.source_chosen.emit(source))
        self._pages = {page: PageButton(text, self) for page, text in _PAGES.items()}
        for page, page_button in self._pages.items():
            page_button.setObjectName(f"vectors/page/{page}")
            page_button.clicked.connect(lambda checked, page=page: self.page_chosen.emit(page))
            page_button.stepped.connect(self._step)
        self._fields = {name: self._size_field(name) for name in _SIZES}
        self._labels = {name: QLabel(f"<i>d</i><sub>{low}</sub>", self) for name, low in _SIZES.items()}
        self._bias = QCheckBox(self)
        self._bias.setObjectName("bias")
        self._bias.clicked.connect(self.bias_chosen)
        self._v_is_k = QCheckBox("v = k", self)
        self._v_is_k.setObjectName("v_is_k")
        self._v_is_k.clicked.connect(self.link_chosen)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE, 0, 0, 0)
        row.setSpacing(2 * SPACE)
        for button in self._sources.values():
            row.addWidget(button)
        row.addSpacing(3 * SPACE)
        pages = QHBoxLayout()
        pages.setSpacing(0)
        for page_button in self._pages.values():
            pages.addWidget(page_button)
        row.addLayout(pages)
        row.addSpacing(3 * SPACE)
        for name, field in self._fields.items():
            row.addWidget(self._labels[name])
            row.addWidget(field)
            row.addSpacing(SPACE)
        row.addWidget(self._bias)
        row.addWidget(self._v_is_k)
        row.addStretch(1)
        self.setFixedHeight(_HEIGHT)
        self.retranslate()

    def show_head(self, inputs: Inputs, head: Head, page: str) -> None:
        """Show where a head's vectors come from, and the sizes that belong to a page; says nothing."""
        maps = head.projection
        self._is_derived = maps is not None
        source = "vectors" if maps is None else "projection"
        for name, button in self._sources.items():
            button.setChecked(name == source)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if name == source else Qt.FocusPolicy.ClickFocus)
        for name, page_button in self._pages.items():
            page_button.setVisible(maps is not None)
            page_button.setChecked(name == page)
            page_button.setFocusPolicy(
                Qt.FocusPolicy.StrongFocus if name == page else Qt.FocusPolicy.ClickFocus
            )
        depth = 0 if maps is None else maps.depth("q" if page == ALL else page)
        sizes = {"d_model": depth, "d_k": head.d_k, "d_v": head.d_v}
        shown = {"d_model": maps is not None, "d_k": page != "v", "d_v": page in ("v", ALL)}
        for name, field in self._fields.items():
            field.set_value(sizes[name])
            field.setVisible(shown[name])
            self._labels[name].setVisible(shown[name])
        self._fields["d_v"].setEnabled(not head.v_is_k)
        self._v_is_k.setVisible(page == ALL)
        self._v_is_k.setChecked(head.v_is_k)
        self._v_is_k.setEnabled(maps is None and (head.v_is_k or head.d_k == head.d_v))
        self._bias.setVisible(maps is not None and page != ALL)
        if maps is not None and page != ALL:
            self._bias.setChecked(getattr(maps, f"b_{page}") is not None)
        if page != self._page:
            self._page = page
        self._explain()

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        for button in self._pages.values():
            button.set_theme(theme)

    def retranslate(self) -> None:
        """Say all texts in the language that is now installed."""
        vectors, projection = self._sources.values()
        vectors.setText(self.tr("vectors"))
        vectors.setAccessibleName(self.tr("q, k and v are vectors of their own"))
        projection.setAccessibleName(self.tr("q, k and v are derived: x · W"))
        for button in (vectors, projection):
            button.setToolTip(button.accessibleName())
        for page, page_button in self._pages.items():
            text = (
                self.tr("q, k and v side by side")
                if page == ALL
                else self.tr("how {which} is derived from x").format(which=page)
            )
            page_button.setAccessibleName(text)
            page_button.setToolTip(text)
        self._v_is_k.setAccessibleName(self.tr("v = k: v follows k"))
        self._fields["d_model"].setAccessibleName(self.tr("d_model, dimensions of x"))
        self._fields["d_k"].setAccessibleName(self.tr("d_k, dimensions of q and k"))
        self._fields["d_v"].setAccessibleName(self.tr("d_v, dimensions of v"))
        self._bias.setText(self.tr("bias b"))
        self._explain()

    def _step(self, step: int) -> None:
        """Go to the page beside the one in front; the keyboard goes along."""
        pages = list(self._pages)
        page = pages[min(max(pages.index(self._page) + step, 0), len(pages) - 1)]
        self.page_chosen.emit(page)
        self._pages[page].setFocus(Qt.FocusReason.TabFocusReason)

    def _explain(self) -> None:
        """Say what the checkboxes do in the head and on the page shown."""
        self._v_is_k.setToolTip(
            self.tr("v comes from x · W_V in this head.")
            if self._is_derived
            else self.tr("v takes k's numbers, and a change of one changes both.")
        )
        which = self._page if self._page != ALL else "q"
        self._bias.setAccessibleName(
            self.tr("{bias}, added to every row of x · W").format(bias=SYMBOLS[f"b_{which}"])
        )
        self._bias.setToolTip(self._bias.accessibleName())

    def _size_field(self, name: str) -> NumberField:
        field = NumberField(self, minimum=1, maximum=MAX_DIMENSIONS, step=1, whole=True, widest="0000")
        field.setObjectName(name)
        field.setFont(number_font())
        field.value_entered.connect(lambda value: self.size_asked.emit(name, round(value), field.gesture))
        field.refused.connect(self.refused)
        return field
