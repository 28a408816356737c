#!/usr/bin/env bash
# Each public header compiles alone, as C11 and as C++17, without a warning, seeing only the folders
# that its stage may see.
#
#   test_headers.sh ROOT CC CXX
set -u
root=$1 cc=$2 cxx=$3
cd "$root" || exit 1

flags=(-fsyntax-only -Wall -Wextra -Wpedantic -Werror)
checked=0
failed=0

check() {
  local header=$1
  shift
  local folders=("$@")
  checked=$((checked + 1))
  printf '#include "%s"\n' "$(basename "$header")" |
    "$cc" -std=c11 "${flags[@]}" "${folders[@]/#/-I}" -x c - ||
    { failed=$((failed + 1)) && echo "$header: does not compile alone as C11"; }
  printf '#include "%s"\n' "$(basename "$header")" |
    "$cxx" -std=c++17 "${flags[@]}" "${folders[@]/#/-I}" -x c++ - ||
    { failed=$((failed + 1)) && echo "$header: does not compile alone as C++17"; }
}

for header in core/*.h; do check "$header" core; done
for header in segment/segment.h segment/border.h segment/extend.h; do check "$header" segment core; done
for header in tiling/*.h; do check "$header" tiling core; done
kernels=(solver/kernels tiling core)
for header in solver/kernels/{model,d3q19,d2q9,ports,half,blood,relax_table,nodes}.h; do
  check "$header" "${kernels[@]}"
done
for header in solver/inflow/*.h; do check "$header" solver/inflow core; done
for header in solver/lattice/*.h; do check "$header" solver/lattice "${kernels[@]}"; done
for header in solver/plane/plane_{lattice,setup,backend,tables,nodes}.h; do
  check "$header" solver/plane solver/lattice "${kernels[@]}"
done
for header in solver/*.h; do check "$header" solver solver/inflow solver/lattice "${kernels[@]}"; done
check solver/cuda/blocks.h solver/cuda solver/lattice "${kernels[@]}"
check solver/copy_rate/copy_rate.h solver/copy_rate solver/lattice core
check solver/ladder/ladder.h solver/ladder solver/lattice "${kernels[@]}"
check import/import.h import core
check export/export.h export core
for header in phantom/phantom.h phantom/geometry.h; do check "$header" phantom core; done

echo "$checked headers, $failed failures"
[ "$failed" -eq 0 ] && [ "$checked" -ge 15 ]
