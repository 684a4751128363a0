module latchkey.dev/e2e/controlplane/gateway-api

go 1.26.0

require sigs.k8s.io/gateway-api v1.6.1
