#!/usr/bin/env bash
# Measures. Ratios and differences decide, absolute times are only as good as the machine is quiet.
#   bench.sh micro [FLAG..]      what a change, a look-up, a list and memory cost
#   bench.sh cluster [FLAG..]    what it takes on a real control plane (as root)
#   bench.sh load [FLAG..]       fills a cluster that runs with Consumers and Credentials, or empties it
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$root"
what=${1:-}
[ $# = 0 ] || shift

case $what in
micro)
    toolchain
    need valgrind valgrind
    cargo build --profile e2e --locked -p latchkey-gateway -p latchkey-bench -p latchkey-workload
    # What is measured is built: nothing else is to be, in between.
    export LATCHKEY_BIN_DIR=$target/e2e
    exec "$target/e2e/latchkey-bench" micro --gateway "$target/e2e/latchkey-gateway" \
        --workload "$target/e2e/latchkey-workload" --out "$target/bench/micro.json" "$@"
    ;;
cluster)
    namespaces
    toolchain
    scripts/controlplane.sh >/dev/null
    e2e_binaries
    cargo build --profile e2e --locked -p latchkey-bench
    export LATCHKEY_BIN_DIR=$target/e2e
    exec "$target/e2e/latchkey-bench" cluster --out "$target/bench/cluster.json" "$@"
    ;;
load)
    toolchain
    cargo build --profile e2e --locked -p latchkey-bench
    exec "$target/e2e/latchkey-bench" load "$@"
    ;;
*)
    fail "usage: $0 micro|cluster|load [FLAG..]"
    ;;
esac
