# shellcheck shell=sh
# What setup.sh and cuda.sh share: how to speak, and how system packages come. Read by `.`, not run.

say() { printf '%s\n' "$@" >&2; }
fail() { say "$@"; exit 1; }

# Installs packages, or says what to type. Gives false where they could not be installed.
apt_install() {
    if ! command -v apt-get >/dev/null; then
        say "Missing, and there is no apt-get to install it (the names are Debian's): $*"
        return 1
    fi
    if [ "$(id -u)" != 0 ]; then
        say "Missing: $*" "Type:    sudo apt-get update && sudo apt-get install -y $*"
        return 1
    fi
    say "Installing: $*"
    apt_update
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null </dev/null
}

apt_updated=no
apt_update() {
    [ "$apt_updated" = no ] || return 0
    apt_updated=yes
    apt-get update -qq >&2 || say "apt-get update failed; going on with the lists that are here."
}
