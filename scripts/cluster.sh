#!/usr/bin/env bash
# A whole Latchkey on a real control plane on this machine, kept running in the background:
#   cluster.sh up      starts it and says what to try; again: starts what died of it
#   cluster.sh down    ends it; nothing of it stays
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$root"
place=$target/cluster holder=$target/e2e/latchkey-cluster

case ${1:-} in
up)
    namespaces
    toolchain
    scripts/controlplane.sh >/dev/null
    say "building (some minutes the first time)"
    e2e_binaries
    exec "$holder" up --dir "$place" --bin-dir "$target/e2e"
    ;;
down)
    # What never was built never ran.
    [ -x "$holder" ] || { say "Nothing runs."; exit 0; }
    exec "$holder" down --dir "$place"
    ;;
*)
    fail "usage: $0 up|down"
    ;;
esac
