"""The shapes of a chain in words: names of arrays, of rows and columns, and what is said of one of them."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from attnviz.core.shape_chain import ChainArray, Extent, ShapeChain


def counted(number: int) -> str:
    """Give a whole number with separators of thousands: ``1,048,576``."""
    return f"{number:,}"


def shape_text(extent: Extent) -> str:
    """Give rows and columns: ``1,024 × 64``."""
    return f"{counted(extent.shape[0])} × {counted(extent.shape[1])}"


def axes_text(array: ChainArray, *, is_whole: bool = False) -> str:
    """Give what rows and columns are, ``n × d_k``; whole: ``n_tokens × d_k``."""
    short = {"n_tokens": "n_tokens" if is_whole else "n", "d_concat": "Σ d_v", "d_output": "d_model"}
    return " × ".join(short.get(axis, axis) for axis in array.axes)


def array_name(name: str) -> str:
    """Give what people call an array of the chain."""
    if name == "x_keys":
        return "x_K"
    if name[1:2] == "_":
        return f"{'W' if name[0] == 'w' else 'b'}_{name[2].upper()}"
    words = {
        "scores": QCoreApplication.translate("ShapeView", "scores"),
        "scaled": QCoreApplication.translate("ShapeView", "scaled"),
        "masked": QCoreApplication.translate("ShapeView", "masked"),
        "weights": QCoreApplication.translate("ShapeView", "weights"),
        "head_output": QCoreApplication.translate("ShapeView", "head output"),
        "concat": QCoreApplication.translate("ShapeView", "concat"),
        "output": QCoreApplication.translate("ShapeView", "output"),
    }
    return words.get(name, name)


def formula_text(array: ChainArray, scaling: str) -> str:
    """Give how an array comes about, ``scaling`` being that of the scaled scores; empty for what is given."""
    said = {
        "scaled": QCoreApplication.translate("ShapeView", "scores {scaling}").format(scaling=scaling),
        "masked": QCoreApplication.translate("ShapeView", "scaled, with the mask"),
        "weights": QCoreApplication.translate("ShapeView", "softmax of every row"),
        "head_output": QCoreApplication.translate("ShapeView", "weights · v"),
        "concat": QCoreApplication.translate("ShapeView", "outputs side by side"),
    }
    if array.name == "output" and "W_O" not in array.formula:
        return QCoreApplication.translate("ShapeView", "{concat}, as W_O is the identity").format(
            concat=array.formula
        )
    return said.get(array.name, array.formula)


def reading(array: ChainArray, scaling: str) -> str:
    """Give one line that says all of an array of the chain; the chosen head, or the layer, has it."""
    assert array.own is not None
    parts = [
        f"{array_name(array.name)}: {shape_text(array.own)} ({axes_text(array, is_whole=True)})",
        formula_text(array, scaling),
        QCoreApplication.translate("ShapeView", "{count} numbers").format(count=counted(array.own.size)),
    ]
    if array.own.multiply_adds:
        said = QCoreApplication.translate("ShapeView", "{count} multiply-adds")
        parts.append(said.format(count=counted(array.own.multiply_adds)))
    said = QCoreApplication.translate("ShapeView", "{count} bytes")
    parts.append(said.format(count=counted(array.own.n_bytes)))
    return "  ·  ".join(part for part in parts if part)


def summary(chain: ShapeChain) -> str:
    """Give one line of what the layer comes to."""
    n_heads = len(chain.d_v_of_heads)
    per_head = QCoreApplication.translate("ShapeView", "{count} scores per head")
    in_all = QCoreApplication.translate("ShapeView", "{count} in all {n_heads} heads")
    parameters = QCoreApplication.translate("ShapeView", "{count} parameters")
    multiply_adds = QCoreApplication.translate("ShapeView", "{count} multiply-adds")
    n_bytes = QCoreApplication.translate("ShapeView", "{count} bytes")
    parts = [per_head.format(count=counted(chain.scores_per_head))]
    if n_heads > 1:
        parts.append(in_all.format(count=counted(chain.scores_in_all), n_heads=n_heads))
    parts += [
        parameters.format(count=counted(chain.parameters)),
        multiply_adds.format(count=counted(chain.multiply_adds)),
        n_bytes.format(count=counted(chain.n_bytes)),
    ]
    return "  ·  ".join(parts)
