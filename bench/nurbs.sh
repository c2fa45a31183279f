#!/usr/bin/env bash
# Sculpted surfaces beside SISL. The goals are ratios: evaluation 3, warm nearest place 10.
set -euo pipefail
cd "$(dirname "$0")/.."
build/release/bench/nurbs
