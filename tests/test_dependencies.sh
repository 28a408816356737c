#!/usr/bin/env bash
# The rules of the house that a compiler does not see:
#   - an #include runs only down the pipeline: a stage includes core/ and itself (solver/ also
#     tiling/), app/ may include every stage; cases/ runs flows and reads the wall's load to
#     validate them, so it may include tiling/, solver/ and export/;
#   - C++ libraries are included in .cpp files only;
#   - a library neither prints nor ends the program;
#   - no source over 600 lines, and no two sources of the same name.
#
#   test_dependencies.sh ROOT
set -u
cd "$1" || exit 1

stages=(core tiling solver segment import export cases)
failed=0
complain() {
  printf '%s\n' "$*"
  failed=$((failed + 1))
}

declare -A allowed=([core]="core" [tiling]="core tiling" [solver]="core tiling solver"
  [segment]="core segment" [import]="core import" [export]="core export" [cases]="core tiling solver export cases"
  [app]="core tiling solver segment import export cases app")

mapfile -t files < <(find "${stages[@]}" app tests -type f \
  \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) | sort)
[ ${#files[@]} -ge 30 ] || complain "only ${#files[@]} sources found in $1"

declare -A home=() # name of a header -> its folder
for file in "${files[@]}"; do
  name=${file##*/}
  [ -z "${home[$name]:-}" ] || complain "$file: there is another $name in ${home[$name]}/"
  home[$name]=${file%%/*}
  lines=$(wc -l <"$file")
  [ "$lines" -le 600 ] || complain "$file: $lines lines; at most 600"
done

includes=0
while IFS=: read -r file line text; do
  stage=${file%%/*}
  name=$(sed -E 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]([^">]*)[">].*/\1/' <<<"$text")
  includes=$((includes + 1))
  case $name in
  itk[A-Z]* | vtk[A-Z]* | dcmtk/* | gdcm*)
    [[ $file == *.cpp ]] || complain "$file:$line: $name belongs into a .cpp file behind a C header"
    ;;
  ../* | core/* | tiling/* | solver/* | segment/* | import/* | export/* | cases/* | app/*)
    complain "$file:$line: include $name by its bare name" # a path would go round the rule
    ;;
  *)
    target=${home[$name]:-}
    [ "$stage" = tests ] || [ -z "$target" ] || [[ " ${allowed[$stage]} " == *" $target "* ]] ||
      complain "$file:$line: $stage/ may not include $name of $target/"
    ;;
  esac
done < <(grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' "${files[@]}")
[ "$includes" -ge 100 ] || complain "only $includes #include lines found"

speaks='(^|[^A-Za-z0-9_.>:])(printf|puts|putchar|vprintf|perror|exit|_exit|abort) *\('
speaks+='|(fprintf|fputs|fputc|fwrite|fflush) *\([^;]*std(err|out)|std::(cout|cerr) *(<<|\.(write|put|flush))'
mapfile -t libraries < <(printf '%s\n' "${files[@]}" | grep -vE '^(app|tests)/')
while IFS= read -r line; do
  complain "$line: a library neither prints nor ends the program"
done < <(grep -nHE "$speaks" "${libraries[@]}" | grep -vE '^[^:]*:[0-9]+: *(\*|/\*|//)')

echo "${#files[@]} sources, $includes includes, $failed failures"
[ "$failed" -eq 0 ]
