# compare: two cases, and a case with another program's wall, beside each other.
. "$(dirname "$0")/../check.sh"
printf 'name: a pipe\nphantom: pipe\nlattice: {nodes_across: 8}\n' >case.yaml
expect 0 run case.yaml -o a --steps 300 --device cpu

# wall.py FROM TO FACTOR SHIFT [foreign]: the wall with its stress times FACTOR, SHIFT mm along x, as
# text; foreign: with the names and the unit of another program, in cm.
cat >wall.py <<'PY'
import array, re, struct, sys, zlib
source, to, factor, shift = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
foreign = len(sys.argv) > 5
data = open(source, "rb").read()
head, body = data.split(b'<AppendedData encoding="raw">', 1)
body = body[body.index(b"_") + 1:]
kinds = {"Float32": "f", "Int32": "i", "Int64": "q"}

def values(offset, kind):
    blocks, size, last = struct.unpack_from("<3Q", body, offset)
    packed = struct.unpack_from("<%dQ" % blocks, body, offset + 24)
    at, out = offset + 24 + 8 * blocks, b""
    for one in packed:
        out += zlib.decompress(body[at:at + one])
        at += one
    return array.array(kinds[kind], out)

def edit(name, numbers):
    if name == "wss_magnitude_pa":
        return [v * factor * (10 if foreign else 1) for v in numbers]  # dyn/cm2
    if name is None:
        return [(v + (shift if i % 3 == 0 else 0)) / (10 if foreign else 1) for i, v in enumerate(numbers)]
    return numbers

def line(found):
    kind, name, parts, offset = re.match(
        rb'<DataArray type="(\w+)"(?: Name="(\w+)")? NumberOfComponents="(\d)" format="appended" offset="(\d+)"', found.group(0)).groups()
    name = name and name.decode()
    numbers = edit(name, values(int(offset), kind.decode()))
    if foreign and name not in (None, "wss_magnitude_pa", "connectivity", "offsets"):
        return b""
    shown = {"wss_magnitude_pa": "Wall stress"}.get(name, name) if foreign else name
    label = ' Name="%s"' % shown if shown else ""
    return ('<DataArray type="%s"%s NumberOfComponents="%s" format="ascii">%s</DataArray>' % (
        kind.decode(), label, parts.decode(), " ".join(map(repr, numbers)))).encode()

text = re.sub(rb"<DataArray[^>]*/>", line, head)
text = text.replace(b' compressor="vtkZLibDataCompressor"', b"")
open(to, "wb").write(text + b"</VTKFile>\n")
PY
# The neck of a sac: its place and direction have no per cent, as those of openings.
"$PYTHON" - <<'PY'
import json
summary = json.load(open("a/summary.json"))
summary["sac"] = {"neck_mm": [3.0, -4.0, 5.0], "neck_normal": [0.0, 0.6, 0.8], "volume_mm3": 100.0}
summary["openings"][0].update(highest_pressure_mmhg=120.0, lowest_pressure_mmhg=80.0)  # as of a pulse
json.dump(summary, open("a/summary.json", "w"))
PY
# A copy of the case whose stress on the wall is twice as large, and that says so nowhere else.
cp -r a twice
"$PYTHON" wall.py a/wall.vtp twice/wall.vtp 2 0
find a twice -type f -exec cksum {} + | sort >before

expect 0 compare a twice -o out
says stdout "the cases have the same settings"
says stdout "Wall shear stress: median of the difference, Pa"
says stdout "inlet: highest pressure of the beat, mmHg"
says stdout "open in a browser: out/comparison.html"
says stderr "a is not steady: do not use its numbers"
there out/comparison.csv out/comparison.html out/wall_difference_twice.vtp out/difference_wss_twice.png
find a twice -type f -exec cksum {} + | sort >after
cmp -s before after || fail "a case was changed"
"$PYTHON" - <<'PY' || fail "the table of twice the stress"
import csv, json
rows = {row["number"]: row for row in csv.DictReader(open("out/comparison.csv"))}
summary = json.load(open("a/summary.json"))
def number(name, column="twice"): return float(rows[name][column])
mean = number("wall_map.wss.reference_mean_pa")
assert mean > 0 and abs(number("wall_map.wss.mean_pa") / mean - 2) < 1e-6
assert abs(number("wall_map.wss.correlation") - 1) < 1e-9
assert abs(number("wall_map.common_area_percent") - 100) < 1e-4
assert number("wall_map.distance_p95_mm") < 1e-5
assert number("wall_map.pressure.difference_p95_pa") < 1e-3 and rows["wall_map.wss.mean_pa"]["a"] == ""
row = rows["wall.wss_mean_pa"]
assert abs(float(row["a"]) - summary["wall"]["wss_mean_pa"]) < 1e-8 and row["twice_difference"] == "0"
assert abs(mean - summary["wall"]["wss_mean_pa"]) < 1e-4 * mean
flat = sum(isinstance(v, float) for v in summary["flow"].values())
assert sum(name.startswith("flow.") for name in rows) >= flat
places = [row for name, row in rows.items() if name[-2:] in (".x", ".y", ".z")]
assert "sac.neck_mm.x" in rows and "sac.neck_normal.y" in rows and "openings.inlet.centre_mm.z" in rows
assert rows["sac.volume_mm3"]["twice_difference_percent"] == "0"
assert len(places) >= 12 and all(row["twice_difference_percent"] == "" for row in places)
PY
"$PYTHON" - <<'PY' || fail "the page"
import html.parser
page = open("out/comparison.html", encoding="utf-8").read()
class Reader(html.parser.HTMLParser):
    """Every element closed; nothing is loaded."""
    def __init__(self):
        super().__init__()
        self.open, self.pictures, self.tables = [], 0, 0
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        assert tag != "script"
        if tag in ("meta", "img"):
            if tag == "img":
                self.pictures += 1
                assert attributes["alt"] and attributes["src"].startswith("data:image/png;base64,")
            return
        self.tables += tag == "table"
        self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
reader = Reader()
reader.feed(page)
assert reader.open == [] and reader.pictures == 2 and reader.tables >= 4, (reader.pictures, reader.tables)
assert "Not for clinical decisions." in page and "default-src 'none'" in page
assert page.index("<h2>Warnings") < page.index("<h2>Main numbers") < page.index("<h2>All numbers")
PY

# The difference as VTK reads it: the stress is twice as large, at the points of the reference.
if has vtkmodules.vtkIOXML; then
  "$PYTHON" - <<'PY' || fail "wall_difference_twice.vtp"
import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

def read(path):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    arrays = data.GetPointData()
    return vtk_to_numpy(data.GetPoints().GetData()), {
        arrays.GetArrayName(n): vtk_to_numpy(arrays.GetArray(n)) for n in range(arrays.GetNumberOfArrays())}

places, wall = read("a/wall.vtp")
at, found = read("out/wall_difference_twice.vtp")
assert numpy.array_equal(at, places)
wss = wall["wss_magnitude_pa"]
assert numpy.array_equal(found["wss_reference_pa"], wss), sorted(found)
assert numpy.allclose(found["wss_other_pa"], 2 * wss, rtol=1e-5)
assert numpy.allclose(found["wss_difference_pa"], wss, rtol=1e-4, atol=1e-6)
assert numpy.array_equal(found["pressure_reference_pa"], wall["pressure_pa"])
assert abs(found["distance_mm"]).max() < 1e-4
PY
fi

# The wall of another program: its array has to be named, with its unit.
"$PYTHON" wall.py a/wall.vtp other.vtp 3 0.02 foreign
expect 11 compare a other.vtp -o foreign
says stderr "give it with --surface-unit"
expect 11 compare a other.vtp -o foreign --surface-unit cm
says stderr "Its points have: Wall stress"
expect 0 compare a other.vtp -o foreign --array "wss=Wall stress:dyn/cm2" --surface-unit cm -q
says stderr "other is of another program"
says foreign/comparison.html "the settings of the other program are not known"
"$PYTHON" - <<'PY' || fail "the table of another program's wall"
import csv
rows = {row["number"]: float(row["other"]) for row in csv.DictReader(open("foreign/comparison.csv"))}
assert abs(rows["wall_map.wss.mean_pa"] / rows["wall_map.wss.reference_mean_pa"] - 3) < 0.03
assert rows["wall_map.distance_p95_mm"] < 0.021 and rows["wall_map.distance_median_mm"] > 0.005
assert "wall_map.pressure.mean_pa" not in rows
PY
head -c 20000 other.vtp >half.vtp
expect 11 compare a half.vtp -o half --array "wss=Wall stress:dyn/cm2"
says stderr "truncated"
expect 2 compare other.vtp a -o foreign
says stderr "the reference and must be a case folder"
expect 2 compare a other.vtp -o foreign --numbers
expect 2 compare a other.vtp -o foreign --array "wss=Wall stress:bar"
says stderr "dyn/cm2"
expect 11 compare a other.vtp -o foreign --array "tawss=Wall stress:Pa" --surface-unit cm
says stderr "no number of the wall in common"

# What was chosen counts, not the word in the case file; of waveforms the numbers in their files.
sed 's/"collision": "auto"/"collision": "lbgk"/' a/summary.json >twice/summary.json
cmp -s a/summary.json twice/summary.json && fail "no collision to edit"
echo 0,1 >a/waveform.csv
echo 0,2 >twice/waveform.csv
expect 0 compare a twice -o out
grep -q collision stderr stdout && fail "the collision does not differ"
says stderr "their files have other numbers"
rm a/waveform.csv twice/waveform.csv

# A pressure at an outlet that one case prescribes, and the other leaves at 0.
"$PYTHON" - <<'PY'
import json
summary = json.load(open("a/summary.json"))
summary["manifest"]["options"]["openings"] = [{"name": "outlet_1", "role": "outlet", "pressure_pa": 900, "flow_fraction": "auto"}]
json.dump(summary, open("twice/summary.json", "w"))
PY
expect 0 compare a twice -o out
says stderr "the pressures at the outlets differ: openings.outlet_1.pressure_pa is not given (a), 900 (twice)"
says stdout "openings.outlet_1.pressure_pa"
grep -q flow_fraction stdout stderr && fail "an automatic share is the default"

# A commit, a version or a series of digits alone is no number.
texts() { sed "s/\"commit\": \"[^\"]*\"/\"commit\": \"$1\"/; s/\"hemotile\": \"[^\"]*\"/\"hemotile\": \"$2\"/
  s/\"options\": {/&\"series\": \"$3\",/" a/summary.json; }
texts 22023197 1.1 1.20 >a/other.json
texts 22023198 1.10 1.2 >twice/summary.json
cp a/summary.json a/kept.json && mv a/other.json a/summary.json
expect 0 compare a twice -o out
says stderr "commit is 22023197 (a), 22023198 (twice)"
says stderr "hemotile is 1.1 (a), 1.10 (twice)"
grep -Eq 'series +1.20 +1.2$' stdout || fail "two series are one"
mv a/kept.json a/summary.json

# Other settings are said, and the earlier comparison's files go.
sed -e 's/"waveform": "constant"/"waveform": "carotid"/' -e 's/"flow_ml_s": [0-9.]*/"flow_ml_s": 7/' a/summary.json >twice/summary.json
expect 0 compare twice a -o out
says stderr "the waveforms of the inflow differ: flow.waveform is carotid (twice), constant (a)"
says stderr "the flows through the inlets differ: 7 (twice)"
says stdout "flow.waveform"
"$PYTHON" - <<'PY'
import json
summary = json.load(open("a/summary.json"))
summary["openings"][0]["centre_mm"][2] += 4.5
summary["openings"][1]["centre_mm"][2] += 3.5  # less than the pipe's diameter
json.dump(summary, open("twice/summary.json", "w"))
PY
expect 0 compare twice a -o out
says stderr "lies 4.5 mm apart in twice and a: check that it is the same place"
[ "$(grep -c ' apart in ' stderr)" = 1 ] || fail "an opening that hardly moved is warned of"
there out/wall_difference_a.vtp
absent out/wall_difference_twice.vtp out/difference_wss_twice.png

# Refused.
expect 2 compare a -o out2
expect 2 compare a a/ -o out2
says stderr "are the same"
expect 2 compare a twice
expect 2 compare a twice -o a
says stderr "this is a case folder"
mkdir full && touch full/file
expect 2 compare a twice -o full
expect 10 compare a nowhere -o out2
expect 10 compare a full -o out2
says stderr "neither a case folder of hemotile nor a wall"
"$PYTHON" wall.py a/wall.vtp twice/wall.vtp 1 40
expect 13 compare a twice -o out2
says stderr "only 0 % of the wall of the first lies within"
says stderr "40.0 mm to the left"
rm twice/wall.vtp
expect 10 compare a twice -o out2
says stderr "there is no wall.vtp"
absent out2
expect 0 compare a twice -o out2 --numbers
there out2/comparison.csv out2/comparison.html
rm twice/summary.json
expect 10 compare a twice -o out3 --numbers
says stderr "this case is not finished"
absent out3
no_halves
# Results that are older than the settings are no result of these.
cp -r a newer
sed -i 's/^  steps: 300/  steps: 400/' newer/case.yaml
expect 0 compare a newer --numbers -o older
says stderr "newer: its results are older: the settings were changed since"
grep -q "warning: a: its results are older" "$work/stderr" && fail "the results of a are marked, too"
done_testing
