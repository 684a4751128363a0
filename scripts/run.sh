#!/usr/bin/env bash
# The main job without a cluster: the gateway on examples/quickstart, an echo upstream, and what to try.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$root"
port=${PORT:-8080} admin_port=${ADMIN_PORT:-9190}
folder=examples/quickstart
# Where backend.yaml says that the upstream is.
echo_address=127.0.0.1:9080

toolchain
need curl curl
say "building (some minutes the first time)"
cargo build --profile e2e --locked -p latchkey-gateway -p latchkey-echo >&2

# Jobs in groups of their own: Ctrl-C is for this script, which ends them one after the other.
set -m
echo_pid= gateway_pid=
stop() {
    trap - EXIT INT TERM
    local pid
    # The gateway first, so that what it still serves has an upstream.
    for pid in $gateway_pid $echo_pid; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" || true
    done
}
trap stop EXIT
trap 'exit 0' INT TERM

"$target/e2e/latchkey-echo" --listen "$echo_address" --name quickstart >/dev/null &
echo_pid=$!
"$target/e2e/latchkey-gateway" --standalone "$folder" --listen "8080=127.0.0.1:$port" \
    --admin "127.0.0.1:$admin_port" --log-format text --drain-delay 0s --drain-timeout 2s &
gateway_pid=$!

answers() { curl -fsS -o /dev/null "http://$1" 2>/dev/null; }
ready() { answers "127.0.0.1:$admin_port/readyz" && answers "$echo_address/"; }
alive() { kill -0 "$1" 2>/dev/null; }
for _ in $(seq 100); do
    alive "$echo_pid" || fail "the echo upstream ended; the line above says why (it needs $echo_address, as backend.yaml says)"
    alive "$gateway_pid" || fail "the gateway ended; the line above says why (PORT= and ADMIN_PORT= choose other ports)"
    ready && break
    sleep 0.1
done
ready || fail "not ready after 10 s: curl http://127.0.0.1:$admin_port/readyz says what is pending"

cat <<TEXT

Latchkey is running on $folder. Try, from another terminal:

# Alice's key, from a Secret: 200, and the upstream shows who she is
curl -i http://127.0.0.1:$port/api/hello -H 'X-API-Key: alice-example-key-1'

# Bob's key, known by its hash alone, in the query: 200, and the upstream never sees it
curl -i 'http://127.0.0.1:$port/api/hello?api_key=bob-example-key-2'

# no key: 401
curl -i http://127.0.0.1:$port/api/hello

# the open route: 200
curl -i http://127.0.0.1:$port/open/hello

# what the gateway holds, and its metrics
curl -s http://127.0.0.1:$admin_port/debug/index
curl -s http://127.0.0.1:$admin_port/metrics

See it change while it runs:
  edit   $folder/alice.yaml   disabled: true, or another key: the next request is refused
  delete $folder/bob.yaml     Bob's key is dead (git checkout $folder brings it back)
  delete $folder/policy.yaml  /api is as open as /open

Ctrl-C ends it.
TEXT
wait -n "$echo_pid" "$gateway_pid" || true
fail "a process ended by itself; the lines above say why"
