"""One cell's arithmetic written out; every number of q and k leads to the field where it is edited."""

from __future__ import annotations

import math

from PySide6.QtWidgets import QWidget

from attnviz.core.numbers import format_fixed
from attnviz.core.stages import Stages
from attnviz.core.terms import CellTerms, Product, cell_terms
from attnviz.gui.linked_lines import MOST_TERMS, Line, LinkedLines, Run, Words
from attnviz.gui.number_texts import factor, own_digits, short_number, trimmed
from attnviz.gui.plain_text import visible
from attnviz.gui.views.board_state import fill_text

_MOST_OUTPUTS = 16


class TermLines(LinkedLines):
    """How one weight comes about, line by line; ``which`` of a number that is followed is ``q`` or ``k``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("arithmetic/terms")
        self._shown: tuple[Stages, int] | None = None
        self._known: tuple[tuple[int, int, int], tuple[Product, ...], Words] = ((0, 0, 0), (), [])
        self.retranslate()

    def draw(self, stages: Stages, key: int) -> None:
        """Write out the cell of the stages' query at ``key``."""
        before, self._shown = self._shown, (stages, key)
        if before is None or before[1] != key or before[0].row is not stages.row:
            self._write()

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(self.tr("How the selected weight comes about"))
        self._write()

    def _write(self) -> None:
        if self._shown is None:
            return
        stages, key = self._shown
        terms, inputs = cell_terms(stages, key), stages.request.inputs
        heading = f"{visible(inputs.tokens[terms.cell.query])} → {visible(inputs.key_labels[key])}"
        self.set_lines(heading, self._written(stages, terms))

    def _written(self, stages: Stages, terms: CellTerms) -> list[Line]:
        """Give (stage, words) for every line."""
        cell, last = terms.cell, min(len(terms.products), MOST_TERMS) - 1
        words = self._products(terms, last)
        if len(terms.products) > last + 1:
            more = self.tr("({count} more)").format(count=len(terms.products) - last - 1)
            words += [(Run("+ …"),), (Run(more),)]
        words.append((Run(f"= {format_fixed(cell.scores, 2)}"),))
        by = f"√{terms.d_k}"
        if terms.scale_strength != 1.0:
            by = f"({by} × {own_digits(terms.scale_strength)})"
        scaled: Words = [(Run(f"÷ {by} = {format_fixed(cell.scaled, 2)}"),)]
        lines: list[Line] = [("q·k", words), (self.tr("scale"), scaled)]
        if not cell.is_allowed:
            fill = fill_text(stages.request.inputs.mask_fill)
            lines.append((self.tr("mask"), [(Run(self.tr("masked (hidden): {fill}").format(fill=fill)),)]))
        lines.append(("softmax", self._softmax(terms)))
        lines.append(("Σ", self._output(stages)))
        return lines

    def _products(self, terms: CellTerms, last: int) -> Words:
        """Give the products up to the last that is written out; those of the moment before as they were."""
        place = (terms.cell.query, terms.cell.key, last)
        known = self._known if self._known[0] == place else (place, (), [])
        words: Words = []
        for index, product in enumerate(terms.products[: last + 1]):
            if index < len(known[1]) and known[1][index] == product:
                words.append(known[2][index])
                continue
            word = (
                Run(factor(product.q, short_number(product.q)), ("q", terms.cell.query, product.dim)),
                Run("×"),
                Run(factor(product.k, trimmed(product.k)), ("k", terms.cell.key, product.dim)),
            )
            words.append((*word, Run(" +")) if index < last else word)
        self._known = (place, terms.products, words)
        return list(words)

    def _output(self, stages: Stages) -> Words:
        """Give the query's output, to which this weight carries its key's v."""
        output = stages.row.output
        numbers = [format_fixed(float(value), 3) for value in output[:_MOST_OUTPUTS]]
        if len(output) > _MOST_OUTPUTS:
            numbers.append("…")
        numbers[0], numbers[-1] = f"[{numbers[0]}", f"{numbers[-1]}]"
        words = [f"{number}," for number in numbers[:-1]] + numbers[-1:]
        return [(Run(self.tr("weight × v =")),), *((Run(word),) for word in words)]

    def _softmax(self, terms: CellTerms) -> Words:
        if not math.isfinite(terms.row_max):
            return [(Run(self.tr("no key may be attended, so the weight is 0")),)]
        masked, top = format_fixed(terms.cell.masked, 2), format_fixed(terms.row_max, 2)
        total, weight = format_fixed(terms.row_sum, 3), format_fixed(terms.cell.weights, 3)
        return [
            (Run(f"exp({masked} − max) / sum = {weight}"),),
            (Run(self.tr("(max = {top}, sum = {total})").format(top=top, total=total)),),
        ]
