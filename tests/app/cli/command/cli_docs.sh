# The pages of docs/ agree with the program and the sources.
. "$(dirname "$0")/../check.sh"
root=$(cd "$here/../../.." && pwd)

# Every key of a case file, as the program prints it.
expect 0 help case
awk '/^```text/ { inside = 1; next } /^```/ { inside = 0 } inside' "$root/docs/case-file.md" >page
diff page stdout >difference || fail "docs/case-file.md is not what 'hemotile help case' prints:
$(cat difference)"

# The examples are valid case files; only their scan is missing.
awk -v RS='```' '$0 ~ /^yaml/ { n++; sub(/^yaml\n/, ""); printf "%s", $0 >("example-" n ".yaml") }' \
  "$root/docs/case-file.md"
there example-1.yaml example-2.yaml
for example in example-*.yaml; do
  STUDIES=nowhere expect 10 run "$example" -o out
done

# The exit codes: those of core/status.h, no more and no fewer.
grep -oE 'HT_[A-Z_]+ = [0-9]+' "$root/core/status.h" | grep -oE '[0-9]+$' | sort -n >codes
awk '/^## Exit codes/ { inside = 1; next } /^## / { inside = 0 }
  inside && match($0, /^\| *[0-9]+ *\|/) { gsub(/[^0-9]/, "", $2); print $2 }' \
  "$root/docs/troubleshooting.md" | sort -n >listed
[ -s codes ] || fail "no codes found in core/status.h"
diff listed codes >difference || fail "docs/troubleshooting.md does not list the codes of core/status.h:
$(cat difference)"

# Every file of the case folder has a line in docs/files.md.
grep -oE '^#define HT_(FILE|FOLDER)_[A-Z_]+ +"[^"]+"' "$root/core/disk/folder_names.h" | grep -oE '"[^"]+"' |
  tr -d '"' | sed 's/%d/1/' >names
[ "$(wc -l <names)" -gt 10 ] || fail "no file names found in core/disk/folder_names.h"
while read -r name; do
  grep -qF "$name" "$root/docs/files.md" || fail "docs/files.md does not tell of $name"
done <names

# The numbers that the pages of a cohort and of a comparison pick out are numbers of the summary.
grep -ohE '^ +\{?"[a-z0-9_.*]+"(: \[|, ")' "$root/batch/page/cohort.html" "$root/compare/compare_table.c" |
  grep -oE '[a-z0-9_]+"' | tr -d '"' | sort -u >picked
[ "$(wc -l <picked)" -gt 20 ] || fail "no numbers found in the pages"
while read -r key; do
  grep -rqF "\"$key\"" "$root/pipeline" || fail "no number of the summary is called $key"
done <picked

# Links between pages lead somewhere.
while IFS=: read -r page link; do
  target=${link%%#*}
  [ -d "$root/docs/pictures" ] || [[ $target != */pictures/* ]] || continue
  [ -e "$(dirname "$page")/$target" ] || fail "$page: there is no $target"
done < <(cd "$root" && find . -name '*.md' -not -path './build*' -not -path './.git/*' -exec \
  grep -oHE '\]\([^)]+\)' {} + | sed -E 's/\]\(([^)]+)\)$/\1/' | grep -vE ':(https?:|#)' |
  sed "s|^\./|$root/|")
done_testing
