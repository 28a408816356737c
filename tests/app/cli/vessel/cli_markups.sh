# Openings as planes and points of 3D Slicer: written, moved, given back; the wrong kind refused.
. "$(dirname "$0")/../check.sh"
expect 0 phantom aneurysm -o sample --format nifti --spacing 0.5
sed -n '1,/^openings/p' sample/case.yaml | sed '$d' >bare.yaml
printf 'lattice: {nodes_across: 12}\n' >>bare.yaml
sed -i 's|scan: |scan: sample/|' bare.yaml
expect 0 import bare.yaml -o out
expect 0 segment out --flow 2
there out/openings.mrk.json
cp out/openings.mrk.json given.mrk.json

edit() {
  "$PYTHON" - "$@" <<'PY'
import json, sys
how, to = sys.argv[1:]
file = json.load(open("given.mrk.json"))
planes = file["markups"]
assert [p["type"] for p in planes] == ["Plane"] * 3
for p in planes:  # what 3D Slicer needs, and says itself
    x, y, z, at = [[p["baseToNode"][4 * r + c] for r in range(3)] for c in range(4)]
    cross = [x[1]*y[2]-x[2]*y[1], x[2]*y[0]-x[0]*y[2], x[0]*y[1]-x[1]*y[0]]
    assert max(abs(a - b) for a, b in zip(cross, z)) < 1e-12 and z == p["normal"]
    assert at == p["center"] == p["controlPoints"][0]["position"]
def move(p, mm):
    p["center"] = [c + mm * n for c, n in zip(p["center"], p["normal"])]
    p["controlPoints"][0]["position"] = p["center"]
outlet = [p for p in planes if p["name"] == "outlet-1"][0]
if how in ("moved", "ras", "old"):
    move(outlet, -3)
    outlet["normal"] = [-n for n in outlet["normal"]]  # drawn the other way round
if how == "ras":  # another program's axes
    for p in planes:
        p["coordinateSystem"] = "RAS"
        for v in (p["center"], p["normal"]):
            v[0], v[1] = -v[0], -v[1]
        for key in ("baseToNode", "objectToBase", "orientation"):
            del p[key]
if how == "old":  # a version that says the normal by matrices alone
    for p in planes:
        del p["normal"], p["center"]
if how == "points":
    move(outlet, -3)
    points = [{"label": p["name"], "position": p["center"], "positionStatus": "defined"} for p in planes]
    points.append({"label": "left out", "position": [0, 0, 0], "positionStatus": "undefined"})
    file["markups"] = [{"type": "Fiducial", "coordinateSystem": "LPS", "controlPoints": points}]
if how == "curve":
    planes[0]["type"] = "ClosedCurve"
if how == "axes":
    planes[0]["coordinateSystem"] = "IJK"
if how == "empty":
    file["markups"] = []
json.dump(file, open(to, "w"), indent=4)
PY
}

# Given back as they are, they are the same openings; none is cut.
mask=$(sha256sum <out/mask.nii.gz)
expect 0 segment out --openings given.mrk.json
[ "$(sha256sum <out/mask.nii.gz)" = "$mask" ] || fail "planes at the border changed the mask"
[ "$(number out/openings.json openings.0.at_border)" = True ] || fail "not at the border any more"
"$PYTHON" -c "
import json
assert len(json.load(open('out/openings.json'))['openings']) == 3" || fail "not three openings"

# One moved, its normal the wrong way: LPS, RAS, and as older versions say it, are one thing.
for how in moved ras old points; do
  edit $how $how.mrk.json
  expect 0 segment out --openings $how.mrk.json --force
  case $how in moved | ras) says stderr "turned round" ;; esac
  "$PYTHON" - $how <<'PY' || fail "$how: not the plane that was asked for"
import json, sys
asked = [p for p in json.load(open("given.mrk.json"))["markups"] if p["name"] == "outlet-1"][0]
openings = json.load(open("out/openings.json"))["openings"]
assert len(openings) == 3, len(openings)
found = [o for o in openings if o["name"] == "outlet-1"][0]
assert not found["at_border"] and found["role"] == "outlet"
along = sum((f - c) * n for f, c, n in zip(found["centre_mm"], asked["center"], asked["normal"]))
cosine = sum(a * b for a, b in zip(found["normal"], asked["normal"]))
limit = 0.9986 if sys.argv[1] == "points" else 0.9999  # 3 degrees: from the centreline
assert abs(along + 3) < 0.3, along
assert cosine > limit, cosine
PY
done

# In the case file, and going on from the folder alone: also of a plane the wrong way round, which
# the import does not turn yet.
cp moved.mrk.json sample/planes.mrk.json
sed 's|sample/||' bare.yaml >sample/planes.yaml
printf "openings: planes.mrk.json\nflow: {inlet_flow_ml_s: 1}\n" >>sample/planes.yaml
expect 0 import sample/planes.yaml -o staged
grep -q "either_way: yes" staged/case.yaml || fail "case.yaml does not say that the normal may turn"
expect 0 segment staged
says stderr "turned round"
if grep "name: outlet-1" staged/case.yaml | grep -q either_way; then fail "its normal is settled"; fi
expect 0 run sample/planes.yaml -o run --steps 5 --device cpu
places=$(number run/openings.json openings.0.centre_mm)
grep -q "centre_mm: \[" run/case.yaml || fail "case.yaml does not hold the planes"
rm sample/planes.mrk.json
expect 0 solve run --steps 5 --device cpu
[ "$(number run/openings.json openings.0.centre_mm)" = "$places" ] || fail "not the same place"

# The sac: a ball of 3.5 mm about (0.5, -8, 0.2). Its neck found, given by a plane, and a wrong one.
expect 0 export run --quiet
says stdout "  sac "
[ "$(number run/summary.json sac.neck_from)" = centrelines ] || fail "no sac found"
"$PYTHON" - <<'PY' || fail "the sac with the neck's plane a voxel off is not wider into it, and lower"
import json
sac = json.load(open("run/summary.json"))["sac"]
into, back = sac["neck_into_sac"], sac["neck_to_vessel"]
assert 0 < back["by_mm"] <= into["by_mm"], (into, back)
for moved, sign in ((into, 1), (back, -1)):
    assert abs(sac["height_mm"] - moved["height_mm"] - sign * moved["by_mm"]) < 1e-3, moved
    assert sign * (sac["volume_mm3"] - moved["volume_mm3"]) > 0, moved
PY
near "$(number run/summary.json sac.volume_mm3)" 177 9
near "$(number run/summary.json sac.neck_mm.1)" -5.0 0.3
near "$(number run/summary.json sac.neck_normal.1)" -1 0.01
near "$(number run/summary.json sac.size_ratio)" 1.7 0.1
there run/sac.stl run/wall.stl run/wall_shear_stress.nii.gz
"$PYTHON" - <<'PY' || fail "summary.csv, wall.csv or centreline.csv is wrong"
import csv, json
summary = json.load(open("run/summary.json"))
table = list(csv.DictReader(open("run/summary.csv")))
assert len(table) == 1 and not any(key.startswith("manifest") for key in table[0])
for key, value in summary["sac"].items():
    if isinstance(value, float):
        assert float(table[0]["sac." + key]) == value, key
name = summary["openings"][0]["name"]
assert float(table[0]["openings." + name + ".flow_ml_s"]) == summary["openings"][0]["flow_ml_s"]
assert float(table[0]["sac.neck_mm.z"]) == summary["sac"]["neck_mm"][2]
wall = list(csv.DictReader(open("run/wall.csv")))
area = sum(float(row["area_mm2"]) for row in wall if row["in_sac"] == "1")
assert abs(area / summary["sac"]["wall_area_mm2"] - 1) < 0.05, area
line = list(csv.DictReader(open("run/centreline.csv")))
assert all((row["wss_mean_pa"] == "") == (row["place"] != "vessel") for row in line)
assert max(float(row["curvature_per_mm"] or 0) for row in line) > 0.1  # the siphon's bend
PY
expect 0 measure run --region sac --json sac.json
near "$(number sac.json measurements.0.area_mm2)" "$(number run/summary.json sac.wall_area_mm2)" 1e-3
near "$(number sac.json measurements.0.quantities.wss_magnitude_pa.mean)" "$(number run/summary.json sac.wss_mean_pa)" 1e-5
if has nibabel vtkmodules.vtkIOXML; then
  "$PYTHON" "$here/check_files.py" run || fail "the files of the case differ"
fi
cat >neck.mrk.json <<'J'
{"markups": [{"type": "Plane", "coordinateSystem": "RAS", "coordinateUnits": "mm",
  "center": [-0.5, 6.5, 0.2], "normal": [0, -1, 0]}]}
J
sed -i 's|^sac:|sac:\n  neck_file: ../neck.mrk.json|' run/case.yaml
expect 0 export run --quiet
[ "$(number run/summary.json sac.neck_from)" = case ] || fail "the neck's plane is not that given"
near "$(number run/summary.json sac.height_mm)" 5 0.15
near "$(number run/summary.json sac.neck_normal.1)" -1 1e-6
near "$(number run/summary.json sac.neck_area_mm2)" 31.4 1.6
sed -i -e '/neck_/d' -e 's/^sac:/sac:\n  neck_mm: [0.5, -3.5, 0.2]\n  neck_normal: [0, 0, 1]/' run/case.yaml
expect 0 export run --quiet
says stderr "does not cut off a sac"
[ "$(number run/summary.json sac.found)" = False ] || fail "a section of the vessel is no neck"
absent run/sac.stl
cp moved.mrk.json neck.mrk.json # several planes
sed -i -e '/neck_/d' -e 's|^sac:|sac:\n  neck_file: ../neck.mrk.json|' run/case.yaml
expect 11 export run --quiet
says stderr "one plane"
sed -i '/neck_/d' run/case.yaml

# A point on a stump has no direction of its own: that of the vessel behind it is not taken.
"$PYTHON" "$here/make_nifti.py" stump stump.nii
printf 'mask: stump.nii\nlattice: {spacing_mm: 0.5}\nflow: {inlet_flow_ml_s: 1}\n' >stump.yaml
printf 'openings:\n  - {name: a, role: inlet, centre_mm: [-4, -6, 3]}\n' >>stump.yaml
printf '  - {name: b, role: outlet, centre_mm: [-4, -6, 13]}\n' >>stump.yaml
for x in -8.2 -6.3; do
  printf '  - {name: c, role: outlet, centre_mm: [%s, -6, 8]}\n' $x | cat stump.yaml - >point.yaml
  rm -rf stump
  expect 14 run point.yaml -o stump --steps 2 --device cpu
  says stderr "point.yaml:7:6: the "
  [ $x = -8.2 ] && says stderr "cannot be told: it is too short there"
  [ $x = -6.3 ] && says stderr "takes the vessel at another opening"
done

# The vessel between points in it: found, open at the points, and the same going on from the folder.
cat >points.csv <<'END'
label,r,a,s,description
carotid,3,-8.5,-10,
gone astray,0,-7,0.5,wall
mca,-3,-5,11,
END
expect 0 import sample/scan.nii.gz -o between
expect 0 segment between --points points.csv --flow 2 --nodes-across 8
says stderr "points: 3 of"
says stderr "RAS, turned to LPS"
says stderr "point 2 lay "
says stderr "between 3 points"
"$PYTHON" - <<'PY' || fail "the openings are not at the points"
import json
openings = {o["name"]: o for o in json.load(open("between/openings.json"))["openings"]}
assert sorted(openings) == ["carotid", "gone astray", "mca"], openings.keys()
for name, role, point, mm in (("carotid", "inlet", (-3, 8.5, -10), 1.5), ("mca", "outlet", (3, 5, 11), 1.5),
                              ("gone astray", "wall", (0, 7, 0.5), 6)):
    one = openings[name]
    off = sum((a - b) ** 2 for a, b in zip(one["centre_mm"], point)) ** 0.5
    assert one["role"] == role and off < mm and not one["at_border"], (name, one)
report = json.load(open("between/manifest.json"))
assert [p["is_end"] for p in report["segment"]["points"]] == [True] * 3
assert report["segment"]["points"][1]["away_mm"] > 1
assert report["options"]["vessel"]["points"][0] == [-3, 8.5, -10]
PY
grep -qF "points: [[-3, 8.5, -10], [0, 7, 0.5], [3, 5, 11]]" between/case.yaml || fail "no points in case.yaml"
cp between/openings.json openings.json
mask=$(sha256sum <between/mask.nii.gz)
rm points.csv
expect 0 solve between --steps 2 --device cpu
expect 0 segment between --force
cmp openings.json between/openings.json || fail "other openings, from the folder alone"
[ "$(sha256sum <between/mask.nii.gz)" = "$mask" ] || fail "another mask, from the folder alone"
# Of a ready mask the points are openings alone.
printf 'mask: sample/truth_mask.nii.gz\nvessel: {points: [[-3, 8.5, -10], [3, 5, 11]]}\n' >drawn.yaml
printf 'lattice: {nodes_across: 8}\nothers: wall\n' >>drawn.yaml
expect 0 import drawn.yaml -o drawn
expect 0 segment drawn --flow 1
[ "$(number drawn/openings.json openings.0.role)" = inlet ] || fail "the first point is no inlet"
near "$(number drawn/openings.json openings.0.centre_mm.2)" -10 1
near "$(number drawn/openings.json openings.1.centre_mm.2)" 11 1

# Wrong files: the message says what is wrong.
for how in curve axes empty; do
  edit $how bad.mrk.json
  expect 11 segment out --openings bad.mrk.json
  says stderr "bad.mrk.json"
  says stderr "planes or a point list of 3D Slicer"
done
says stderr "no plane and no point"
printf '# Markups fiducial file version = 4.13\n' >old.fcsv
expect 11 segment out --openings old.fcsv
says stderr "old form, .fcsv"
printf '{"openings": []}\n' >other.json
expect 11 segment out --openings other.json
says stderr "no markups file"
printf 'not json {' >broken.mrk.json
expect 11 segment out --openings broken.mrk.json
says stderr "broken.mrk.json:1:1: expected a JSON object"
printf '{"markups": [\n{"type": "Plane",, }\n' >broken.mrk.json
expect 11 segment out --openings broken.mrk.json
says stderr "broken.mrk.json:2:"
says stderr "not valid JSON"
expect 10 segment out --openings nowhere.mrk.json
printf 'openings: nowhere.mrk.json\nscan: sample/scan.nii.gz\n' >nowhere.yaml
expect 10 run nowhere.yaml -o nowhere
says stderr "nowhere.yaml:1:11"
no_halves
done_testing
