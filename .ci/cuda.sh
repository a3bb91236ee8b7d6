#!/bin/sh
# Puts into .venv what the CUDA engine needs: PyCUDA, and a compiler for its kernels where no nvcc works.
#
# Usage: .ci/cuda.sh         builds and installs, then says what computes here (`make cuda`)
#        .ci/cuda.sh run     the same where a GPU answers, tried once, and never in the way of the window
#        .ci/cuda.sh test    also the headers that the tests' emulated driver is built with; needs no GPU
#
# PyCUDA comes as source alone. Its plain build fails, or builds what can never be loaded, on most machines;
# docs/cuda-install.md says how. So it is built here, once for each Python, and kept in
# ${XDG_CACHE_HOME:-~/.cache}/attnviz/wheels. Neither a GPU nor its driver nor a CUDA toolkit is needed for that.
set -eu
cd "$(dirname "$0")/.."
. .ci/system.sh
mode=${1:-make}
case $mode in
    make | run | test) ;;
    *) fail "cuda.sh: unknown purpose: $mode" ;;
esac
python=.venv/bin/python

work=
trap 'rm -rf ${work:+"$work"}' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# --- the GPU, the compiler of the kernels -------------------------------------------------------------------------

# With a driver that is half broken nvidia-smi may never end.
nvidia_smi() {
    if command -v timeout >/dev/null; then set -- timeout 20 nvidia-smi "$@"; else set -- nvidia-smi "$@"; fi
    PATH=$PATH:/usr/lib/wsl/lib "$@" 2>/dev/null
}

# The kinds of the GPUs that answer, as "9.0", one a line.
gpus() { nvidia_smi --query-gpu=compute_cap --format=csv,noheader | grep '^[0-9]*\.[0-9]*$'; }

# Whether nvcc compiles for the GPU here, and its driver takes that. It cannot without a host compiler, nor for a
# GPU newer than itself; a driver takes nothing from a CUDA of a later number before the dot than its own.
nvcc_works() {
    command -v nvcc >/dev/null || return 1
    driver=$(nvidia_smi -q | sed -n 's/^CUDA Version *: *\([0-9]*\)\..*/\1/p' | head -n 1)
    release=$(nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
    [ "${release:-0}" -le "${driver:-99}" ] || return 1
    arch=$(gpus | head -n 1 | tr -d .)
    trial=$(mktemp -d)
    echo 'extern "C" __global__ void trial() {}' >"$trial/trial.cu"
    works=yes
    nvcc -cubin ${arch:+"-arch=sm_$arch"} -o "$trial/trial.cubin" "$trial/trial.cu" >/dev/null 2>&1 || works=no
    rm -rf "$trial"
    [ $works = yes ]
}

# The wheels that compile the kernels. That of CUDA 12 serves the most machines: GPUs from Maxwell to Blackwell,
# and drivers of CUDA 12 and 13, whereas what CUDA 13 compiles needs a driver of CUDA 13.
compiler_wheels() {
    if [ "$mode" != test ] && nvcc_works; then
        return
    fi
    { gpus || echo none; } | while read -r gpu; do
        case $gpu in
            none | [5-7].? | 8.[0-79] | 9.0 | 10.[013] | 12.[01]) echo nvidia-cuda-nvrtc-cu12 ;;
            *) echo nvidia-cuda-nvrtc ;;
        esac
    done | sort -u
}

# --- PyCUDA ---------------------------------------------------------------------------------------------------------

pinned() { sed -n "s/^$1==//p" constraints.txt; }

# Headers of CUDA 12 too: every function that PyCUDA then wants is in the drivers of CUDA 12 and in those of 13.
headers="nvidia-cuda-runtime-cu12 nvidia-cuda-profiler-api-cu12"

cached_wheel() {
    for wheel in "$cache"/pycuda-*.whl; do
        if [ -f "$wheel" ]; then
            echo "$wheel"
            return
        fi
    done
    return 1
}

need_compiler() {
    needed=
    command -v "${CXX:-g++}" >/dev/null && command -v "${CC:-gcc}" >/dev/null || needed="g++"
    if ! "$python" -c 'import sys, sysconfig as s; open(s.get_path("include") + "/Python.h")' 2>/dev/null; then
        base=$("$python" -c 'import sys; print(sys.base_prefix)')
        [ "$base" = /usr ] || fail "PyCUDA cannot be built: the Python in $base has no header files (Python.h)."
        needed="$needed $("$python" -c 'import sys; print("python%d.%d-dev" % sys.version_info[:2])')"
    fi
    # shellcheck disable=SC2086  # a list of words
    [ -z "$needed" ] || apt_install $needed || fail "Without that, PyCUDA cannot be built."
}

build() {
    need_compiler
    say "Building PyCUDA, once for this Python; about three minutes"
    work=$(mktemp -d)
    mkdir -p "$work/home" "$work/stub" "$work/wheel" "$cache"
    # shellcheck disable=SC2086  # a list of words
    "$python" -m pip install --quiet --no-deps --constraint constraints.txt --target "$work/site" \
        setuptools $headers </dev/null || fail "PyCUDA cannot be built: what it is built with could not be installed."

    # No libcuda.so is needed to link with, only its name in the result. An empty one has none of the symbols,
    # so the linker would leave the name out, and what it had built could not be loaded on any machine.
    echo 'int attnviz_stub;' >"$work/stub/stub.c"
    "${CC:-gcc}" -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$work/stub/libcuda.so" "$work/stub/stub.c" ||
        fail "PyCUDA cannot be built: the C compiler ${CC:-gcc} does not work."
    # PyCUDA takes the folder above the first nvcc on the PATH for a toolkit, where only this file tells it better.
    cat >"$work/home/.aksetup-defaults.py" <<END
CUDA_INC_DIR = ["$work/site/nvidia/cuda_runtime/include", "$work/site/nvidia/cuda_profiler_api/include"]
CUDADRV_LIB_DIR = ["$work/stub"]
CUDA_ENABLE_CURAND = False
CXXFLAGS = ["-O1", "-g0", "-w"]
LDFLAGS = ["-Wl,--no-as-needed", "-L$work/stub", "-lcuda"]
END
    # The file is read from the home; pip finds its settings there.
    for settings in .config .pip .netrc; do
        [ ! -e "$HOME/$settings" ] || ln -s "$HOME/$settings" "$work/home/$settings"
    done
    # pip's own cache may hold a PyCUDA that was built in the plain way.
    HOME=$work/home TMPDIR=$work PYTHONPATH=$work/site CC=${CC:-gcc} CXX=${CXX:-g++} "$python" -m pip wheel \
        --no-deps --no-cache-dir --no-build-isolation --no-binary pycuda --wheel-dir "$work/wheel" \
        "pycuda==$(pinned pycuda)" >"$work/log" 2>&1 </dev/null || {
        mv "$work/log" "$cache/build.log"
        tail -n 5 "$cache/build.log" >&2
        fail "PyCUDA could not be built; all that was said is in $cache/build.log"
    }
    wheel=$(echo "$work"/wheel/pycuda-*.whl)
    "$python" -m zipfile -e "$wheel" "$work/unpacked"
    readelf -d "$work"/unpacked/pycuda/_driver*.so | grep -q 'NEEDED.*libcuda\.so\.1' ||
        fail "PyCUDA was built in vain: the linker left the driver's library out of it."
    # Only whole wheels get their name.
    cp "$wheel" "$cache/.new.$$"
    mv "$cache/.new.$$" "$cache/${wheel##*/}"
    rm -f "$cache/build.log"
}

# --- all of it, each part only if it was not done before --------------------------------------------------------------

install() {
    [ "$(uname)" = Linux ] || fail "PyCUDA is built by this script on Linux alone; see docs/cuda-install.md."
    abi=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("SOABI"))')
    headers_version=$(pinned nvidia-cuda-runtime-cu12)
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/attnviz/wheels/pycuda-$(pinned pycuda)-$abi-cuda-$headers_version
    [ "$mode" != test ] || need_compiler  # for the emulated driver too
    cached_wheel >/dev/null || build
    more=$(compiler_wheels)
    [ "$mode" != test ] || more="$more ${headers%% *}"
    # By force, for one of the same version may have been installed from elsewhere.
    # shellcheck disable=SC2086  # a list of words
    if ! "$python" -m pip install --quiet --force-reinstall --no-deps "$(cached_wheel)" </dev/null ||
        ! "$python" -m pip install --quiet --constraint constraints.txt pycuda $more </dev/null; then
        fail "PyCUDA could not be installed into .venv; the lines above say why."
    fi
}

state=$(cat constraints.txt .ci/cuda.sh | cksum; gpus || true; command -v nvcc || true)
is_done() { [ "$(cat ".venv/cuda-for-$1" 2>/dev/null)" = "$state" ]; }

if [ "$mode" = run ]; then
    # A second try by itself would cost the same minutes for nothing.
    if [ "${ATTNVIZ_ENGINE:-}" = cpu ] || is_done run || is_done make || [ -z "$(gpus)" ]; then
        exit 0
    fi
    printf '%s\n' "$state" >.venv/cuda-for-run
    say "There is an NVIDIA GPU here: $(nvidia_smi --query-gpu=name --format=csv,noheader | head -n 1)"
    .ci/cuda.sh || say "The CPU computes until that is put right; then type: make cuda"
    exit 0
fi
if ! is_done "$mode"; then
    install
    printf '%s\n' "$state" >".venv/cuda-for-$mode"
fi
if [ "$mode" = make ]; then
    .venv/bin/attnviz engines | sed -n '/^cuda/p'
fi
