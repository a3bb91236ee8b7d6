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

# The tab in front is nothing that `attnviz render` asks for.
QT_QPA_PLATFORM=offscreen .venv/bin/python - "$out/linear-map-en-light.png" <<'EOF'
import sys

from attnviz.core.request import Request
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui.app import create_application
from attnviz.gui.appearance import Appearance
from attnviz.gui.language import Language
from attnviz.gui.theme import theme_named
from attnviz.gui.window_picture import window_image
from attnviz.io.presets import load_preset

app, language, appearance = create_application(), Language(), Appearance()
language.speak("en")
appearance.choose("light")
preset = load_preset("linear-map", "en")
engine = NumpyEngine()
stages = engine.compute(Request.whole(preset.inputs, preset.selection.head, preset.selection.query))
image = window_image(
    stages,
    preset.selection,
    size=(1200, 820),
    scale=1.0,
    theme=theme_named("light"),
    engine=(engine.name, None),
    tab="vectors",
)
engine.close()
image.save(sys.argv[1])
EOF

# The heads and the output, with a W_O that is no longer the identity.
QT_QPA_PLATFORM=offscreen .venv/bin/python - "$out/heads-to-output-en-light.png" <<'EOF'
import sys

import numpy as np

from attnviz.core.projection_edits import set_w_o
from attnviz.core.request import OUTPUT, THUMBNAILS, Request
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui.app import create_application
from attnviz.gui.appearance import Appearance
from attnviz.gui.language import Language
from attnviz.gui.theme import theme_named
from attnviz.gui.window_picture import window_image
from attnviz.io.presets import load_preset

app, language, appearance = create_application(), Language(), Appearance()
language.speak("en")
appearance.choose("light")
preset, rng = load_preset("neko", "en"), np.random.default_rng(1)
inputs = set_w_o(preset.inputs, rng.standard_normal((8, 6)).round(1), rng.standard_normal(6).round(1))
engine, extras = NumpyEngine(), frozenset({OUTPUT, THUMBNAILS})
stages = engine.compute(Request.whole(inputs, preset.selection.head, preset.selection.query, extras))
engine.close()
image = window_image(
    stages,
    preset.selection,
    size=(1360, 980),
    scale=1.0,
    theme=theme_named("light"),
    engine=(engine.name, None),
    tab="heads_to_output",
)
image.save(sys.argv[1])
EOF

# A dialog, which `attnviz render` does not draw.
QT_QPA_PLATFORM=offscreen .venv/bin/python - "$out/code-en-light.png" <<'EOF'
import sys

from attnviz.core.request import Request
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui.app import create_application
from attnviz.gui.appearance import Appearance
from attnviz.gui.code_dialog import CodeDialog
from attnviz.gui.language import Language
from attnviz.gui.theme import theme_named
from attnviz.io.presets import load_preset

app = create_application()
Appearance().choose("light")
Language().speak("en")
preset = load_preset("neko", "ja")
engine = NumpyEngine()
stages = engine.compute(Request.whole(preset.inputs, preset.selection.head, preset.selection.query))
engine.close()
dialog = CodeDialog(theme_named("light"))
dialog.show_part("weights")
dialog.draw(stages, preset.selection, None)
dialog.resize(1180, 700)
dialog.show()
app.processEvents()
dialog.grab().save(sys.argv[1])
dialog.close()
EOF

# A tab alone, at the height of all that it can scroll to.
QT_QPA_PLATFORM=offscreen .venv/bin/python - "$out/shapes-en-light.png" <<'EOF'
import sys

from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage

from attnviz.core.request import Request
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui.app import create_application
from attnviz.gui.appearance import Appearance
from attnviz.gui.language import Language
from attnviz.gui.theme import theme_named
from attnviz.gui.views.shape_view import ShapeView
from attnviz.io.presets import load_preset

app, theme = create_application(), theme_named("light")
Appearance().choose("light")
Language().speak("en")
preset = load_preset("andrea", "en")
engine = NumpyEngine()
stages = engine.compute(Request.whole(preset.inputs, preset.selection.head, preset.selection.query))
engine.close()
view = ShapeView()
view.set_theme(theme)
view.draw(stages, preset.selection)
view.resize(1360, 576)
view.show()
app.processEvents()
view.setFocus()
image = QImage(view.size(), QImage.Format.Format_RGB32)
view.render(image, QPoint())
image.save(sys.argv[1])
view.close()
EOF
