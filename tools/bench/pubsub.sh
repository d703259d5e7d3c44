#!/bin/sh
# pubsub.sh [--quick] [--strict]: messages of the fast lane against a bare UDP sender with
# the same timer, alone and while a client keeps the server busy. About half a minute.
set -eu
cd "$(dirname "$0")/../.."
"${OUT:-build}/bench/pubsub" "$@"
