#!/usr/bin/env bash
# Micro benches; ratios decide, absolute times are only as good as the machine is quiet.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$root"
toolchain
cargo build --profile e2e --locked -p latchkey-gateway -p latchkey-bench
exec "$target/e2e/latchkey-bench" --gateway "$target/e2e/latchkey-gateway" --out "$target/bench/micro.json"
