"""What the code window says about a stage: its formula, its numbers, one cell worked through, its launch.

Sentences are in the language of the window; formulas and code are in no language. Nothing here is a widget.
"""

from __future__ import annotations

import math

from PySide6.QtCore import QCoreApplication

from attnviz.core.block_arrays import row_to_show
from attnviz.core.errors import AttnvizError
from attnviz.core.numbers import format_fixed
from attnviz.core.selection import Selection
from attnviz.core.stage_lines import OUTPUT, StageLine
from attnviz.core.stages import Stages
from attnviz.core.terms import CellTerms, cell_terms
from attnviz.engine.launches import PLAIN_KEYS
from attnviz.engine.stage_kernels import Launch, changed_row, long_kernel, whole_pass
from attnviz.gui import code_mask_words
from attnviz.gui.number_texts import factor, own_digits, short_number, trimmed
from attnviz.gui.plain_text import visible
from attnviz.gui.speech import say, say_engine
from attnviz.gui.views.board_state import fill_text, scale_title

_MOST_TERMS = 6
_MOST_NAME = 16

_WALK = "walk_keys<<<(slices, ⌈rows / 64⌉), (16, 16)>>>"
_POOL = "pool_rows<<<(⌈columns / 32⌉, ⌈lines / 8⌉), (32, 8)>>>"
_KNOWN = "known_cells<<<(⌈keys / 64⌉, ⌈rows / 64⌉), (16, 16)>>>"
_MIX = "weighted_sum_tiled<<<(⌈d_v / 64⌉, ⌈rows / 32⌉), (16, 16)>>>"


def title(part: str) -> str:
    """Give what a part is called, as in the headings of the panels."""
    if part == "masked":
        return QCoreApplication.translate("CodeWords", "mask")
    if part == OUTPUT:
        return QCoreApplication.translate("CodeWords", "Σ weight × v")
    return {"scores": "QKᵀ", "scaled": "÷√dₖ", "weights": "softmax"}[part]


def formula(stages: Stages, part: str) -> str:
    """Give a part's formula in one line; i is the query, j the key, d the dimension."""
    inputs = stages.request.inputs
    if part == "scores":
        return "scores[i, j] = Σ q[i, d] × k[j, d]"
    if part == "scaled":
        return f"scaled[i, j] = scores[i, j] {scale_title(stages).replace('÷', '÷ ')}"
    if part == "masked":
        rule = code_mask_words.rule(inputs)
        if not rule:
            return "masked[i, j] = scaled[i, j]"
        words = QCoreApplication.translate("CodeWords", "masked[i, j] = scaled[i, j] if {rule}, else {fill}")
        return words.format(rule=rule, fill=fill_text(inputs.mask_fill))
    if part == "weights":
        return "weights[i, j] = eᵢⱼ ÷ Σⱼ eᵢⱼ\neᵢⱼ = exp(masked[i, j] − maxᵢ)"
    return "output[i, d] = Σ weights[i, j] × v[j, d]"


def meaning(part: str) -> str:
    """Say in one or two sentences what a part is for."""
    if part == "scores":
        return QCoreApplication.translate(
            "CodeWords", "How well each query matches each key: their numbers multiplied and added up."
        )
    if part == "scaled":
        return QCoreApplication.translate(
            "CodeWords",
            "Scores grow with the number of dimensions; dividing keeps softmax from becoming a hard choice.",
        )
    if part == "masked":
        return QCoreApplication.translate(
            "CodeWords", "Before softmax, what a query may not see is set to the mask value."
        )
    if part == "weights":
        return QCoreApplication.translate(
            "CodeWords",
            "A row of scores becomes weights that are positive and sum to 1. Subtracting the row's largest "
            "score changes no weight and keeps exp from overflowing.",
        )
    return QCoreApplication.translate(
        "CodeWords", "Each query's output is the mixture of all values, by the query's weights."
    )


def shapes(line: StageLine) -> str:
    """Give the shapes of what goes into a line and what comes out, such as ``q (10, 4) · kᵀ (4, 10) → …``."""
    between = " · " if line.part in ("scores", OUTPUT) else ", "
    operands = between.join(f"{name} {shape}" for name, shape in line.operands)
    return f"{operands} → {line.part} {line.shape}"


def numbers(stages: Stages, part: str) -> list[tuple[str, str]]:
    """Give (name, value) of the document's own numbers that a part has to do with."""
    inputs = stages.request.inputs
    head = inputs.heads[stages.request.region.head]
    root, strength = math.sqrt(head.d_k), inputs.scale_strength
    found = [
        ("n_query × n_key", f"{inputs.n_query} × {inputs.n_key}")
        if inputs.is_cross
        else ("n_tokens", str(inputs.n_tokens)),
        ("d_k", str(head.d_k)),
        ("1/√d_k", f"1/√{head.d_k} = 1/{trimmed(root)} = {trimmed(1 / root, 4)}"),
    ]
    if part == "scaled" or (strength != 1.0 and part in ("masked", "weights")):
        found.append((QCoreApplication.translate("CodeWords", "scale strength"), own_digits(strength)))
    if part == "scaled" and strength != 1.0:
        by = f"√{head.d_k} × {own_digits(strength)} = {trimmed(root * strength, 4)}"
        found.append((QCoreApplication.translate("CodeWords", "divisor"), by))
    if part == "masked":
        found.append((QCoreApplication.translate("CodeWords", "mask"), code_mask_words.kind(inputs)))
        found.append((QCoreApplication.translate("CodeWords", "mask value"), fill_text(inputs.mask_fill)))
    if part == OUTPUT:
        found.append(("d_v", str(head.d_v)))
    return found


def cell(stages: Stages, selection: Selection, part: str) -> tuple[str, str]:
    """Give the selected cell's name, and how its number comes about.

    The cell of the output is the selected query's first dimension.
    """
    inputs = stages.request.inputs
    query = stages.request.query
    names = [_short(inputs.tokens[query]), _short(inputs.key_labels[selection.key])]
    if part == OUTPUT:
        dimension = inputs.heads[stages.request.region.head].names_of("v")[0]
        return f"output[{query}, 0]   {names[0]}, {_short(dimension)}", _mixture(stages)
    terms = cell_terms(stages, selection.key)
    heading = f"{part}[{query}, {selection.key}]   {names[0]} → {names[1]}"
    if part == "scores":
        return heading, _product(terms)
    if part == "scaled":
        by = f"√{terms.d_k}"
        if terms.scale_strength != 1.0:
            by = f"({by} × {own_digits(terms.scale_strength)})"
        return heading, f"{_number(terms.cell.scores)} ÷ {by} = {_number(terms.cell.scaled)}"
    if part == "masked":
        return heading, _hiding(stages, terms)
    return heading, _share(terms)


def engine(stages: Stages, why: AttnvizError | None) -> str:
    """Say what computed the numbers on the screen, and with a reason why nothing better did."""
    if stages.engine.startswith("CUDA"):
        words = QCoreApplication.translate(
            "CodeWords", "The numbers on the screen come from these kernels: {engine}."
        )
        return words.format(engine=stages.engine)
    words = QCoreApplication.translate(
        "CodeWords",
        "The numbers on the screen come from numpy: {engine}. On a CUDA device these kernels compute them.",
    )
    said = words.format(engine=say_engine(stages.engine))
    return f"{said}\n{say(why)}" if why else said


def launches(stages: Stages, selection: Selection, part: str) -> tuple[Launch, Launch]:
    """Give a part's launch in a whole pass over the document, and for one query after an edit."""
    inputs = stages.request.inputs
    head = inputs.heads[stages.request.region.head]
    n_tokens = (inputs.n_query, inputs.n_key)
    column = 0 if part == OUTPUT else selection.key
    columns = head.d_v if part == OUTPUT else inputs.n_key
    cell = (stages.request.query, column)
    return whole_pass(part, n_tokens, cell, columns), changed_row(part, n_tokens, cell, columns)


def launch(stages: Stages, selection: Selection, part: str) -> str:
    """Say which kernel runs for this document, how it is launched, and which thread computes the cell."""
    if stages.request.inputs.is_long:
        return _long_launch(stages, part)
    whole, row = launches(stages, selection, part)
    n = stages.request.inputs.n_key
    words = (
        QCoreApplication.translate(
            "CodeWords", "This document has {n} keys, and up to {most} the plain kernels compute everything:"
        )
        if n <= PLAIN_KEYS
        else QCoreApplication.translate(
            "CodeWords",
            "This document has {n} keys, more than {most}, so it is computed in tiles and rows:",
        )
    )
    lines = [words.format(n=n, most=PLAIN_KEYS), _call(whole), _by_thread(stages, selection, part, whole), ""]
    edit = QCoreApplication.translate("CodeWords", "After an edit of q of “{query}”, its row alone:")
    lines += [edit.format(query=_short(stages.request.inputs.tokens[stages.request.query])), _call(row)]
    return "\n".join(lines)


def runs_here(stages: Stages, selection: Selection, part: str) -> tuple[str, ...]:
    """Give the names of the kernels that run for this document: in a whole pass, then after an edit."""
    if stages.request.inputs.is_long:
        return (long_kernel(part, is_pooled=stages.request.region.bins != (1, 1)),) * 2
    return tuple(launch.kernel for launch in launches(stages, selection, part))


def _long_launch(stages: Stages, part: str) -> str:
    """Say how rows of a long document are computed; how many at a time depends on what is known of them."""
    words = QCoreApplication.translate(
        "CodeWords",
        "This document has {n} keys: some hundred rows at a time walk along slices of them, "
        "and no square is held:",
    )
    lines = [words.format(n=stages.request.inputs.n_key), _WALK]
    runs = runs_here(stages, Selection(0, stages.request.query, 0), part)[0]
    if part == OUTPUT:
        lines.append(_KNOWN)
    lines += [call for call in (_POOL, _KNOWN, _MIX) if call.startswith(f"{runs}<")]
    if part in ("scaled", "masked"):
        lines += ["", QCoreApplication.translate("CodeWords", "The picture is made of the scores by numpy.")]
    row = QCoreApplication.translate("CodeWords", "The selected query's own row is computed by numpy.")
    return "\n".join([*lines, "", row])


def _call(launch: Launch) -> str:
    grid, block = (", ".join(map(str, sizes)) for sizes in (launch.grid, launch.block))
    words = QCoreApplication.translate("CodeWords", "{call}   {threads} threads")
    return words.format(
        call=f"{launch.kernel}<<<({grid}), ({block})>>>", threads=f"{launch.n_threads:,}".replace(",", " ")
    )


def _by_thread(stages: Stages, selection: Selection, part: str, launch: Launch) -> str:
    column = 0 if part == OUTPUT else selection.key
    words = (
        QCoreApplication.translate(
            "CodeWords",
            "The threads of block {block} share the row; thread {thread} writes [{query}, {column}].",
        )
        if launch.shares_row
        else QCoreApplication.translate(
            "CodeWords", "Thread {thread} of block {block} computes [{query}, {column}]."
        )
    )
    if part == "weights" and not launch.shares_row:
        words = QCoreApplication.translate(
            "CodeWords", "Thread {thread} of block {block} computes row {query}."
        )
    return words.format(
        thread=launch.at_thread, block=launch.at_block, query=stages.request.query, column=column
    )


def _product(terms: CellTerms) -> str:
    parts = [
        f"{factor(product.q, short_number(product.q))}×{factor(product.k, trimmed(product.k))}"
        for product in terms.products[:_MOST_TERMS]
    ]
    return f"{' + '.join([*parts, *_more(len(terms.products))])} = {_number(terms.cell.scores)}"


def _hiding(stages: Stages, terms: CellTerms) -> str:
    inputs, at = stages.request.inputs, terms.cell
    offset, is_causal = inputs.mask.offset(inputs.n_query, inputs.n_key), inputs.mask.kind == "causal"
    stand = f"{at.query} {'+' if offset > 0 else '−'} {abs(offset)}" if offset else str(at.query)
    if at.is_allowed:
        words = (
            QCoreApplication.translate("CodeWords", "{key} ≤ {query}, so it may be seen and stays {value}")
            if is_causal
            else QCoreApplication.translate("CodeWords", "it may be seen and stays {value}")
        )
    else:
        words = (
            QCoreApplication.translate(
                "CodeWords", "{key} > {query}, so it is hidden; {value} becomes {fill}"
            )
            if is_causal
            else QCoreApplication.translate("CodeWords", "it is hidden; {value} becomes {fill}")
        )
    return words.format(key=at.key, query=stand, value=_number(at.scaled), fill=fill_text(inputs.mask_fill))


def _share(terms: CellTerms) -> str:
    if not math.isfinite(terms.row_max):
        return QCoreApplication.translate("CodeWords", "no key may be attended, so the weight is 0")
    masked, top, total = _number(terms.cell.masked), _number(terms.row_max), format_fixed(terms.row_sum, 3)
    top = f"({top})" if top.startswith("−") else top
    return f"exp({masked} − {top}) ÷ {total} = {format_fixed(terms.cell.weights, 3)}"


def _mixture(stages: Stages) -> str:
    row, v = stages.row, stages.request.inputs.heads[stages.request.region.head].v
    keys = [key for key in range(len(row.weights)) if row.allowed[key] or row.weights[key] > 0]
    parts = [
        f"{format_fixed(float(row.weights[key]), 3)}×{factor(value, trimmed(value))}"
        for key, value in ((key, float(row_to_show(v, key)[0])) for key in keys[:_MOST_TERMS])
    ]
    return f"{' + '.join([*parts, *_more(len(keys))]) or '0'} = {format_fixed(float(row.output[0]), 3)}"


def _more(count: int) -> list[str]:
    if count <= _MOST_TERMS:
        return []
    return [QCoreApplication.translate("CodeWords", "… ({count} more)").format(count=count - _MOST_TERMS)]


def _number(value: float) -> str:
    return format_fixed(value, 2)


def _short(token: str) -> str:
    text = visible(token)
    return text if len(text) <= _MOST_NAME else text[: _MOST_NAME - 1] + "…"
