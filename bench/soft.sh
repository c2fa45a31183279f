#!/usr/bin/env bash
# Soft bodies: what a tick costs. The goal for the clip (393 nodes, up to 40 contacts) is 250 us in the mean.
set -euo pipefail
cd "$(dirname "$0")/.."
build/release/bench/ticks scenes/clip.json scenes/clip-soft-pipe.json scenes/soft-table.json scenes/jelly.json
