#!/usr/bin/env bash
# Runs clang-tidy over the C sources with the checks of .clang-tidy. The tree passes all of them.
#
#   bash scripts/tidy.sh [FILE.c ...]       default: all but the tests' and the CUDA stand-ins
# Needs clang-tidy and a configured release build (build/compile_commands.json). It is not part of
# scripts/test.sh, because it finds little that the compilers' warnings do not. Half a minute on two cores.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=scripts/build.sh
source "$here/build.sh"
cd "$hemotile_root" || exit 1

command -v clang-tidy >/dev/null || { echo "tidy: there is no clang-tidy: apt-get install clang-tidy" >&2; exit 1; }
[ -e build/compile_commands.json ] || { echo "tidy: run bash scripts/build.sh first" >&2; exit 1; }
# Leaves out the files in place of CUDA, which this build does not compile, and the kernels, which have
# GCC pragmas that clang does not know.
[ $# -gt 0 ] || mapfile -t files < <(git ls-files '*.c' ':!tests' ':!*_none.c' ':!*_kernel.c')
[ $# -eq 0 ] || files=("$@")
printf '%s\0' "${files[@]}" |
  xargs -0 -n 8 -P "$(build_jobs)" clang-tidy --quiet -p build 2>/dev/null && echo "tidy: ${#files[@]} files, no finding"
