#!/bin/sh
# Makes ready what `make` needs, from nothing, and says nothing when all is there already.
#
# Usage: .ci/setup.sh run|cuda|test|check|bench
#
# 1. a Python 3.11 or newer with venv   2. .venv   3. the packages of that purpose   4. system libraries
# 5. for cuda and test, and for run where there is a GPU: what CUDA needs, see cuda.sh
# As root on Debian or Ubuntu, what is missing is installed by apt; otherwise the command to type is printed.
# PYTHON=/path/to/python chooses the interpreter of a new .venv.
set -eu
cd "$(dirname "$0")/.."
. .ci/system.sh
PATH=$PATH:/usr/sbin:/sbin
purpose=$1

case $purpose in
    run | cuda) extras=ja ;;
    test) extras="test" ;;
    check) extras=dev ;;
    bench) extras=test,bench ;;
    *) echo "setup.sh: unknown purpose: $purpose" >&2; exit 2 ;;
esac

# --- system packages -------------------------------------------------------------------------------------------

# A library of the loader and the Debian package that brings it. What Qt needs to draw at all:
drawing='libGL.so.1 libgl1
libEGL.so.1 libegl1
libxkbcommon.so.0 libxkbcommon0
libfontconfig.so.1 libfontconfig1
libdbus-1.so.3 libdbus-1-3
libglib-2.0.so.0 libglib2.0-0'
# and to open a window:
windows='libxkbcommon-x11.so.0 libxkbcommon-x11-0
libxcb-cursor.so.0 libxcb-cursor0
libxcb-icccm.so.4 libxcb-icccm4
libxcb-image.so.0 libxcb-image0
libxcb-keysyms.so.1 libxcb-keysyms1
libxcb-randr.so.0 libxcb-randr0
libxcb-render-util.so.0 libxcb-render-util0
libxcb-shape.so.0 libxcb-shape0
libxcb-util.so.1 libxcb-util1
libxcb-xkb.so.1 libxcb-xkb1'

# and to run lupdate, which checks the translations:
translations='libgssapi_krb5.so.2 libgssapi-krb5-2'

missing_packages() {
    loader=$(ldconfig -p 2>/dev/null) || return 0  # not a system whose libraries can be asked for
    printf '%s\n' "$drawing" "$windows" "$translations" | while read -r library package; do
        case $loader in
            *"$library "*) ;;
            *) echo "$package" ;;
        esac
    done
    if [ "$purpose" = test ] && ! command -v xvfb-run >/dev/null; then
        echo xvfb xauth  # the X server of the journeys
    fi
}

# --- Python ----------------------------------------------------------------------------------------------------

recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

find_python() {
    for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11 python3.14 python; do
        if recent "$candidate"; then
            "$candidate" -c 'import sys; print(sys.executable)'
            return
        fi
    done
    return 1
}

apt_install_python() {
    [ "$(id -u)" != 0 ] || apt_update
    for version in 3.13 3.12 3.11 3.14; do
        if apt-cache show "python$version-venv" >/dev/null 2>&1; then
            apt_install "python$version" "python$version-venv"
            return
        fi
    done
    return 1
}

make_environment() {
    if ! python=$(find_python); then
        apt_install_python || true
        python=$(find_python) || fail "attnviz needs Python 3.11 or newer, and none was found." \
            "If there is one off the PATH: make PYTHON=/path/to/python ..."
    fi
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        apt_install "python$version-venv" || fail "Without that, $python cannot make a virtual environment."
    fi
    say "Making .venv with $python"
    rm -rf .venv
    "$python" -m venv .venv
}

# False for a .venv that was interrupted while it was made, or copied or moved here, or whose Python is gone.
whole() {
    [ -x .venv/bin/python ] && [ -x .venv/bin/pip ] || return 1
    case $(head -n 3 .venv/bin/pip) in
        *"$(pwd -P)/.venv/bin/"*) ;;
        *) return 1 ;;
    esac
}

install_packages() {
    say "Installing the packages of attnviz[$extras] into .venv"
    .venv/bin/python -m pip install --quiet --constraint constraints.txt --editable ".[$extras]" </dev/null
}

# --- all of it, each part only if it was not done before for the same sources -----------------------------------

state=$(grep ^__version__ attnviz/__init__.py | cat - pyproject.toml constraints.txt .ci/setup.sh .ci/system.sh | cksum)
packages=.venv/packages-for-$purpose
system=.venv/system-for-$purpose
is_done() { [ "$(cat "$1" 2>/dev/null)" = "$state" ]; }

whole || make_environment
if ! is_done "$packages"; then
    if ! recent .venv/bin/python || ! .venv/bin/python -c 'import pip' 2>/dev/null; then
        make_environment
    fi
    install_packages
    # Only a build for the CPU is compared with, and only some indexes of packages have one.
    [ "$purpose" != bench ] || .venv/bin/python -m pip install --quiet "torch==2.13.0+cpu" </dev/null 2>/dev/null ||
        say "There is no PyTorch for the CPU to compare with: its rows say so. Yours can be installed into .venv."
    printf '%s\n' "$state" >"$packages"
fi
if ! is_done "$system"; then
    missing=$(missing_packages)
    complete=yes
    # shellcheck disable=SC2086  # a list of words
    [ -z "$missing" ] || apt_install $missing || complete=no
    QT_QPA_PLATFORM=offscreen .venv/bin/python -c 'from PySide6 import QtGui, QtWidgets' ||
        fail "Qt cannot be loaded; the line above names the library that is missing."
    # What a person was asked to type is looked at again the next time.
    [ "$complete" = no ] || printf '%s\n' "$state" >"$system"
fi
case $purpose in
    run) .ci/cuda.sh run ;;
    cuda) .ci/cuda.sh ;;
    test)
        if ! .ci/cuda.sh test; then
            [ "${CI:-}" != true ] || fail "Under CI nothing may be left out."
            say "Therefore the tests of the CUDA engine on the emulated driver are left out."
        fi
        ;;
esac
