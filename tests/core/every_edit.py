"""Edits of every kind, chosen at random: what a person can do to a document, in any order."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

import numpy as np

from attnviz.core import edits, key_edits, mask_edits, output_edits
from attnviz.core import projection_edits as layer
from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_codes import previous_token_vectors
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.core.projections import BIASES, WEIGHTS, Projection

Change = Callable[[Inputs, Random], Inputs]
VALUES = (-3.5, -0.1, 0.0, 1.0, 2.25)


def layer_of_every_source(n: int = 4, d_model: int = 5, d: int = 3) -> Inputs:
    """A document with heads of every source, x, W_O and b_O."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, d_model)).astype(np.float32)
    q, k, v = rng.standard_normal((3, n, d)).astype(np.float32)
    codes = previous_token_vectors(n)
    plain = Head("plain", q, k, v[:, 1:], qk_names=tuple(f"dim {dim}" for dim in range(d)))
    linked = Head("linked", q, k, k, v_is_k=True, is_default=np.arange(n) % 2 == 0)
    tables = (rng.standard_normal((d_model, dims)) for dims in (d, d, d - 1))
    derived = layer.derived_head(plain, x, Projection(*tables, b_k=rng.standard_normal(d)))
    heads = (plain, Head("codes", *codes, v, source="positions"), linked, derived)
    d_concat = sum(head.d_v for head in heads)
    w_o, b_o = rng.standard_normal((d_concat, d_model)), rng.standard_normal(d_model)
    tokens = tuple(chr(ord("a") + index % 26) for index in range(n))
    return Inputs(" ".join(tokens), tokens, heads, x=x, w_o=w_o, b_o=b_o)


def edited(inputs: Inputs, random: Random, change: Change | None = None) -> Inputs:
    """Give a document after one edit, of any kind or of one; what the edit refuses changes nothing."""
    change = change or random.choice(EVERY_KIND)
    try:
        return change(inputs, random)
    except InputError:
        return inputs


def _head(inputs: Inputs, random: Random) -> int:
    return random.randrange(inputs.n_heads)


def _token(inputs: Inputs, random: Random) -> int:
    return random.randrange(inputs.n_tokens)


def _block(random: Random, rows: int, columns: int) -> list[list[float]]:
    return [[random.choice(VALUES) for _ in range(columns)] for _ in range(rows)]


def _set_vectors(inputs: Inputs, random: Random) -> Inputs:
    head, which = _head(inputs, random), random.choice("qkv")
    n_rows, n_dims = getattr(inputs.heads[head], which).shape
    rows = random.choice((1, 1, min(3, n_rows)))
    token, dim = random.randrange(n_rows - rows + 1), random.randrange(n_dims)
    return edits.set_vector_block(inputs, head, which, token, dim, _block(random, rows, 1))


def _set_x(inputs: Inputs, random: Random) -> Inputs:
    if inputs.x is None:
        return inputs
    dim = random.randrange(inputs.x.shape[1])
    return layer.set_x_block(inputs, _token(inputs, random), dim, _block(random, 1, 1))


def _rename_x(inputs: Inputs, random: Random) -> Inputs:
    if inputs.x is None:
        return inputs
    dim = random.randrange(inputs.x.shape[1])
    return layer.rename_x_dimension(inputs, dim, random.choice(("動物", "", "x")))


def _set_map(inputs: Inputs, random: Random) -> Inputs:
    head, which = _derived(inputs, random), random.choice((*WEIGHTS, *BIASES))
    return layer.set_projection_block(inputs, head, which, 0, 0, _block(random, 1, 1))


def _toggle_bias(inputs: Inputs, random: Random) -> Inputs:
    head, which = _derived(inputs, random), random.choice(BIASES)
    return random.choice((layer.add_bias, layer.drop_bias))(inputs, head, which)


def _derived(inputs: Inputs, random: Random) -> int:
    """Choose a head that is derived from x, any head where none is."""
    derived = [index for index, head in enumerate(inputs.heads) if head.projection is not None]
    return random.choice(derived or range(inputs.n_heads))


def _change_source(inputs: Inputs, random: Random) -> Inputs:
    change = random.choice((layer.start_projection, layer.stop_projection))
    return change(inputs, _head(inputs, random))


def _resize_x(inputs: Inputs, random: Random) -> Inputs:
    if inputs.x is None:
        return inputs
    return layer.resize_x(inputs, max(1, inputs.x.shape[1] + random.choice((-1, 1))))


def _set_w_o(inputs: Inputs, random: Random) -> Inputs:
    row, column = random.randrange(inputs.d_concat), random.randrange(inputs.d_output)
    return output_edits.set_w_o_block(inputs, row, column, _block(random, 1, 1))


def _resize_output(inputs: Inputs, random: Random) -> Inputs:
    return output_edits.resize_output(inputs, max(1, inputs.d_output + random.choice((-1, 1))))


def _toggle_w_o(inputs: Inputs, random: Random) -> Inputs:
    if inputs.w_o is not None:
        return output_edits.set_w_o(inputs, None)
    return output_edits.set_w_o(inputs, np.full((inputs.d_concat, 4), 0.5), np.ones(4))


def _set_b_o(inputs: Inputs, random: Random) -> Inputs:
    return output_edits.set_b_o_block(inputs, random.randrange(inputs.d_output), _block(random, 1, 1))


def _set_mask(inputs: Inputs, random: Random) -> Inputs:
    n = inputs.n_key
    hidden = tuple(sorted(random.sample(range(n), random.randrange(min(n, 4)))))
    kinds = (
        CausalMask(),
        NoMask(),
        PaddingMask(hidden, random.choice((True, False))),
        SlidingWindowMask(random.randint(1, n)),
        SinkMask(random.randint(0, n), random.randint(1, n)),
        PrefixMask(random.randint(1, n)),
    )
    return edits.set_mask(inputs, random.choice(kinds))


def _paint(inputs: Inputs, random: Random) -> Inputs:
    query, key = _token(inputs, random), random.randrange(inputs.n_key)
    ends = (random.randint(query + 1, inputs.n_query), random.randint(key + 1, inputs.n_key))
    return mask_edits.paint_cells(inputs, [((query, ends[0]), (key, ends[1]))], random.choice((True, False)))


def _pad(inputs: Inputs, random: Random) -> Inputs:
    return mask_edits.set_padding(inputs, random.randrange(inputs.n_key), random.choice((True, False)))


def _set_numbers(inputs: Inputs, random: Random) -> Inputs:
    if random.choice((True, False)):
        return edits.set_scale_strength(inputs, random.choice((0.5, 1.0, 3.25)))
    return edits.set_mask_fill(inputs, random.choice((-math.inf, -1e9, -1e4, 0.25)))


def _rename(inputs: Inputs, random: Random) -> Inputs:
    head, name = _head(inputs, random), random.choice(("意味", "直前", "x"))
    if random.choice((True, False)):
        return edits.rename_head(inputs, head, name)
    which = random.choice("qkv")
    dim = random.randrange(len(inputs.heads[head].names_of(which)))
    return edits.rename_dimension(inputs, head, which, dim, name)


def _change_heads(inputs: Inputs, random: Random) -> Inputs:
    head, kind = _head(inputs, random), random.randrange(4)
    if kind == 0:
        return edits.move_head(inputs, head, _head(inputs, random))
    if inputs.n_heads > 1 and (kind == 1 or inputs.n_heads > 13):
        return edits.remove_head(inputs, head)
    if kind == 2:
        return edits.copy_head(inputs, head, "copy")
    return edits.add_head(inputs, head, "new")


def _resize_head(inputs: Inputs, random: Random) -> Inputs:
    head = _head(inputs, random)
    d_k, d_v = inputs.heads[head].d_k, inputs.heads[head].d_v
    return edits.resize_head(
        inputs, head, max(1, d_k + random.choice((-1, 0, 1))), max(1, d_v + random.choice((-1, 1)))
    )


def _link(inputs: Inputs, random: Random) -> Inputs:
    head = _head(inputs, random)
    return edits.set_v_is_k(inputs, head, not inputs.heads[head].v_is_k)


def _change_tokens(inputs: Inputs, random: Random) -> Inputs:
    tokens, kept = _rearranged(inputs.tokens, random)
    return edits.rearrange_tokens(inputs, "".join(tokens), tokens, kept)


def _change_keys(inputs: Inputs, random: Random) -> Inputs:
    if inputs.key_tokens is None:
        return key_edits.separate_keys(inputs)
    if random.randrange(8) == 0:
        return key_edits.join_keys(inputs)
    if inputs.x_keys is not None and random.choice((True, False)):
        place = random.randrange(inputs.n_key), random.randrange(inputs.x_keys.shape[1])
        return key_edits.set_x_keys_block(inputs, *place, _block(random, 1, 1))
    tokens, kept = _rearranged(inputs.key_tokens, random)
    return key_edits.rearrange_keys(inputs, "".join(tokens), tokens, kept)


def _rearranged(old: tuple[str, ...], random: Random) -> tuple[list[str], list[int | None]]:
    """Take a token away, put one in, move or rename one; give the tokens and which of the old they are."""
    tokens, kept = list(old), list[int | None](range(len(old)))
    token, kind = random.randrange(len(old)), random.randrange(4)
    if kind == 0 and len(old) > 1:
        del kept[token], tokens[token]
    elif kind == 1:
        kept.insert(token, None)
        tokens.insert(token, random.choice(("魚", "", "<b>")))
    elif kind == 2:
        place = random.randrange(len(old))
        kept.insert(place, kept.pop(token))
        tokens.insert(place, tokens.pop(token))
    else:
        tokens[token] = random.choice(("猫", " ", "a"))
    return tokens, kept


EVERY_KIND: tuple[Change, ...] = (
    _set_vectors,
    _set_x,
    _rename_x,
    _set_map,
    _toggle_bias,
    _change_source,
    _resize_x,
    _set_w_o,
    _resize_output,
    _toggle_w_o,
    _set_b_o,
    _set_mask,
    _paint,
    _pad,
    _set_numbers,
    _rename,
    _change_heads,
    _resize_head,
    _link,
    _change_tokens,
    _change_keys,
)
