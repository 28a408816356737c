#!/usr/bin/env bash
# Every header of every folder compiles alone, without a warning, as C11. Those that are made for
# C++ too (`extern "C"`) also compile as C++17: all in one source, for what a header needs of others
# is seen in C. Which folder may include which is for test_dependencies.py.
#
#   test_headers.sh ROOT CC CXX
set -u
root=$1 cc=$2 cxx=$3
cd "$root" || exit 1

mapfile -t headers < <({ git ls-files -- '*.h' 2>/dev/null | grep . ||
  find . -path './build*' -prune -o -name '*.h' -printf '%P\n'; } | grep -v '^tests/')
mapfile -t folders < <(printf '%s\n' "${headers[@]%/*}" | sort -u)
# -iquote: the compiler does not look for the system's headers in all our folders.
flags=(-fsyntax-only -Wall -Wextra -Wpedantic -Werror -iquote . "${folders[@]/#/-iquote}")
checked=0
templates=0
failed=0

# A template: made of the type that the file that includes it defines.
is_template() { grep -q 'HT_REAL' "$1" && ! grep -q 'define HT_REAL' "$1"; }

# compiles NAME COMPILER LANGUAGE STANDARD: the source on the standard input.
compiles() {
  checked=$((checked + 1))
  "$2" "-std=$4" "${flags[@]}" -x "$3" - && return
  failed=$((failed + 1))
  echo "$1: does not compile as $4"
}

for_both=()
for header in "${headers[@]}"; do
  if is_template "$header"; then
    templates=$((templates + 1))
    continue
  fi
  compiles "$header alone" "$cc" c c11 <<<"#include \"$header\""
  if grep -q 'extern "C"' "$header"; then for_both+=("$header"); fi
done
compiles "the headers for C++" "$cxx" c++ c++17 < <(printf '#include "%s"\n' "${for_both[@]}")

echo "$checked checks of ${#headers[@]} headers, ${#for_both[@]} of them in C++, $failed failures"
[ "$failed" -eq 0 ] && [ "${#headers[@]}" -ge 100 ] && [ "${#for_both[@]}" -ge 100 ] &&
  [ $((checked + templates)) -eq $((${#headers[@]} + 1)) ]
