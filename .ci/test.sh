#!/bin/sh
# Runs the quick tests offscreen with their coverage, then the journeys once more on a real X server.
# With arguments, which are pytest's: only those tests, without coverage and X server.
set -u
python=.venv/bin/python
export PYTHONUTF8=1 LC_ALL=C.UTF-8

if [ $# -gt 0 ]; then
    exec "$python" -m pytest "$@"
fi
status=0
"$python" -m pytest --cov || status=$?
if [ ! -d tests/journeys ]; then
    :
elif command -v xvfb-run >/dev/null; then
    echo "The journeys once more, on a real X server:"
    QT_QPA_PLATFORM=xcb xvfb-run -a -s "-screen 0 1920x1200x24" "$python" -m pytest tests/journeys || status=$?
else
    echo "The journeys were not run on a real X server: xvfb is not installed."
fi
exit $status
