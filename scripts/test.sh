#!/usr/bin/env bash
# Builds hemotile in each of its configurations and runs the tests. The last line summarises:
# "N passed, N failed, N skipped"; the exit status is 0 only where something ran and nothing failed.
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
  [ "${HEMOTILE_LONG:-0}" = 1 ] || options+=(-LE '^long$')
  folder=$(build_folder "$preset")
  log=$folder/test.log
  # Sanitizers: what they find ends the test. Waiting threads sleep: tests share the cores.
  UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 OMP_WAIT_POLICY=passive \
    ctest --test-dir "$folder" -j "$(nproc)" --output-on-failure --no-tests=error "${options[@]}" \
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

# build_and_test PRESET "options of cmake" [option of ctest ...]
build_and_test() {
  local preset=$1 cmake_options=$2 since=$SECONDS
  shift 2
  say "building $preset"
  # shellcheck disable=SC2086 # several options, none with a space
  if build_preset "$preset" $cmake_options; then
    say "$preset is built ($((SECONDS - since)) s)"
    run_tests "$preset" "$@"
  else
    record_failure "$preset: could not be built"
  fi
  say "$preset: done ($((SECONDS - since)) s)"
}

sources() {
  git ls-files -z -- '*.c' '*.h' '*.cpp' '*.hpp' '*.cu' '*.cuh' 2>/dev/null | grep -z . ||
    find . -path './build*' -prune -o -regex '.*\.\(c\|h\|cpp\|hpp\|cu\|cuh\)' -print0
}

check_format() {
  if ! command -v clang-format >/dev/null; then
    record_failure "format: there is no clang-format"
  elif ! sources | xargs -0 clang-format --dry-run -Werror >"$format_log" 2>&1; then
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

# Without a GPU nothing of the CUDA backend can run here: that it compiles is seen on one
# architecture as well as on seven, in a fraction of the time.
[ -n "$(cuda_architectures)" ] || export HEMOTILE_CUDA_ARCHITECTURES=90-real

# Each test is run where it can find something: all of them in the release build; with the sanitizers
# what reads, writes, draws and steers (HemotileTargets.cmake says which tests are `heavy`); without
# imaging what is compiled otherwise there (its CUDA code is that of the release build), of which only
# the targets that are run are built.
build_and_test release ""
build_and_test asan "" -L '^(unit|cli)$'
build_targets=(hemotile test_lattice test_blocks test_suggest test_bench)
build_and_test solver-only "-DHEMOTILE_CUDA=OFF" \
  -R '^(cli_bench|cli_validate|test_lattice|test_blocks|test_suggest|test_bench)$'
format_log=$(build_folder release)/format.log
check_format
say "took $SECONDS s"
summary
