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
