# report.html in a browser without a screen: no error on the console, nothing asked of a network,
# the view draws the vessel, and the controls change it. Needs chromium (not on the list of
# packages: it takes 350 MB); its own GPU emulation draws.
. "$(dirname "$0")/../check.sh"
browser=$(find_browser)
[ -n "$browser" ] || { echo "needs chromium"; exit 77; }

# look CASE: opens a copy of the page that looks at itself, and gives `seen.json` and `console`.
look() {
  mkdir -p "look-$1"
  {
    echo '<script>window.testErrors = []; addEventListener("error", (e) => testErrors.push(e.message));'
    echo 'addEventListener("unhandledrejection", (e) => testErrors.push(String(e.reason)));'
    echo 'addEventListener("securitypolicyviolation", (e) => testErrors.push("asked for " + e.blockedURI));</script>'
    cat "$1/report.html"
    echo '<script>'
    cat "$here/results/browser_report.js"
    echo '</script>'
  } >"look-$1/report.html"
  timeout 300 "$browser" --headless --no-sandbox --disable-gpu-sandbox --user-data-dir="$work/profile" \
    --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader --window-size=1280,900 \
    --virtual-time-budget=60000 --enable-logging=stderr --dump-dom "file://$work/look-$1/report.html" >dom 2>console
  "$PYTHON" - <<'PY' || fail "$1: the page left no result: $(grep -a CONSOLE console | head -5)"
import html, re
found = re.search(r'<pre id="seen">(.*?)</pre>', open("dom", encoding="utf-8").read(), re.S)
open("seen.json", "w").write(html.unescape(found.group(1)))
PY
  grep -a "CONSOLE" console | grep -aE "ERROR|Error|Uncaught|Refused" >complaints && fail "$1: the console has: $(cat complaints)"
}

cat >case.yaml <<'C'
name: a <b>pipe</b> & more
phantom: pipe
lattice: {nodes_across: 8}
flow:
  waveform: carotid
  period_s: 0.05
  samples: 4
  cycles: 1
  max_cycles: 0
openings:
  - {name: 'the "first", left', role: inlet, near_mm: [0, 0, -11.9], flow_ml_s: 1}
  - {name: outlet, role: outlet, near_mm: [0, 0, 11.9]}
C
expect 32 run case.yaml -o pulse --device cpu --beat-files animation # one beat: too few to be periodic
there pulse/report.html pulse/wall_moments.bin
look pulse
"$PYTHON" - <<'PY' || fail "the page of the beat"
import json
seen = json.load(open("seen.json"))
print(seen)
assert seen["view"] == "ready" and seen["errors"] == [], seen
assert len(seen["numbers"]) == 5 and all("not known" not in n for n in seen["numbers"])
part = seen["vessel"] / seen["pixels"]
assert 0.02 < part < 0.6, part  # a pipe of 4 mm, not nothing, not everything
assert seen["colours"] >= 6 and seen["again"] == 0
few = 0.05 * seen["vessel"]
assert seen["slider"] and seen["moved"] > few and seen["back"] == 0
assert seen["recoloured"] > few and "mmHg" in seen["bar"]
assert seen["turned"] > few and seen["turned_back"] == 0
assert seen["lines"] > few and seen["scan"] and min(seen["planes"]) > few and seen["slices"] > few
assert seen["without_scan"] == 0
assert len(seen["tags"]) == 2 and seen["covered"] == 0
assert seen["beat"] == 960 and seen["enlarged"] > 1.8
assert seen["main_inlets"] == ["a", "b"], seen["main_inlets"]
# Curves have the values of their columns, also behind a name with a comma.
import csv, re
rows = list(csv.DictReader(open("pulse/waveforms.csv")))
for plot, prefix in ((0, "flow_ml_s_"), (1, "pressure_mmhg_")):
    for name in ('the "first", left', "outlet"):
        column = [float(row[prefix + name]) for row in rows]
        low, high = re.search(re.escape(name) + r": from (\S+) to ([^\s;]*[0-9])", seen["curves"][plot]).groups()
        assert abs(float(low) - min(column)) < 6e-3 * max(map(abs, column)), (name, low, column)
        assert abs(float(high) - max(column)) < 6e-3 * max(map(abs, column)), (name, high, column)
assert seen["curves"][2].startswith("Inflow that was given. inflow: from ") and "samples of the waveform" in seen["curves"][2]
PY
grep -q '<b>pipe' pulse/report.html && fail "the name is not escaped"

# Rebuilt from the folder: the same page.
cp pulse/report.html before.html
expect 0 report pulse
cmp -s before.html pulse/report.html || fail "the rebuilt page differs"
# With an aneurysm's sac in the summary: its five numbers, its tables, its name in the view.
"$PYTHON" - <<'PY'
import json
summary = json.load(open("pulse/summary.json"))
summary["sac"] = {"found": True, "neck_from": "centrelines", "other_bulges": 0, "neck_mm": [0, 0, 0],
    "neck_normal": [0, -1, 0], "volume_mm3": 170.5, "height_mm": 6.5, "neck_width_mm": 4.2,
    "aspect_ratio": 1.55, "size_ratio": None, "length_mm": 6.6, "inflow_ml_s": 0.125, "inflow_share": 0.06,
    "turnover_time_s": 1.4, "wss_mean_pa": 0.13, "parent_wss_mean_pa": 2.1, "wss_mean_over_parent": 0.062,
    "wss_below_tenth_of_parent_area_percent": 88, "osi_mean": 0.04, "osi_max": 0.49, "vortex_core_length_mm": 9.4}
# And of a turbulent flow whose wall the lattice does not resolve.
summary["averages"] = {"beats": 3, "samples": 12, "duration_s": 0.15, "drift_percent": 2}
summary["turbulence"] = {"phases": 4, "tke_mean_mj": 0.144, "tke_max_mj": 0.602, "tke_max_time_s": 0.02, "tke_highest_j_m3": 680}
summary["wall"]["dx_plus_above_5_percent"] = 40
json.dump(summary, open("pulse/summary.json", "w"))
# And of pressures so small that the axis has powers of ten.
import csv
rows = list(csv.DictReader(open("pulse/centreline.csv")))
with open("pulse/centreline.csv", "w") as file:
    table = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
    table.writeheader()
    for row in rows:
        small = {k: str(float(v) * 1e-6) for k, v in row.items() if k.startswith("pressure") and v}
        table.writerow({**row, **small})
PY
expect 0 report pulse
look pulse
"$PYTHON" - <<'PY' || fail "the page of an aneurysm"
import json
seen = json.load(open("seen.json"))
print(seen)
assert seen["view"] == "ready" and seen["errors"] == [], seen
assert seen["numbers"] == ["0.13 Pa", "88 %", "0.125 mL/s", "1.55", "0.04"], seen["numbers"]
assert "sac" in seen["labels"][0] and "sac" in seen["tags"] and seen["covered"] == 0
assert sum("sac" in c for c in seen["captions"]) == 3
assert seen["cut"] == 0 and seen["small"] >= 2, seen
assert sum(c.startswith("Turbulence") for c in seen["captions"]) == 1
assert "highest at one moment, mJ0.602" in seen["tables"], seen["tables"]
assert "above 5 on 40 % of the wall, where the stresses are off" in seen["tables"], seen["tables"]
PY
[ "$(stat -c %s pulse/report.html)" -lt 15000000 ] || fail "the page is larger than 15 MB"
done_testing
