#!/bin/sh
# Opens the window; where there is no display, draws the default scene into a file instead and says so.
# The arguments are those of attnviz.
set -eu
attnviz=.venv/bin/attnviz
case ${1:-} in
    presets | engines | render | export | --version | --help | -h) exec "$attnviz" "$@" ;;
esac
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname)" = Darwin ]; then
    exec "$attnviz" "$@"
fi
"$attnviz" render "$@" -o attnviz.png
echo "There is no display here to open a window on. The picture is in $PWD/attnviz.png"
