#!/usr/bin/env bash
# Every header of every folder compiles alone, without a warning: as C11, and where it is made for
# C++ too (`extern "C"`) as C++17. Which folder may include which is for test_dependencies.py.
#
#   test_headers.sh ROOT CC CXX
set -u
root=$1 cc=$2 cxx=$3
cd "$root" || exit 1

mapfile -t headers < <({ git ls-files -- '*.h' 2>/dev/null | grep . ||
  find . -path './build*' -prune -o -name '*.h' -printf '%P\n'; } | grep -v '^tests/')
mapfile -t folders < <(printf '%s\n' "${headers[@]%/*}" | sort -u)
flags=(-fsyntax-only -Wall -Wextra -Wpedantic -Werror -I. "${folders[@]/#/-I}")
checked=0
failed=0

# A template: made of the type that the file that includes it defines.
is_template() { grep -q 'HT_REAL' "$1" && ! grep -q 'define HT_REAL' "$1"; }

# compiles HEADER COMPILER LANGUAGE STANDARD
compiles() {
  checked=$((checked + 1))
  printf '#include "%s"\n' "$1" | "$2" "-std=$4" "${flags[@]}" -x "$3" - && return
  failed=$((failed + 1))
  echo "$1: does not compile alone as $4"
}

for header in "${headers[@]}"; do
  is_template "$header" && continue
  compiles "$header" "$cc" c c11
  if grep -q 'extern "C"' "$header"; then compiles "$header" "$cxx" c++ c++17; fi
done

echo "$checked checks of ${#headers[@]} headers, $failed failures"
[ "$failed" -eq 0 ] && [ "${#headers[@]}" -ge 100 ] && [ "$checked" -ge "${#headers[@]}" ]
