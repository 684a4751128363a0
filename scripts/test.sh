#!/usr/bin/env bash
# Everything that must hold, cheapest first. The last part is the test runner, whose closing lines end the run.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$root"

members() { cargo metadata --no-deps --format-version 1 --offline 2>/dev/null | tr ',' '\n' | sed -n 's/.*"name":"\(latchkey-[a-z0-9-]*\)".*/\1/p' | sort -u; }

each_crate_alone() {
    # A crate that leans on a feature only its neighbours switch on does not build for who takes it alone.
    local crate
    for crate in $(members); do
        cargo check --quiet --package "$crate" || fail "$crate does not build alone: complete its Cargo.toml"
    done
}

deny() { "$(cargo_tool cargo-deny 0.20.2)" --log-level error --offline check bans licenses sources; }

toolchain
part "fetch" cargo fetch --locked
part "format" cargo fmt --all --check
part "clippy" cargo clippy --workspace --all-targets --locked -- -D warnings
part "each crate alone" each_crate_alone
part "documentation" env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet
part "supply chain" deny
part "binaries for end-to-end tests" cargo build --profile e2e --locked -p latchkey-gateway -p latchkey-echo
part "unit, property and golden tests" cargo test --workspace --exclude latchkey-e2e --locked
part "layers and harness" cargo test -p latchkey-e2e --locked --lib --test architecture
say "==> end-to-end tests (so far: $SECONDS s)"
LATCHKEY_BIN_DIR=$target/e2e exec cargo test -p latchkey-e2e --locked --test suite
