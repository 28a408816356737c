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
flags=(-fsyntax-only -Wall -Wextra -Wpedantic -Werror -iquote .)

# Templates aside: those are made of the type that the file that includes them defines.
mapfile -t alone < <(comm -23 <(printf '%s\n' "${headers[@]}" | sort) <(
  grep -l 'HT_REAL' "${headers[@]}" | xargs grep -L 'define HT_REAL' | sort))
mapfile -t for_both < <(grep -l 'extern "C"' "${alone[@]}")

# In one call of the compiler, which reads each as a source of its own and goes on after one that fails.
failed=0
"$cc" -std=c11 "${flags[@]}" -x c "${alone[@]}" || {
  failed=1
  echo "a header does not compile alone as C11: see above"
}
printf '#include "%s"\n' "${for_both[@]}" | "$cxx" -std=c++17 "${flags[@]}" -x c++ - || {
  failed=1
  echo "the headers for C++ do not compile together as C++17"
}

echo "${#alone[@]} of ${#headers[@]} headers alone, ${#for_both[@]} of them in C++"
[ "$failed" -eq 0 ] && [ "${#for_both[@]}" -ge 100 ] &&
  [ "${#alone[@]}" -ge $((${#headers[@]} - 30)) ] && [ "${#headers[@]}" -ge 100 ]
