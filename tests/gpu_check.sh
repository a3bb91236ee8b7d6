#!/usr/bin/env bash
# Tests and measures the CUDA engine on a machine with a GPU and without a network, in five minutes.
#
#   tests/gpu_check.sh --collect [--python-version 3.12]
#       on a machine with a network: puts the packages that the other machine may lack into .carried
#   tests/gpu_check.sh
#       on the machine with the GPU: builds PyCUDA unless it is there, runs the tests, measures, prints a table last
#   tests/gpu_check.sh --dry-run
#       on any machine: all of that on the emulated device, at tiny sizes; its times are not a GPU's
#
# Nothing is installed but into build/gpu. Exit code 0 when all tests passed; a phase that fails keeps no other from
# running. Logs and numbers are left in build/gpu/out.
#
#   PYTHON            the interpreter, 3.11 to 3.13; python3 where unset
#   ATTNVIZ_CARRIED   the folder of packages; .carried where unset
#   ATTNVIZ_GPU_OUT   where logs and numbers go; build/gpu/out where unset
#   ATTNVIZ_GPU_SECONDS   when all has to be over; 300 where unset
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
python=${PYTHON:-python3} carried=${ATTNVIZ_CARRIED:-.carried}
work=build/gpu out=${ATTNVIZ_GPU_OUT:-build/gpu/out}
version='' task=check limit=${ATTNVIZ_GPU_SECONDS:-300} most_mb=64

fail() { printf '%s\n' "$@" >&2; exit 2; }
while [ $# -gt 0 ]; do
    case $1 in
        --collect) task=collect ;;
        --dry-run) task=rehearse ;;
        --python-version) version=${2:-}; shift ;;
        -h | --help) sed -n '2,/^set/s/^#$//p; 2,/^set/s/^# //p' "$0"; exit ;;
        *) fail "gpu_check.sh: unknown argument: $1" ;;
    esac
    shift || fail "gpu_check.sh: --python-version needs a version, such as 3.12"
done

# What the tests and PyCUDA need, as import name and package. numpy and others are often there already.
needs=(setuptools:setuptools numpy:numpy threadpoolctl:threadpoolctl pytest:pytest iniconfig:iniconfig
pluggy:pluggy packaging:packaging pygments:Pygments pytest_timeout:pytest-timeout hypothesis:hypothesis
sortedcontainers:sortedcontainers pytools:pytools platformdirs:platformdirs siphash24:siphash24
typing_extensions:typing-extensions mako:Mako markupsafe:MarkupSafe)

collect() {
    version=${version:-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')}
    rm -rf "$carried" && mkdir -p "$carried" && echo '*' >"$carried/.gitignore" || return
    platforms=()
    for glibc in 28 27 24 17; do platforms+=(--platform "manylinux_2_${glibc}_x86_64"); done
    platforms+=(--platform manylinux2014_x86_64 --platform manylinux1_x86_64)
    fetch() { "$python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$carried" "$@"; }
    fetch --constraint constraints.txt --only-binary=:all: --python-version "$version" --implementation cp \
        "${platforms[@]}" "${needs[@]#*:}" || return
    # The headers of CUDA 13.0 and no newer ones: PyCUDA built with newer headers than the driver asks the driver for
    # functions that it lacks. A toolkit on the machine goes before these.
    fetch --only-binary=:all: "${platforms[@]}" 'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-profiler-api==13.0.*' ||
        return
    fetch --constraint constraints.txt --no-binary pycuda pycuda || return
    size=$(du -sm "$carried" | cut -f1)
    echo "$carried: $(find "$carried" -type f ! -name .gitignore | wc -l) packages for Python $version, $size MB"
    [ "$size" -le "$most_mb" ] || fail "That is more than $most_mb MB."
}

# --- on the machine with the GPU -----------------------------------------------------------------------------------

site=$work/site
pip_install() {
    "$python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --no-compile --upgrade \
        --find-links "$carried" --target "$site" "$@"
}

install_missing() {
    "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info)' ||
        { echo "$("$python" --version) was found; 3.11 or newer is wanted (PYTHON=...)."; return 1; }
    missing=$("$python" - "${needs[@]}" <<'PY'
import importlib.util, sys
print(*(need.split(":")[1] for need in sys.argv[1:] if importlib.util.find_spec(need.split(":")[0]) is None))
PY
    ) || return
    echo "missing: ${missing:-nothing}"
    # shellcheck disable=SC2086  # a list of words
    [ -z "$missing" ] || pip_install $missing
}

has_pycuda() { "$python" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("pycuda") is None)'; }

cuda_headers() { # prints the folder that has cuda.h and cudaProfiler.h: the toolkit's, or the carried one
    top=$(nvcc --dryrun -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
    for folder in "$top/include" /usr/local/cuda/include; do
        [ -e "$folder/cuda.h" ] && [ -e "$folder/cudaProfiler.h" ] && { (cd "$folder" && pwd); return; }
    done
    mkdir -p "$work/headers"
    for wheel in "$carried"/nvidia_cuda_*.whl; do
        "$python" -m zipfile -e "$wheel" "$work/headers" || return
    done
    found=$(find "$PWD/$work/headers" -name cuda.h | head -n 1)
    [ -n "$found" ] && dirname "$found"
}

build_pycuda() {
    if has_pycuda; then
        echo "PyCUDA is there already"
        return
    fi
    if ! ls "$carried"/pycuda-*.whl "$work"/wheel/pycuda-*.whl >/dev/null 2>&1; then
        headers=$(cuda_headers) || { echo "cuda.h was found nowhere"; return 1; }
        echo "headers: $headers"
        mkdir -p "$work/home" "$work/stub" "$work/wheel"
        # A library that has the driver's name and nothing in it: linked, but not needed to build.
        echo 'int stub;' | "${CC:-gcc}" -shared -fPIC -x c - -Wl,-soname,libcuda.so.1 -o "$work/stub/libcuda.so" ||
            return
        cat tests/gpu/build_in_parallel.py - >"$work/home/.aksetup-defaults.py" <<PY
CUDA_INC_DIR = ["$headers"]
CUDADRV_LIB_DIR = ["$PWD/$work/stub"]
CUDA_ENABLE_CURAND = False
CXXFLAGS = ["-O1", "-g0", "-w"]
LDFLAGS = ["-Wl,--no-as-needed", "-L$PWD/$work/stub", "-lcuda"]
PY
        HOME=$PWD/$work/home "$python" -m pip wheel --quiet --disable-pip-version-check --no-index --no-deps \
            --no-build-isolation --find-links "$carried" --wheel-dir "$work/wheel" pycuda || return
    fi
    pip_install --find-links "$work/wheel" pycuda
}

run_tests() { # plugins that happen to be installed stay out; those the settings of pytest name are loaded
    PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 ${emulated:-} "$python" -m pytest -q -p pytest_timeout \
        -p tests.gpu.kept_context -o cache_dir="$work/pytest" "$@"
}

test_gpu() { run_tests tests/gpu; }

# The engine's own tests, on the device. `gpu` ran before; `emulated` is what only the emulator can do.
test_engine() {
    export ATTNVIZ_TEST_ENGINE=cuda
    run_tests tests/engine -m "not long and not bench and not gpu and not emulated"
}

measure() { ${emulated:-} "$python" -m tests.gpu.measure --out "$out" ${rehearsal:+"$rehearsal"}; }

status=0 summary=''
phase() { # NAME SECONDS COMMAND: runs it within SECONDS and what is left of all the time
    name=$1 most=$2 began=$SECONDS left=$((limit - SECONDS))
    [ "$most" -lt "$left" ] || most=$left
    if [ "$most" -le 5 ]; then
        result='not run, no time was left' code=1
    else
        "$3" >"$out/$name.log" 2>&1 &
        job=$!
        (sleep "$most" && kill -TERM -- "-$job") 2>/dev/null &
        watch=$!
        wait "$job"
        code=$?
        kill -- "-$watch" 2>/dev/null
        wait "$watch" 2>/dev/null
        case $code in
            0) result=passed ;;
            143) result="stopped after $most s" ;;
            *) result="failed with code $code" ;;
        esac
    fi
    echo "== $name: $result, $((SECONDS - began)) s (log: $out/$name.log)"
    shown=3
    [ "$code" = 0 ] || status=1 shown=25
    tail -n "$shown" "$out/$name.log" 2>/dev/null | cut -c 1-160
    summary+="  $name: $result, $((SECONDS - began)) s"$'\n'
}

check() {
    set -m # a process group for each phase, so that all of it can be stopped
    mkdir -p "$out" "$site"
    rm -f "$out"/*.log "$out"/measured.*
    export PYTHONPATH="$PWD/$site${PYTHONPATH:+:$PYTHONPATH}" PYTHONUTF8=1 CI=true
    phase packages 60 install_missing
    phase pycuda 200 build_pycuda
    phase tests-gpu 150 test_gpu
    phase measure 90 measure
    phase tests-engine 150 test_engine
    echo
    echo "All in $SECONDS s:"
    printf '%s' "$summary"
    echo
    cat "$out/measured.txt" 2>/dev/null || echo "Nothing was measured."
    return $status
}

case $task in
    collect) collect ;;
    check)
        export ATTNVIZ_REQUIRE_CUDA=1
        check
        ;;
    rehearse)
        export ATTNVIZ_GPU_REHEARSAL=1
        export CUDAEMU_TOTAL_MEM=67108864 # little, so that it is soon full
        emulated=.ci/emulated.sh rehearsal=--dry-run limit=1200
        check
        ;;
esac
