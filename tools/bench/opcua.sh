#!/bin/sh
# opcua.sh [--quick] [--strict]: a rig over OPC UA against a bare open62541 server: reads,
# the closed loop, a subscription, with the limits they are held to. About a minute.
set -eu
cd "$(dirname "$0")/../.."
"${OUT:-build}/bench/opcua" "$@"
