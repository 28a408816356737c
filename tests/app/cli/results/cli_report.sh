# report.html: made by `run`, rebuilt by `report`; complete, without a network, and safe against the
# texts that it shows. cli_report_browser.sh opens it.
. "$(dirname "$0")/../check.sh"
printf 'name: a <b>pipe</b> & "more" </script>\nphantom: pipe\nlattice: {nodes_across: 8}\n' >case.yaml
expect 0 run case.yaml -o out --steps 200 --device cpu
there out/report.html
"$PYTHON" - <<'PY' || fail "the page"
import base64, html.parser, json, re, zlib
page = open("out/report.html", encoding="utf-8").read()
assert len(page) < 15e6, len(page)
assert "{{" not in page.split("<script>")[0], "a mark of the template is left"
assert "Not for clinical decisions." in page

class Reader(html.parser.HTMLParser):
    """The elements with an id, the addresses that would be loaded, and the title."""
    def __init__(self):
        super().__init__()
        self.texts, self.addresses, self.at, self.title = {}, [], None, ""
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.at = attributes.get("id") if tag == "script" else tag
        if tag == "img": assert attributes["alt"]
        self.addresses += [attributes[key] for key in ("src", "href") if key in attributes]
    def handle_data(self, data):
        if self.at == "title": self.title += data
        if self.at: self.texts[self.at] = self.texts.get(self.at, "") + data
    def handle_endtag(self, tag):
        self.at = None

reader = Reader()
reader.feed(page)
assert reader.title == 'a <b>pipe</b> & "more" </script>: hemotile report', reader.title
assert all(a.startswith(("data:image/png;base64,", "data:image/webp;base64,", "#")) for a in reader.addresses)
assert sum(a.startswith("data:") for a in reader.addresses) >= 4
assert re.search(r"Content-Security-Policy\" content=\"default-src 'none'", page)
assert json.loads(reader.texts["data-summary"]) == json.load(open("out/summary.json"))
assert reader.texts["data-centreline"].split() == open("out/centreline.csv").read().split()

# The view: the wall's points lie in the vessel's box, its triangles name points, and the pressure
# at the wall is of the size of the openings'.
view = json.loads(reader.texts["data-view"])
def unpack(block):
    return zlib.decompress(base64.b64decode(reader.texts[block]))
points = view["points"]
assert len(unpack(points["block"])) == 6 * points["count"] and points["count"] > 500
import array
steps, last, numbers = array.array("i", unpack(view["triangles"]["block"])), 0, []
for step in steps:
    last += step
    numbers.append(last)
assert len(numbers) % 3 == 0 and min(numbers) == 0 and max(numbers) == points["count"] - 1
assert {q["id"] for q in view["quantities"]} == {"wss", "pressure", "dx_plus"}
for q in view["quantities"]:
    assert len(unpack(q["values"]["block"])) == 2 * points["count"]
wss = view["quantities"][0]
top = json.load(open("out/summary.json"))["wall"]["wss_max_pa"]
assert abs(wss["values"]["high"] - top) < 1e-6 * top
assert [o["role"] for o in view["openings"]] == ["inlet", "outlet"]
assert view["streamlines"]["points"]["count"] > 3 * 50 and "moments" not in view, view["streamlines"]["points"]
dim = view["scan"]["dim"]
assert len(unpack(view["scan"]["block"])) == dim[0] * dim[1] * dim[2]
PY

enough_with_sanitizers

# Anew from the folder: the same bytes, and nothing else is touched.
cp out/report.html before.html
rm out/report.html
find out -type f ! -name hemotile.log ! -name report.html -exec cksum {} + | sort >before
expect 0 report out
says stdout "open out/report.html in a browser"
cmp -s before.html out/report.html || fail "the rebuilt page differs"
find out -type f ! -name hemotile.log ! -name report.html -exec cksum {} + | sort >after
cmp -s before after || fail "report changed another file"

# With other colours the pictures too, and no number; they stay until the flow is exported again.
sums() { find out -type f ! -name hemotile.log ! -name report.html -exec cksum {} + | sort; }
expect 0 report out --speed-colours 9
expect 0 report out
says out/report.html '"bar_high": 9'
changed=$(comm -13 before <(sums) | sed 's/.*out.pictures.//' | sort | tr '\n' ' ')
[ "$changed" = "colours.json streamlines.png velocity.png " ] || fail "drawn anew: $changed"
says out/pictures/colours.json '"complete": true'

# A run without pictures, and the report that makes them: the files of a run with them.
expect 0 run case.yaml -o later --steps 200 --device cpu --no-pictures
says stderr "are left out (--no-pictures): \`hemotile report later\` makes them"
absent later/report.html later/pictures/{velocity,streamlines,wall}.png
says later/pictures/colours.json '"complete": false'
expect 0 report later
rm later/pictures/colours.json
expect 0 run case.yaml -o out --steps 200 --device cpu
"$PYTHON" "$here/same_results.py" out later || fail "pictures later are not those of the run"
for picture in out/pictures/*; do cmp -s "$picture" "later/pictures/${picture##*/}" || fail "$picture"; done

# Without the scan the page has no slices.
mv out/scan.nii.gz kept.nii.gz
expect 0 report out
says stderr "out/scan.nii.gz is not there: report.html has no slices of the scan"
grep -q '"scan": {' out/report.html && fail "there is a scan in the page"
mv kept.nii.gz out/scan.nii.gz

# A new flow takes the page with it, and there is nothing to report until it is exported.
expect 0 solve out --steps 5 --device cpu
absent out/report.html out/pictures/colours.json
expect 10 report out
says stderr "summary.json: there is no such file: run \`hemotile export out\` first"
# What the import and the segmentation warned of is in the page of a later export, too.
"$PYTHON" - <<'PY'
import json
record = json.load(open("out/manifest.json"))
assert "warning" not in record["input"]
record["input"]["warning"] = "2 voxels have no value"
record["quality"]["lowest_contrast_to_noise"] = 3
json.dump(record, open("out/manifest.json", "w"))
PY
expect 0 export out --quiet
says stderr "warning: 2 voxels have no value"
says stderr "warning: the contrast is only 3 times the noise"
for text in "2 voxels have no value" "the contrast is only 3 times"; do
  says out/summary.json "$text"
  says out/report.html "$text"
done
expect 10 report nowhere
says stderr "there is no such folder"
expect 2 report
no_halves
done_testing
