#!/usr/bin/env bash
# Fuzzes every reader of hemotile with libFuzzer: scans, surfaces, case files and their parts,
# the binary files of a case folder, JSON. Each has a folder in tests/fuzz/corpus.
#
#   bash scripts/fuzz.sh [SECONDS [READER ...]]
# SECONDS: for all readers together, default 3600. READER: a name in tests/fuzz/fuzz_reader.c; default
# all. Needs what `bash scripts/install.sh build fuzz` installs. Builds in
# build-fuzz.
#
# An input that crashes, hangs (10 s) or needs too much memory is kept in build-fuzz/found/READER;
# the script then ends with 1. Correct the reader, and add the input (small, without a patient) to
# tests/fuzz/corpus/READER: test_fuzz_corpus reads it from then on.
#
# Memory: an input has at most 64 KiB and states at most 1032 times that (zlib's limit); 4 times what
# it states are 273 MB, and the libraries hold up to 240 MB under AddressSanitizer. No single piece
# of memory is larger than 273 MB, except in DCMTK: it allocates the stated size of an element (4 GB at
# most; here more than 256 MB is refused, because the sanitizer is slow to give it) before it reads it, and
# does not touch the missing part. The sanitizer keeps freed memory for a while, at most 64 MB here (256
# without this setting: not the reader's).
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
root=$(dirname "$here")
build=${HEMOTILE_FUZZ_BUILD:-$root/build-fuzz}
seconds=${1:-3600}
shift 2>/dev/null
readers=("$@")

fail() {
  printf 'fuzz: error: %s\n' "$*" >&2
  exit 2
}

[[ $seconds =~ ^[0-9]+$ ]] || fail "usage: bash scripts/fuzz.sh [SECONDS [READER ...]]"
command -v clang >/dev/null || fail "clang is not installed: bash scripts/install.sh build fuzz"

cmake -S "$root" -B "$build" -DHEMOTILE_FUZZ=ON -DHEMOTILE_CUDA=OFF \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=g++ >"$build.log" 2>&1 ||
  fail "cannot configure: see $build.log"
cmake --build "$build" --target fuzz_main -j "${HEMOTILE_JOBS:-$(nproc)}" >>"$build.log" 2>&1 ||
  fail "cannot build: see $build.log"
rm -f "$build.log"

corpus=$root/tests/fuzz/corpus
if ((${#readers[@]} == 0)); then
  for folder in "$corpus"/*/; do readers+=("$(basename "$folder")"); done
fi
each=$((seconds / ${#readers[@]}))
((each > 0)) || each=1
failed=()

for reader in "${readers[@]}"; do
  [[ -d $corpus/$reader ]] || fail "there is no reader '$reader': those of $corpus are"
  grown=$build/corpus/$reader
  found=$build/found/$reader
  mkdir -p "$grown" "$found"
  log=$build/$reader.log
  refused=65536 # MB in one piece
  [[ $reader == dicom || $reader == segment || $reader == zip ]] && refused=256
  # detect_leaks is on, except for leaks of libraries that fuzz_reader.c names. OpenMP makes no threads here.
  if FUZZ_READER=$reader OMP_NUM_THREADS=1 \
    ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=64:allocator_may_return_null=1:max_allocation_size_mb=$refused UBSAN_OPTIONS=halt_on_error=1 \
    "$build/bin/fuzz_main" "$grown" "$corpus/$reader" -max_total_time="$each" -timeout=10 \
    -max_len=65536 -rss_limit_mb=513 -malloc_limit_mb=273 -artifact_prefix="$found/" \
    -print_final_stats=1 -close_fd_mask=1 >"$log" 2>&1; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    peak=$(sed -n 's/^stat::peak_rss_mb: *//p' "$log")
    printf 'fuzz: %-10s %6d s  %10s inputs, at most %s MB: nothing found\n' \
      "$reader" "$each" "${runs:-?}" "${peak:-?}"
  else
    failed+=("$reader")
    printf 'fuzz: %-10s FAILED: see %s and %s\n' "$reader" "$log" "$found"
  fi
done

((${#failed[@]} == 0)) || exit 1
