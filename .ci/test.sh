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

# Beside the main tests, for those use one CPU; what it says comes when they have ended.
beside() {
    echo "The CUDA engine, on the emulated driver:"
    # shellcheck disable=SC2086  # a list of words
    part env COVERAGE_FILE=.coverage-emulated \
        .ci/emulated.sh "$python" -m pytest $cover tests/engine tests/cuda
    # shellcheck disable=SC2086
    part_if_any env COVERAGE_FILE=.coverage-emulated \
        .ci/emulated.sh "$python" -m pytest $cover -m "emulated and not long" tests/journeys
    if command -v xvfb-run >/dev/null; then
        echo "The journeys once more, on a real X server:"
        for half in 'tests/journeys/test_[a-l]*.py' 'tests/journeys/test_[!a-l]*.py'; do
            # shellcheck disable=SC2086  # a pattern of names
            part env QT_QPA_PLATFORM=xcb \
                xvfb-run -a -s "-screen 0 1920x1200x24" "$python" -m pytest $half
        done
    else
        echo "The journeys were not run on a real X server: xvfb is not installed."
    fi
    exit "$status"
}
said=$(mktemp)
trap 'rm -f "$said" .coverage-emulated' EXIT
beside >"$said" 2>&1 &
beside=$!
trap 'kill $beside 2>/dev/null; exit 130' INT TERM

# In processes of their own: many hundreds of tests leave so many objects that windows are made ever slower.
for some in \
    "tests --ignore=tests/gui --ignore=tests/journeys" \
    "tests/gui --ignore=tests/gui/editors --ignore=tests/gui/views" \
    "tests/gui/editors tests/gui/views" \
    "tests/journeys/test_[a-l]*.py" \
    "tests/journeys/test_[!a-l]*.py"; do
    # shellcheck disable=SC2086  # lists of words, and patterns of names
    part "$python" -m pytest $cover $some
done
wait $beside || status=$?
cat "$said"
[ ! -e .coverage-emulated ] || "$python" -m coverage combine --quiet --append .coverage-emulated
part "$python" -m coverage report
exit "$status"
