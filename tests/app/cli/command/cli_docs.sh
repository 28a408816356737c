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
  inside && /^- [0-9]+[ :]/ { gsub(/[^0-9]/, "", $2); print $2 }' \
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

# The numbers that a cohort's page and a comparison begin with are numbers of summary.json.
{ grep -oE '^ +"[a-z0-9_.]+": \["' "$root/app/batch/cohort/page/cohort.html"; grep -oE '^ +\{"[a-z0-9_.*]+"' "$root/app/compare/compare_table.c"; } |
  grep -oE '[a-z0-9_.*]+' >keys
[ "$(wc -l <keys)" -gt 25 ] || fail "no numbers found in app/batch/cohort/page/cohort.html and app/compare/compare_table.c"
while read -r key; do
  grep -rqF "\"${key##*.}\"" "$root/run" || fail "summary.json has no $key"
done <keys

# Links between pages lead somewhere.
# That is a file that is there, and a heading of it.
"$PYTHON" - "$root" >broken <<'PY' || fail "$(cat broken)"
import os, re, sys

root = sys.argv[1]
pictures = os.path.isdir(os.path.join(root, "docs", "pictures"))


def text_of(page):
    return re.sub(r"^```.*?^```", "", open(page).read(), flags=re.DOTALL | re.MULTILINE)


def headings(page):
    found = set()
    for heading in re.findall(r"^#{1,6} +(.*?)$", text_of(page), flags=re.MULTILINE):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        name = anchor = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        again = 0
        while anchor in found:
            again += 1
            anchor = f"{name}-{again}"
        found.add(anchor)
    return found


def broken(page, link):
    path, _, anchor = link.partition("#")
    if "/pictures/" in path and not pictures:
        return ""
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if not os.path.exists(target):
        return f"there is no {path}"
    if anchor and anchor not in headings(target):
        return f"{path or 'the page'} has no heading #{anchor}"
    return ""


pages = []
for folder, folders, files in os.walk(root):
    folders[:] = [f for f in folders if not f.startswith((".", "build"))]
    pages += [os.path.join(folder, f) for f in files if f.endswith(".md")]
links = [(p, l) for p in pages for l in re.findall(r"\]\(([^)\s]+)\)", text_of(p)) if not re.match("[a-z]+:", l)]
wrong = [f"{p}: {why}" for p, l in links for why in [broken(p, l)] if why]

# The pages that messages and comments of the sources name.
for folder, folders, files in os.walk(root):
    folders[:] = [f for f in folders if not f.startswith((".", "build")) and f != "third_party"]
    for source in (os.path.join(folder, f) for f in files if f.endswith((".c", ".h", ".cpp", ".cu", ".cuh", ".sh"))):
        for page in set(re.findall(r"\bdocs/[a-z/-]+\.md", open(source, errors="replace").read())):
            if not os.path.exists(os.path.join(root, page)):
                wrong.append(f"{source}: there is no {page}")
print("\n".join(wrong), f"\n{len(links)} links")
sys.exit(bool(wrong) or len(links) < 100)
PY
done_testing
