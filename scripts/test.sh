#!/usr/bin/env bash
# Builds hemotile in each of its configurations and runs the tests. The last line summarises:
# "N passed, N failed, N skipped"; the exit status is 0 only if something ran and nothing failed.
#
#   bash scripts/test.sh
#
# HEMOTILE_LONG=1 also runs the tests labelled `long`; HEMOTILE_DATA is a folder of real scans for
# those labelled `data`. Tests labelled `gpu` or `data` are skipped where there is no GPU or scan.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=scripts/build.sh
source "$here/build.sh"
cd "$hemotile_root" || exit 1

passed=0
failed=0
skipped=0
failures=()

say() { printf 'test: %s\n' "$*"; }

record_failure() {
  failed=$((failed + 1))
  failures+=("$*")
}

# run_tests PRESET [option of ctest ...]
run_tests() {
  local preset=$1 folder log status counts p f s
  shift
  local options=("$@")
  folder=$(build_folder "$preset")
  log=$folder/test.log
  # A finding of a sanitizer ends the test. Waiting threads sleep, since tests share the cores. Two tests
  # more than there are cores, since a fifth of their time is a wait for another process or the disk.
  UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 OMP_WAIT_POLICY=passive \
    ctest --test-dir "$folder" -j $(($(nproc) + 2)) --output-on-failure --no-tests=error "${options[@]}" \
    </dev/null 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  mapfile -t counts < <(awk -v name="$preset" -f "$here/count_tests.awk" "$log")
  read -r p f s <<<"${counts[-1]}"
  unset 'counts[-1]'
  passed=$((passed + p))
  failed=$((failed + f))
  skipped=$((skipped + s))
  [ ${#counts[@]} -eq 0 ] || failures+=("${counts[@]}")
  [ "$status" -eq 0 ] || [ "$f" -gt 0 ] || record_failure "$preset: ctest ended with $status"
}

# start_build PRESET [option of cmake ...]: builds in the background, so that all cores work while the
# tests of the previous preset run.
start_build() {
  say "building $1"
  (trap - INT && build_preset "$@") &
  builder=$!
}

# finish_build PRESET: waits for the build. Returns 1 if it failed.
finish_build() {
  wait "$builder" || { record_failure "$1: could not be built" && return 1; }
  say "$1 is built (after $SECONDS s)"
}

sources() {
  git ls-files -z -- '*.c' '*.h' '*.cpp' '*.hpp' '*.cu' '*.cuh' 2>/dev/null | grep -z . ||
    find . -path './build*' -prune -o -regex '.*\.\(c\|h\|cpp\|hpp\|cu\|cuh\)' -print0
}

check_format() {
  if ! command -v clang-format >/dev/null; then
    record_failure "format: there is no clang-format"
  elif ! sources | xargs -0 -n 200 -P "$(nproc)" clang-format --dry-run -Werror >"$format_log" 2>&1; then
    grep -E 'error:' "$format_log" | head -n 20 >&2
    record_failure "format: run clang-format -i on the files above"
  fi
}

summary() {
  [ ${#failures[@]} -eq 0 ] || printf 'test: failed: %s\n' "${failures[@]}"
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

if ! bash "$here/install.sh" build test; then
  record_failure "install: packages are missing"
  summary
  exit
fi

# Without a GPU the CUDA backend cannot run here: it is compiled for one architecture in place of seven,
# unoptimised, and not as far as machine code, which takes a fraction of the time and shows all errors but those of
# the assembler (a kernel with too much shared memory). For a GPU build it again with scripts/build.sh.
[ -n "$(cuda_architectures)" ] || export HEMOTILE_CUDA_ARCHITECTURES=90-virtual HEMOTILE_CUDA_CHECK=ON

# Each test runs where it can find something: with the sanitizers those labelled `cli`, `unit` and `both`;
# in the release build all but `cli` and `unit`; without imaging those of code that is compiled differently there (its CUDA
# code is that of the release build). Of the first and the last only the targets that run are built, the last
# with assertions, little optimisation and only the kernels for any processor. A warning is an error in these
# builds alone (with the sanitizers in the tests alone, since GCC warns of its own additions).
build_targets=(release_tests)
start_build release -DHEMOTILE_WERROR=ON
finish_build release
release_is_built=$?
build_targets=()
start_build asan -DHEMOTILE_WERROR=ON
left_out='^(cli|unit)$'
[ "${HEMOTILE_LONG:-0}" = 1 ] || left_out='^(cli|unit|long)$'
[ $release_is_built -ne 0 ] || run_tests release -LE "$left_out"
finish_build asan
asan_is_built=$?
build_targets=(hemotile test_lattice test_blocks test_suggest test_bench)
start_build solver-only -DHEMOTILE_WERROR=ON -DHEMOTILE_CUDA=OFF -DHEMOTILE_WIDE_KERNELS=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1
format_log=$(build_folder release)/format.log
check_format
[ $asan_is_built -ne 0 ] || run_tests asan -L '^(unit|both|cli)$'
if finish_build solver-only; then
  run_tests solver-only \
    -R '^(cli_bench|cli_validate|test_lattice|test_blocks|test_suggest|test_bench)$'
fi
say "took $SECONDS s"
summary
