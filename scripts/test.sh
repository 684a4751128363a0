#!/usr/bin/env bash
# Everything that must hold, cheapest first. The last part is the test runner, whose closing lines end the run.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$root"

# By their full ids: a program may bear a name like a crate's without being one.
members() {
    cargo metadata --no-deps --format-version 1 --locked --offline \
        | sed -n 's/.*"workspace_members":\["\([^]]*\)"\].*/\1/p' | sed 's/","/\n/g'
}

each_crate_alone() {
    # A crate that leans on a feature only its neighbours switch on does not build for who takes it alone.
    local crates crate
    mapfile -t crates < <(members)
    ((${#crates[@]} > 1)) || fail "cargo metadata names no crates of this workspace"
    for crate in "${crates[@]}"; do
        cargo check --quiet --locked --package "$crate" || fail "$crate does not build alone: complete its Cargo.toml"
    done
}

lint() {
    # Those two run by name alone, which leaves them out of all targets.
    cargo clippy --workspace --all-targets --locked -- -D warnings \
        && cargo clippy --workspace --test suite --test cluster --locked -- -D warnings
}

deny() { "$(cargo_tool cargo-deny 0.20.2)" --log-level error --offline check bans licenses sources; }

control_plane() { scripts/controlplane.sh >/dev/null; }

# Before anything that takes long.
namespaces
toolchain
part "fetch" cargo fetch --locked
part "format" cargo fmt --all --check
part "clippy" lint
part "each crate alone" each_crate_alone
part "documentation" env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet
part "supply chain" deny
# The whole workspace each time: another choice of packages is another choice of features, and builds all that
# lies below them once more.
part "unit, property and golden tests, layers" cargo test --workspace --locked
part "control plane" control_plane
part "binaries for end-to-end tests" e2e_binaries
export LATCHKEY_BIN_DIR=$target/e2e
part "end to end, without a cluster" cargo test --workspace --locked --test suite
show_times
say "==> end to end, on a real API server"
# Three at a time: each has an operator and gateways of its own, and waits more than it works.
exec cargo test --workspace --locked --test cluster -- --test-threads 3
