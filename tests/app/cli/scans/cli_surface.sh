# Surfaces of triangles as the vessel: the wall is theirs, in one run and stage by stage.
. "$(dirname "$0")/../check.sh"
"$PYTHON" "$here/make_stl.py" sac sac.stl 24 1 1.5 2
few=(--flow 0.1 --spacing 0.25 --surface-spacing 0.1 --steps 3 --device cpu)
expect 0 run sac.stl -o whole "${few[@]}" --quiet
there whole/surface.stl
expect 0 import sac.stl -o parts --surface-spacing 0.1 --quiet
expect 0 segment parts --flow 0.1 --spacing 0.25 --quiet
expect 0 solve parts --steps 3 --device cpu --quiet
cmp whole/mask.nii.gz parts/mask.nii.gz || fail "another mask stage by stage"
cmp whole/surface.stl parts/surface.stl || fail "another surface stage by stage"
[ "$(number whole/summary.json flow.steps)" = 3 ] || fail "not 3 steps"
flow_values() { tail -c 90000 "$1/flow.bin" | head -c 80000 | cksum; } # not the time in it, and the hash
[ "$(flow_values whole)" = "$(flow_values parts)" ] || fail "another flow stage by stage"
# Binary STL in LPS mm, as a reader of the field takes it.
"$PYTHON" - <<'PY' || fail "surface.stl is not the surface"
import struct
raw = open("whole/surface.stl", "rb").read()
count = struct.unpack("<I", raw[80:84])[0]
assert b"SPACE=LPS" in raw[:80] and len(raw) == 84 + 50 * count, (raw[:80], count)
z = [struct.unpack("<12f", raw[84 + 50 * t:132 + 50 * t])[5] for t in range(count)]
text = [float(line.split()[3]) for line in open("sac.stl") if "vertex" in line]
assert abs(max(z) - max(text)) < 1e-4 and min(z) == 0, (min(z), max(z), max(text))
PY
# The wall never comes from the voxels without a word.
mv parts/surface.stl kept.stl
expect 10 solve parts --steps 3 --device cpu --quiet
says stderr "surface.stl is missing"
head -c 2000 kept.stl >parts/surface.stl
expect 3 solve parts --steps 3 --device cpu --quiet
says stderr "was changed since the import"
mv kept.stl parts/surface.stl
expect 0 solve parts --steps 3 --device cpu --quiet
# As the scan of a case file, too.
printf 'scan: whole/surface.stl\nlattice: {spacing_mm: 0.25}\n' >as_scan.yaml
expect 0 import as_scan.yaml -o as_scan --quiet
there as_scan/mask_drawn.nii.gz

# The wall alone, and its ends as files of their own.
"$PYTHON" - <<'PY'
facets, one = [], []
for line in open("sac.stl"):
    if "vertex" in line:
        one.append(line)
    if "endfacet" in line:
        facets.append(one)
        one = []
z = lambda facet: [float(line.split()[3]) for line in facet]
top = max(max(z(facet)) for facet in facets)
parts = {"wall": [], "inlet": [], "outlet_left": []}
for facet in facets:
    name = "inlet" if max(z(facet)) == 0 else "outlet_left" if min(z(facet)) == top else "wall"
    parts[name].append(facet)
for name, some in parts.items():
    with open(name + ".stl", "w") as file:
        file.write("solid\n")
        for facet in some:
            file.write("facet normal 0 0 0\nouter loop\n" + "".join(facet) + "endloop\nendfacet\n")
        file.write("endsolid\n")
PY
expect 0 info wall.stl
says stdout "2 open ends: a vessel"
expect 0 run wall.stl -o wall "${few[@]}"
says stderr "2 open ends of the surface: closed, and openings"
cmp wall/mask.nii.gz whole/mask.nii.gz || fail "open ends give another mask than caps"
named() {
  "$PYTHON" - "$1/openings.json" <<'PY' || fail "$1: the files do not name the ends"
import json, sys
all = {one["name"]: one for one in json.load(open(sys.argv[1]))["openings"]}
assert set(all) == {"inlet", "outlet_left"}, all
assert all["inlet"]["role"] == "inlet" and abs(all["inlet"]["centre_mm"][2]) < 0.3, all
assert all["outlet_left"]["role"] == "outlet" and all["outlet_left"]["centre_mm"][2] > 3, all
PY
}
expect 0 run outlet_left.stl wall.stl inlet.stl -o named "${few[@]}" --quiet
named named
[ "$(number named/manifest.json input.files)" = 3 ] || fail "not three files in the record"
expect 0 import wall.stl inlet.stl -o one_cap
says stderr "its unit is assumed to be mm: it is"
says stderr "no file is the cap of the end at"
printf 'mask: [wall.stl, inlet.stl, outlet_left.stl]\nlattice: {spacing_mm: 0.25}\n' >parts.yaml
printf 'surface_spacing_mm: 0.1\nflow: {inlet_flow_ml_s: 0.1}\n' >>parts.yaml
expect 0 import parts.yaml -o files --quiet
expect 0 segment files --quiet
expect 0 solve files --steps 3 --device cpu --quiet
named files
# The name of a cap may be no text: the case file is UTF-8, and is read again.
other=$(printf 'left-\344\t.stl')
cp outlet_left.stl "$other"
expect 0 import wall.stl inlet.stl "$other" -o other --quiet
expect 0 segment other --spacing 0.25 --flow 0.1 --quiet
says other/case.yaml 'name: "left-__"'
expect 2 run wall.stl parts.yaml -o none --flow 0.1
says stderr "several files only where all are surfaces"
expect 11 run wall.stl inlet.stl whole/surface.stl -o none --flow 0.1
says stderr "lies at no end of the wall"
cp inlet.stl outlet.stl
expect 11 run wall.stl inlet.stl outlet.stl -o none --flow 0.1
says stderr "lie at the same end of the wall"
# A part of the wall that stands in another file, too, as SimVascular's walls_combined does.
cp wall.stl walls_combined.stl
expect 0 run wall.stl walls_combined.stl inlet.stl outlet_left.stl -o twice "${few[@]}" --quiet
cmp twice/mask.nii.gz named/mask.nii.gz || fail "a wall that is given twice gives another mask"
expect 11 import wall.stl wall.stl -o none
says stderr "wall.stl is given twice"
expect 11 import inlet.stl outlet_left.stl -o none
says stderr "inlet.stl, which is taken for the wall, as the first of 2 files"
"$PYTHON" - <<'PY'
facets = open("wall.stl").read().split("facet normal")[1:]
low = lambda facet: min(float(line.split()[3]) for line in facet.split("\n") if "vertex" in line)
middle = sorted(set(low(facet) for facet in facets))
for name, some in (("wall_a", [f for f in facets if low(f) < middle[len(middle) // 3]]),
                   ("wall_b", [f for f in facets if low(f) > middle[len(middle) // 2]])):
    with open(name + ".stl", "w") as file:
        file.write("solid\n" + "".join("facet normal" + f for f in some).replace("endsolid", "") + "endsolid\n")
PY
expect 11 import wall_a.stl wall_b.stl -o none
says stderr "wall_a.stl and 1 more make the wall"
says stderr "Where these files do not meet, join them"
expect 10 run wall.stl nothing.stl -o none --flow 0.1
absent none
no_halves
done_testing
