#!/usr/bin/env bash
# The options that scripts/build.sh gives to CMake for each preset.
#
#   test_build.sh ROOT
set -u
# shellcheck source=scripts/build.sh
source "$1/scripts/build.sh"
failed=0

cmake() { printf ' %s ' "$*"; }

expect() { # PRESET 'words that are there' 'a word that is not' [option ...]
  local preset=$1 there=$2 absent=$3 got
  shift 3
  got=$(configure_preset "$preset" "$@")
  if ! [[ $got == *"$there"* ]] || [[ $got == *"$absent"* ]]; then
    printf '%s: %s\n' "$preset" "$got"
    failed=$((failed + 1))
  fi
}

expect release '-DHEMOTILE_CUDA=ON' '-DHEMOTILE_CUDA=OFF'
expect release '-DHEMOTILE_CUDA=ON -DHEMOTILE_CUDA=OFF' '--fresh' -DHEMOTILE_CUDA=OFF # the last one counts
# The sanitizers' preset has no CUDA: nvcc would optimise it for ten minutes.
expect asan '--preset asan' '-DHEMOTILE_CUDA='
[ $failed -eq 0 ]
