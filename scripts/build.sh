#!/usr/bin/env bash
# Configures and builds one preset of CMakePresets.json; the program is then BUILD/bin/hemotile.
#
#   bash scripts/build.sh [release|asan|solver-only] [option of cmake ...]
#
# If sourced, it only defines the functions. HEMOTILE_CUDA_ARCHITECTURES sets the GPUs that the CUDA
# backend is compiled for (as CMAKE_CUDA_ARCHITECTURES). The default is the GPU of this machine, or
# without a GPU the list in cmake/HemotileCuda.cmake. HEMOTILE_CUDA_CHECK=ON compiles it fast and
# unoptimised: such a program uses no GPU and says so.
set -u

hemotile_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd) || exit 1

build_folder() {
  case $1 in
  release) printf '%s/build\n' "$hemotile_root" ;;
  asan) printf '%s/build-asan\n' "$hemotile_root" ;;
  solver-only) printf '%s/build-solver\n' "$hemotile_root" ;;
  *) return 1 ;;
  esac
}

# Prints the number of jobs: at most one per free GB, since a compiler of the ITK adapters takes up to that.
build_jobs() {
  local cores memory_gb
  cores=$(nproc)
  memory_gb=$(awk '$1 == "MemAvailable:" { print int($2 / 1048576) }' /proc/meminfo)
  [ "${memory_gb:-1}" -ge 1 ] || memory_gb=1
  [ "$cores" -le "${memory_gb:-$cores}" ] || cores=$memory_gb
  printf '%s\n' "$cores"
}

cuda_architectures() {
  if [ -n "${HEMOTILE_CUDA_ARCHITECTURES:-}" ]; then
    printf '%s\n' "$HEMOTILE_CUDA_ARCHITECTURES"
  elif command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
    printf 'native\n'
  fi
}

# Runs a command with its output in a log; shows the errors and the end of it if the command fails.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 </dev/null && return 0
  grep -nE '(error|Error|undefined reference)' "$log" | head -n 20 >&2
  printf -- '--- the end of %s:\n' "$log" >&2
  tail -n 25 "$log" >&2
  return 1
}

# Ninja, if it is installed, keeps all cores busy; make waits for the slowest file of each room. A folder
# keeps the generator that it was configured with.
if command -v ninja >/dev/null; then export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}; fi

configure_preset() {
  local preset=$1 architectures
  shift
  local options=("$@")
  # A folder that was configured without CUDA would stay so; the preset `asan` has none.
  [ "$preset" = asan ] || options=(-DHEMOTILE_CUDA=ON "$@")
  architectures=$(cuda_architectures)
  if [ -n "$architectures" ]; then
    options+=("-DCMAKE_CUDA_ARCHITECTURES=$architectures")
  else
    options+=(-UCMAKE_CUDA_ARCHITECTURES) # drops the value of an earlier configuration
  fi
  options+=("-DHEMOTILE_CUDA_CHECK=${HEMOTILE_CUDA_CHECK:-OFF}")
  [ -z "${HEMOTILE_DATA:-}" ] || options+=("-DHEMOTILE_DATA=$HEMOTILE_DATA")
  # If the folder was configured elsewhere or with other packages, configure again from nothing.
  (cd "$hemotile_root" && { cmake --preset "$preset" "${options[@]}" ||
    cmake --fresh --preset "$preset" "${options[@]}"; })
}

# build_preset PRESET [option of cmake ...]: builds only the targets in `build_targets` if it is not empty
build_targets=()
build_preset() {
  local preset=$1 folder targets=()
  [ ${#build_targets[@]} -eq 0 ] || targets=(--target "${build_targets[@]}")
  folder=$(build_folder "$preset") || {
    printf "build: unknown preset '%s'; there are: release, asan, solver-only\n" "$preset" >&2
    return 1
  }
  mkdir -p "$folder" || return 1
  quietly "$folder/configure.log" configure_preset "$@" || return 1
  quietly "$folder/build.log" cmake --build "$folder" -j "$(build_jobs)" "${targets[@]}"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  [ $# -gt 0 ] || set -- release
  build_preset "$@" || exit 1
  printf 'build: done: %s\n' "$(build_folder "$1")"
fi
