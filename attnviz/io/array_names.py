"""What an array of a file is, by its name: ours, and those that others use for the same."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ALIASES = {
    "q": ("q", "query", "queries", "query_states", "query_layer"),
    "k": ("k", "key", "keys", "key_states", "key_layer"),
    "v": ("v", "value", "values", "value_states", "value_layer"),
    "x": ("x", "hidden_states", "embeddings", "input", "inputs"),
    "x_keys": ("x_keys", "x_k", "encoder_hidden_states", "memory"),
    "w_q": ("w_q", "wq", "w_query", "weight_q"),
    "w_k": ("w_k", "wk", "w_key", "weight_k"),
    "w_v": ("w_v", "wv", "w_value", "weight_v"),
    "b_q": ("b_q", "bq", "b_query", "bias_q", "q_proj_bias", "query_bias", "q_lin_bias"),
    "b_k": ("b_k", "bk", "b_key", "bias_k", "k_proj_bias", "key_bias", "k_lin_bias"),
    "b_v": ("b_v", "bv", "b_value", "bias_v", "v_proj_bias", "value_bias", "v_lin_bias"),
    "w_o": ("w_o", "wo", "w_output", "weight_o", "attn_c_proj_weight"),
    "b_o": (
        *("b_o", "bo", "b_output", "bias_o", "out_proj_bias", "o_proj_bias", "out_lin_bias"),
        *("attn_c_proj_bias", "attention_dense_bias", "attention_output_dense_bias"),
    ),
    "qkv": ("qkv", "mixed_qkv"),
    "w_qkv": ("w_qkv", "wqkv", "c_attn_weight"),
    "b_qkv": ("b_qkv", "c_attn_bias", "in_proj_bias", "qkv_bias", "qkv_proj_bias", "wqkv_bias"),
    "mask": ("mask", "attention_mask", "allowed"),
    "tokens": ("tokens", "token", "labels"),
    "key_tokens": ("key_tokens", "key_labels"),
    "names": ("names", "head_names"),
    "x_names": ("x_names", "dimension_names"),
}
_TRANSPOSED = {  # torch's Linear.weight: a row per output
    "w_q": ("q_proj_weight", "query_weight", "q_lin_weight", "q_proj"),
    "w_k": ("k_proj_weight", "key_weight", "k_lin_weight", "k_proj"),
    "w_v": ("v_proj_weight", "value_weight", "v_lin_weight", "v_proj"),
    "w_o": (
        *("out_proj_weight", "o_proj_weight", "out_lin_weight", "o_proj", "out_proj"),
        *("attention_dense_weight", "attention_output_dense_weight"),
    ),
    "w_qkv": ("in_proj_weight", "qkv_weight", "qkv_proj_weight", "wqkv_weight"),
}
_LIKE_JOINED = ("attn_c_proj_weight",)  # GPT-2's own layer computes x · W, torch's under the same name W · x
_COMPUTED = re.compile(r"(scores|scaled|masked|weights|head_output|concat|output|residual)(_\d+)?")
_ROLES = {name: role for role, names in _ALIASES.items() for name in names}
_TURNED = {name: role for role, names in _TRANSPOSED.items() for name in names}
_NUMBER = re.compile(r"(.+?)_(\d{1,3})")
_LAYER = re.compile(r"(.*[./]\d{1,4}|\d{1,4})[./]")
_MOST_WORDS = 4
TEXTS = ("tokens", "key_tokens", "names", "x_names")
"""Roles of lists of texts."""


@dataclass(frozen=True)
class Meaning:
    """What a name says.

    Attributes
    ----------
    role
        One of ``import_parts.ROLES``, one of ``TEXTS``, or nothing where the name says nothing.
    head
        The head it names, ``q_3`` head 3; None where it names none.
    is_transposed
        Whether arrays of that name have a row per output.
    is_computed
        Whether it is something that attnviz computes and exports, such as ``weights``.
    is_like_joined
        Whether its rows and columns are as those of W_Q, W_K and W_V in one, which lie beside it.
    layer
        Which of several like it, by the words up to their number: ``h.3`` of ``h.3.attn.c_attn.weight``.
    """

    role: str = ""
    head: int | None = None
    is_transposed: bool = False
    is_computed: bool = False
    is_like_joined: bool = False
    layer: str = ""


def meaning_of(name: str) -> Meaning:
    """Give what an array's name says; of a path such as ``layers.0.attn.q_proj.weight`` its last words."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if _COMPUTED.fullmatch(plain):
        return Meaning(is_computed=True)
    words = plain.split("_")
    # The whole name, or after a dot the end of it: “key” of “my_key” is somebody else's.
    ends = [plain]
    if re.search(r"[./]", name):
        ends += ["_".join(words[-count:]) for count in range(_MOST_WORDS, 0, -1) if count < len(words)]
    layer = _layer_of(name)
    for end in ends:
        if end in _TURNED:
            return Meaning(_TURNED[end], is_transposed=True, layer=layer)
        if end in _ROLES:
            return Meaning(_ROLES[end], is_like_joined=end in _LIKE_JOINED, layer=layer)
        numbered = _NUMBER.fullmatch(end)
        if numbered and numbered[1] in _ROLES and _ROLES[numbered[1]] not in TEXTS:
            return Meaning(_ROLES[numbered[1]], head=int(numbered[2]))
    return Meaning()


def _layer_of(name: str) -> str:
    """Give the beginning of a path up to its last number that stands alone."""
    found = _LAYER.match(name)
    return found[1] if found else ""
