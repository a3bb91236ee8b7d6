#!/bin/sh
# Draws the pictures of docs/screenshots anew, from the program itself.
set -eu
cd "$(dirname "$0")/.."
out=docs/screenshots
mkdir -p "$out"
draw() { .venv/bin/attnviz render "$@"; }
draw --panel window --lang ja -o "$out/window-ja-light.png"
draw --panel window --lang en -o "$out/window-en-light.png"
draw --panel window --lang en --theme dark -o "$out/window-en-dark.png"
draw --panel window --lang ja --size 1024x700 -o "$out/window-ja-1024x700.png"
draw --panel window --preset toy --lang en -o "$out/toy-en-light.png"
draw --panel window --preset translation --lang en -o "$out/cross-attention-en-light.png"
draw --panel stages --lang ja --size 1200x1000 -o "$out/stages-ja-light.png"
draw --panel weights --preset english --lang en --theme dark -o "$out/weights-english-dark.png"

sessions=$(mktemp -d)
trap 'rm -r "$sessions"' EXIT
.venv/bin/python - "$sessions" <<'EOF'
import sys
from dataclasses import replace
from pathlib import Path

from attnviz.core.masks import CausalMask, CustomMask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.io.presets import load_preset
from attnviz.io.session import save_session

preset = load_preset("english", "en")
own = CustomMask.of(NoMask(), preset.inputs.n_tokens, preset.inputs.n_tokens)
own = own.painted([((2, 5), (4, 8)), ((7, 8), (0, 6))], False)
kinds = {
    "causal": CausalMask(),
    "padding": PaddingMask((2, 5)),
    "window": SlidingWindowMask(3),
    "sinks": SinkMask(1, 3),
    "prefix": PrefixMask(4),
    "own": own,
}
for name, mask in kinds.items():
    save_session(Path(sys.argv[1], f"{name}.attnviz"), replace(preset.inputs, mask=mask), preset.selection)
leaks = replace(preset.inputs, mask=kinds["window"], mask_fill=-2.0)
save_session(Path(sys.argv[1], "leaks.attnviz"), leaks, preset.selection)
EOF
for kind in causal padding window sinks prefix own; do
    draw "$sessions/$kind.attnviz" --panel masked --lang en --size 360x320 -o "$out/mask-$kind.png"
done
draw "$sessions/leaks.attnviz" --panel weights --lang en --size 640x480 -o "$out/mask-leaks.png"

# What `attnviz render` does not draw.
QT_QPA_PLATFORM=offscreen .venv/bin/python .ci/draw_parts.py "$out"
