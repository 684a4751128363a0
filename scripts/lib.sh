# Shared by the scripts here: paths, the tools cache, and timing by part.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Outside the checkout, so that a fresh clone finds what an earlier one built.
cache=${LATCHKEY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/latchkey}
target=${CARGO_TARGET_DIR:-$root/target}

say() { printf '%s\n' "$*" >&2; }
fail() { say "error: $*"; exit 1; }

# part NAME COMMAND...: runs it under a heading, and says how long it took.
part() {
    local name=$1 start=$SECONDS
    shift
    say "==> $name"
    "$@" || fail "$name failed (command: $*)"
    say "    $name: $((SECONDS - start)) s"
}

# need PROGRAM PACKAGE: a program from Debian, installed when we may, else named.
need() {
    command -v "$1" >/dev/null 2>&1 && return 0
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 \
        || fail "'$1' is missing; install it (Debian: apt-get install $2) and run this again"
    say "installing $2"
    apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$2" >&2 \
        || fail "could not install $2; install it by hand and run this again"
}

# cargo_tool NAME VERSION: a tool from crates.io, built once into the cache; prints its path.
cargo_tool() {
    local name=$1 version=$2 dir=$cache/tools/$1-$2
    if [ ! -x "$dir/bin/$name" ]; then
        say "building $name $version once into $dir (some minutes)"
        cargo install "$name" --version "$version" --locked --root "$dir" >&2 \
            || fail "could not build $name $version; see above"
    fi
    printf '%s\n' "$dir/bin/$name"
}

toolchain() {
    command -v cargo >/dev/null 2>&1 || fail "'cargo' is missing; install Rust 1.95 or later from https://rustup.rs"
    need cc gcc
}
