#!/usr/bin/env bash
# The control plane that end-to-end tests and `make cluster` start: etcd, kube-apiserver,
# kube-controller-manager, kubectl, and Gateway API's standard CRDs, from the modules that
# e2e/controlplane pins. Built once into the cache (some minutes); then this costs nothing.
# Prints where each is, as lines NAME=PATH. A variable of such a NAME replaces what would be built.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
modules=$root/e2e/controlplane

programs=(etcd kube-apiserver kube-controller-manager kubectl)
variable() { local name=${1^^}; printf 'LATCHKEY_%s' "${name//-/_}"; }

all_given() {
    local program name
    for program in "${programs[@]}"; do
        name=$(variable "$program")
        [ -n "${!name:-}" ] || return 1
    done
    [ -n "${LATCHKEY_GATEWAY_API_CRDS:-}" ]
}

show() {
    local program name
    for program in "${programs[@]}"; do
        name=$(variable "$program")
        printf '%s=%s\n' "$name" "${!name:-$1/bin/$program}"
    done
    printf 'LATCHKEY_GATEWAY_API_CRDS=%s\n' "${LATCHKEY_GATEWAY_API_CRDS:-$1/gateway-api}"
}

# version MODULE: what go.mod pins it to.
version() { awk -v module="$1" '$1 == module && $2 ~ /^v/ { print $2; exit }' "$modules/go.mod"; }

build() {
    local into=$1 kubernetes=$2 program
    local stamp=k8s.io/component-base/version number=${kubernetes#v}
    # Without these the programs call themselves v0.0.0, which clients refuse or work around.
    local flags="-s -w -X $stamp.gitVersion=$kubernetes -X $stamp.gitMajor=${number%%.*}"
    number=${number#*.}
    flags+=" -X $stamp.gitMinor=${number%%.*} -X $stamp.gitTreeState=clean -X $stamp.gitCommit=none"
    flags+=" -X $stamp.buildDate=1970-01-01T00:00:00Z"
    cd "$modules"
    # -trimpath for all: it is part of every package's key in Go's build cache, which they share.
    say "building etcd"
    go build -mod=readonly -trimpath -ldflags '-s -w' -o "$into/bin/etcd" go.etcd.io/etcd/server/v3 >&2
    for program in kube-apiserver kube-controller-manager kubectl; do
        say "building $program"
        go build -mod=readonly -trimpath -ldflags "$flags" -o "$into/bin/$program" "k8s.io/kubernetes/cmd/$program" >&2
    done
    local source
    cd "$modules/gateway-api"
    source=$(go mod download -json sigs.k8s.io/gateway-api | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
    mkdir "$into/gateway-api"
    cp "$source"/config/crd/standard/*.yaml "$into/gateway-api/"
    # The module cache is read-only, and so is what is copied from it.
    chmod -R u+w "$into"
}

if all_given; then
    show /nonexistent
    exit 0
fi

kubernetes=$(version k8s.io/kubernetes)
sum=$(cat "$modules"/go.* "$modules"/gateway-api/go.* "$root/scripts/controlplane.sh" | sha256sum | cut -c 1-12)
place=$cache/controlplane/$kubernetes-$sum
if [ ! -d "$place" ]; then
    need go golang
    need cc gcc
    (cd "$modules" && go version >/dev/null 2>&1) \
        || fail "Kubernetes $kubernetes needs $(sed -n 's/^go /Go /p' "$modules/go.mod") or later, and this is $(GOTOOLCHAIN=local go version 2>/dev/null || go version); install it from https://go.dev/dl"
    mkdir -p "$cache/controlplane"
    # Two runs at once: the second waits, and finds what the first built.
    exec 9>"$cache/controlplane/lock"
    flock 9
    if [ ! -d "$place" ]; then
        say "building Kubernetes $kubernetes and etcd once into $place (about seven minutes on two cores)"
        started=$SECONDS
        draft=$(mktemp -d "$cache/controlplane/draft.XXXXXX")
        trap 'rm -rf "$draft"' EXIT
        chmod 755 "$draft"
        build "$draft" "$kubernetes" || fail "could not build the control plane; the lines above say why"
        mv "$draft" "$place"
        say "built in $((SECONDS - started)) s"
    fi
fi
show "$place"
