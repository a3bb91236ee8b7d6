#!/bin/sh
# Runs the quick tests offscreen, those of the CUDA engine on the emulated driver, the journeys on a real X
# server, and says what all of them covered.
#
# Usage: .ci/test.sh                    all of that
#        .ci/test.sh --long [ARGUMENT…] the tests that take minutes, here and on the emulated driver
#        .ci/test.sh ARGUMENT…          only those tests; the arguments are pytest's
set -u
python=.venv/bin/python
export PYTHONUTF8=1 LC_ALL=C.UTF-8
# Where nothing may be left out, a test that cannot have its emulated driver fails.
[ "${CI:-}" != true ] || export ATTNVIZ_REQUIRE_EMULATOR=1

status=0
# Runs one part after the other, whether those before it passed or not. 5: there are no such tests.
part() { "$@" || status=$?; }
part_if_any() { "$@" || { code=$? && [ $code -eq 5 ]; } || status=$code; }

if [ "${1:-}" = --long ]; then
    shift
    part_if_any "$python" -m pytest -m long "$@"
    [ $# -gt 0 ] || set -- tests/engine tests/cuda
    part_if_any .ci/emulated.sh "$python" -m pytest -m long "$@"
    exit "$status"
fi
if [ $# -gt 0 ]; then
    exec "$python" -m pytest "$@"
fi

cover="--cov --cov-append --cov-report= --cov-fail-under=0"  # judged at the end, when all have added to it
"$python" -m coverage erase
# shellcheck disable=SC2086  # a list of words
{
    part "$python" -m pytest $cover
    echo "The CUDA engine, on the emulated driver:"
    part .ci/emulated.sh "$python" -m pytest $cover tests/engine tests/cuda
    part_if_any .ci/emulated.sh "$python" -m pytest $cover -m "emulated and not long" tests/journeys
}
if command -v xvfb-run >/dev/null; then
    echo "The journeys once more, on a real X server:"
    export QT_QPA_PLATFORM=xcb
    part xvfb-run -a -s "-screen 0 1920x1200x24" "$python" -m pytest tests/journeys
else
    echo "The journeys were not run on a real X server: xvfb is not installed."
fi
part "$python" -m coverage report
exit "$status"
