# Shared by the scripts here: paths, the tools cache, and timing by part.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Outside the checkout, so that a fresh clone finds what an earlier one built.
cache=${LATCHKEY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/latchkey}
target=${CARGO_TARGET_DIR:-$root/target}

say() { printf '%s\n' "$*" >&2; }
fail() { say "error: $*"; exit 1; }

# part NAME COMMAND...: runs it under a heading, and remembers how long it took.
parts=()
part() {
    local name=$1 start=$SECONDS
    shift
    say "==> $name"
    "$@" || fail "$name failed (command: $*)"
    parts+=("$(printf '%6d s  %s' $((SECONDS - start)) "$name")")
}

# show_times: the parts so far, as a table.
show_times() {
    say "==> times"
    local line
    for line in "${parts[@]}"; do say "$line"; done
    say "$(printf '%6d s  so far' "$SECONDS")"
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

# namespaces: what a control plane of our own takes.
namespaces() {
    [ "$(id -u)" = 0 ] || fail "a control plane runs in a network namespace of its own, which only root may make: run this as root"
    need ip iproute2
    need unshare util-linux
}

# e2e_binaries: what end-to-end tests and `make cluster` run.
e2e_binaries() {
    cargo build --profile e2e --locked --bins \
        -p latchkey-gateway -p latchkey-operator -p latchkey-echo -p latchkey-e2e >&2
}

toolchain() {
    command -v cargo >/dev/null 2>&1 || fail "'cargo' is missing; install Rust 1.95 or later from https://rustup.rs"
    need cc gcc
}
