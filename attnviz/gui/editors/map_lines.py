"""How one number of a derived q, k or v comes about, written out: a row of x times a column of W."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from attnviz.core.inputs import Inputs
from attnviz.core.terms import MapTerms, map_terms
from attnviz.gui.editors.sheet import names_of
from attnviz.gui.linked_lines import MOST_TERMS, Line, LinkedLines, Run, Words
from attnviz.gui.number_texts import factor, trimmed
from attnviz.gui.plain_text import visible


class MapLines(LinkedLines):
    """The arithmetic of one number; ``which`` of a number that is followed is ``x``, ``w`` or ``b``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[Inputs, int, str, int, int] | None = None
        self.retranslate()

    def write(self, inputs: Inputs, head: int, which: str, token: int, dim: int) -> None:
        """Write out the number ``which[token, dim]`` of a head derived from x."""
        self._shown = (inputs, head, which, token, dim)
        terms = map_terms(inputs, head, which, token, dim)
        name = names_of(inputs.heads[head], which)[dim]
        lines = [
            (self.tr("shape"), self._shapes(terms, inputs, head)),
            *self._sums(terms),
        ]
        tokens = inputs.tokens if which == "q" else inputs.key_labels
        self.set_lines(f"{which}[{visible(tokens[token])}, {visible(name)}]", lines)

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(self.tr("How the selected number of x · W comes about"))
        if self._shown is not None:
            self.write(*self._shown)

    def _shapes(self, terms: MapTerms, inputs: Inputs, head: int) -> Words:
        """Give the shapes of one row's product: (1 × d_model) · (d_model × d) → (1 × d)."""
        names = inputs.heads[head].names_of(terms.which)
        d_model, dims, low = len(terms.factors), len(names), terms.which.upper()
        of_keys = inputs.x_keys is not None and terms.which != "q"
        words: Words = [
            (Run("x", low="K" if of_keys else ""), Run(f" (1 × {d_model})")),
            (Run("· "), Run("W", low=low), Run(f" ({d_model} × {dims})")),
            (Run(f"→ {terms.which} (1 × {dims})"),),
        ]
        if terms.bias is not None:
            words.insert(2, (Run("+ "), Run("b", low=low), Run(f" (1 × {dims})")))
        return words

    def _sums(self, terms: MapTerms) -> list[Line]:
        count = len(terms.factors)
        last = min(count, MOST_TERMS) - 1
        words: Words = []
        for index, (x, w) in enumerate(terms.factors[: last + 1]):
            word = (
                Run(factor(x, trimmed(x)), ("x", terms.token, index)),
                Run("×"),
                Run(factor(w, trimmed(w)), ("w", index, terms.dim)),
            )
            words.append((*word, Run(" +")) if index < last else word)
        if count > last + 1:
            words += [(Run("+ …"),), (Run(self.tr("({count} more)").format(count=count - last - 1)),)]
        total = trimmed(terms.total)
        words.append((Run(f"= {total}"),))
        lines: list[Line] = [("x · W", words)]
        if terms.bias is not None:
            bias = Run(factor(terms.bias, trimmed(terms.bias)), ("b", 0, terms.dim))
            lines.append(("+ b", [(Run(total),), (Run("+ "), bias), (Run(f"= {trimmed(terms.result)}"),)]))
        return lines
