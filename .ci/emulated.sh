#!/bin/sh
# Runs a command with the emulated CUDA driver of tests/cudaemu in place of a real one:
#
#     .ci/emulated.sh .venv/bin/python -m pytest tests/engine tests/cuda
#     .ci/emulated.sh .venv/bin/python -m attnviz engines
#
# The emulator runs on the CPU and says so in its device name. Its settings: tests/cudaemu/README.md. Where it
# cannot be built nothing is run and the reason is said; that is a failure with ATTNVIZ_REQUIRE_EMULATOR=1.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }

if ! CUDAEMU=$("$root/.venv/bin/python" "$root/tests/cudaemu/build.py"); then
    echo "The emulated CUDA driver cannot be built here: not run: $*" >&2
    [ "${ATTNVIZ_REQUIRE_EMULATOR:-}" != 1 ]
    exit
fi
LD_LIBRARY_PATH=$CUDAEMU${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
PATH=$CUDAEMU/bin:$PATH
# Compiled code is kept apart from what a user's own nvcc compiled, and thrown away.
ATTNVIZ_KERNEL_CACHE=$(mktemp -d)
trap 'rm -rf "$ATTNVIZ_KERNEL_CACHE"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
PYCUDA_DISABLE_CACHE=1
ATTNVIZ_TEST_ENGINE=cuda
export CUDAEMU LD_LIBRARY_PATH PATH ATTNVIZ_KERNEL_CACHE PYCUDA_DISABLE_CACHE ATTNVIZ_TEST_ENGINE
unset CUDA_VISIBLE_DEVICES  # a machine's own devices are not asked for
"$@"
