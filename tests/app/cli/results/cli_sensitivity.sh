# The wall half a voxel of the scan further in and out: the narrower pipe has the larger pressure drop.
. "$(dirname "$0")/../check.sh"
needs nibabel numpy
# The thinner vessel is too thin to run: a message says so, and the case itself is complete.
cat >thin.py <<'PY'
import nibabel, numpy
x, y, z = numpy.indices((18, 18, 24))
data = ((x - 9) ** 2 + (y - 9) ** 2 < numpy.where(abs(z - 12) < 4, 2.0, 36)).astype("uint8")
nibabel.save(nibabel.Nifti1Image(data, numpy.diag([0.5, 0.5, 0.5, 1])), "thin.nii.gz")
pipe = 50 + 300.0 * ((x - 9) ** 2 + (y - 9) ** 2 < 25)
both = numpy.stack([0 * pipe, pipe], 3).astype("float32")
nibabel.save(nibabel.Nifti1Image(both, numpy.diag([0.5, 0.5, 0.5, 1])), "two.nii.gz")
PY
"$PYTHON" thin.py || fail "the masks could not be written"
printf 'mask: thin.nii.gz\nsensitivity: yes\nlattice: {spacing_mm: 0.25}\n' >thin.yaml
expect 0 run thin.yaml -o thin --flow 0.2 --steps 5 --device cpu --no-pictures
says stdout "the thinner vessel could not be computed"
[ "$(number thin/summary.json sensitivity.thinner.done)" = False ] || fail "was it run?"
[ "$(number thin/summary.json sensitivity.thicker.done)" = True ] || fail "the thicker one failed"
# One side only would look half as sensitive: no spread.
[ "$(number thin/summary.json sensitivity.figures.0.spread_percent)" = None ] || fail "a spread"
grep -q "wall shear stress, mean, Pa  .*  -$" stdout || fail "a spread in the text"
# Three figures are no coordinates: a column says which figure it is of.
for column in wss_p99_pa.thicker pressure_drop_mmhg.outlet-1.as_is; do
  head -1 thin/summary.csv | grep -q "sensitivity.figures.$column," || fail "no column $column"
done

# A phase is chosen from the scan; the masks have one.
printf 'scan: two.nii.gz\nphase: 2\nlattice: {spacing_mm: 0.5}\n' >two.yaml
expect 0 run two.yaml -o two --flow 0.2 --steps 5 --device cpu --quiet --sensitivity --dicom
# Both reports have the spread: they are written once more, after the other walls.
for report in report.html dicom/report.dcm; do
  [ two/$report -nt two/sensitivity/thicker/summary.json ] || fail "$report is without the spread"
done
grep -q "^sensitivity: yes" two/case.yaml || fail "case.yaml does not repeat it"
[ "$(number two/summary.json sensitivity.thinner.done)" = True ] || fail "the phase was lost"
[ "$(number two/summary.json sensitivity.thicker.done)" = True ] || fail "the phase was lost"

expect 0 phantom pipe -o sample --format nifti
# Steady enough for what is compared here: a third of the steps.
printf 'lattice: {nodes_across: 10}\nflow: {device: cpu, steady_tolerance: 1e-5}\n' >>sample/case.yaml
# Near the limit of LBGK: the thinner vessel's flow is above it, and is computed all the same, on the
# same lattice.
expect 0 run sample/case.yaml -o out --flow 1.2 --quiet --no-pictures
! grep -q '"sensitivity": {' out/summary.json || fail "not asked for"
absent out/sensitivity
"$PYTHON" - <<'PY' || fail "the straight pipe has no Poiseuille flow"
import json, math
got, truth = json.load(open("out/summary.json")), json.load(open("sample/phantom.json"))
radius, flow = got["openings"][0]["radius_mm"], got["openings"][0]["flow_ml_s"]
mean = flow / (math.pi * radius**2)  # mL/s / mm2 = m/s
assert got["steady"]
for value, exact, allowed in (
    (radius, truth["pipe_radius_mm"], 0.04),
    (got["openings"][1]["flow_ml_s"], flow, 0.02),  # as steady as asked for above
    (got["flow"]["max_velocity_m_s"], 2 * mean, 0.10),
    (got["wall"]["wss_mean_pa"], 4 * 0.0035 * mean / (radius * 1e-3), 0.10),
):
    assert abs(value / exact - 1) <= allowed, (value, exact)
PY
expect 0 export out --sensitivity
says stdout "half a voxel of the scan"
says stdout "pressure drop to outlet, mmHg"
says stdout "and was computed with mrt"
[ "$(number out/summary.json sensitivity.thinner.collision)" = mrt ] || fail "not with mrt"
[ "$(number out/summary.json sensitivity.thicker.collision)" = lbgk ] || fail "not as the case"
there out/sensitivity/thinner/summary.json out/sensitivity/thicker/summary.json \
  out/sensitivity/mask_thinner.nii.gz
"$PYTHON" - <<'PY' || fail "the numbers are not those of a narrower and a wider pipe"
import json
s = json.load(open("out/summary.json"))
r = s["sensitivity"]
spacing = 0.26930433625398435  # of the phantom's scan: edge of the cube as large as a voxel
assert abs(r["offset_mm"] - spacing / 2) < 1e-6, r["offset_mm"]
wss, p99, drop = r["figures"]
assert wss["figure"] == "wss_mean_pa" and wss["as_is"] == s["wall"]["wss_mean_pa"]
assert drop["outlet"] == "outlet"
assert drop["as_is"] == s["openings"][1]["pressure_drop_from_inlet_mmhg"]
radius = s["openings"][0]["radius_mm"]
for name, sign in (("thinner", -1), ("thicker", 1)):  # a tube: its volume goes with the square
    wall = r[name]["moved_mm"]
    ratio = (r[name]["volume_ml"] / r["as_is"]["volume_ml"]) ** 0.5
    assert abs(wall / ((ratio - 1) * radius) - 1) < 0.05, (name, wall, ratio, radius)
for f, power in ((wss, 3), (drop, 4)):  # Poiseuille: radius to the power -3, -4
    assert f["thinner"] > f["as_is"] > f["thicker"] > 0, f
    for name, sign in (("thinner", -1), ("thicker", 1)):
        ratio = (f[name] / f["as_is"]) ** (-1 / power)
        moved = (ratio - 1) * radius / (spacing / 2)
        assert 0.6 < sign * moved < 1.5, (f, moved)
    percent = 100 * (f["thinner"] - f["thicker"]) / f["as_is"]
    assert abs(f["spread_percent"] - percent) < 1e-9
# the openings are where they are in the case, not where another mask would have them
other = json.load(open("out/sensitivity/thinner/openings.json"))["openings"]
own = json.load(open("out/openings.json"))["openings"]
assert [o["role"] for o in other] == [o["role"] for o in own]
assert [o.get("flow_ml_s") for o in other] == [o.get("flow_ml_s") for o in own]
# the thinner vessel differs by no more than its wall: the drop goes with the radius to the power -4
narrowed = other[0]["radius_mm"] / own[0]["radius_mm"]
assert abs(drop["thinner"] / drop["as_is"] * narrowed**4 - 1) < 0.05, drop
assert wss["spread_percent"] > 20 and drop["spread_percent"] > 40, (wss, drop)
PY
expect 0 info out
says stdout "half a voxel of the scan"
says stdout "and was computed with mrt"
says stdout "thinner"
# A surface: its moved walls are surfaces, too. Masks of 10 nodes across are off by more than the shift.
"$PYTHON" - <<'PY'
import math
ring = [(2 * math.cos(math.pi * i / 30), 2 * math.sin(math.pi * i / 30)) for i in range(60)]
with open("pipe.stl", "w") as file:
    file.write("solid\n")
    for (x, y), (u, v) in zip(ring, ring[1:] + ring[:1]):
        for three in (((x, y, -8), (u, v, -8), (u, v, 8)), ((x, y, -8), (u, v, 8), (x, y, 8)),
                      ((0, 0, -8), (u, v, -8), (x, y, -8)), ((0, 0, 8), (x, y, 8), (u, v, 8))):
            lines = "".join("vertex %.6f %.6f %.6f\n" % p for p in three)
            file.write(f"facet normal 0 0 0\nouter loop\n{lines}endloop\nendfacet\n")
    file.write("endsolid\n")
PY
expect 0 run pipe.stl -o pipe --surface-spacing 0.15 --nodes-across 10 --flow 0.6 --sensitivity \
  --device cpu --no-pictures --quiet
"$PYTHON" - <<'PY' || fail "a surface's walls do not move by the offset"
import json
r = json.load(open("pipe/summary.json"))["sensitivity"]
wss, p99, drop = r["figures"]
for f, power in ((wss, 3), (drop, 4)):
    assert f["thinner"] > f["as_is"] > f["thicker"], f
    for name, sign in (("thinner", -1), ("thicker", 1)):
        exact = (1 + sign * r["offset_mm"] / 2) ** -power
        assert abs(f[name] / f["as_is"] / exact - 1) < 0.05, (f, exact)
PY
# The warnings are those of the case.
"$PYTHON" - <<'PY' || fail "warnings of the other runs"
import json
own = json.load(open("out/summary.json"))["warnings"]
assert all("12.6" not in w for w in own), own
assert len(own) == len(set(own)) and len(own) >= 1, own
PY

# An export that does not ask for them leaves none of an earlier one.
cp -r out asked
cp -r out stopped
cp -r out again
sed -i 's/^sensitivity: yes/sensitivity: no/' out/case.yaml
expect 0 export out --quiet
absent out/sensitivity
! grep -q '"sensitivity": {' out/summary.json || fail "a spread that was not asked for"

# Another flow, and they are no longer of this case.
expect 0 solve asked --steps 5
absent asked/sensitivity asked/summary.json

# Stopped on the way: the case's own log says so, and its results are whole. Signalled once the
# thinner vessel's flow reports its progress, at once to a terminal: from there on the program looks
# for a signal all the time, on a slow machine too, and most of its work is still to be done.
cat >stop.py <<'PY'
import os, pty, signal, subprocess, sys
reader, terminal = pty.openpty()
run = subprocess.Popen([os.environ["HEMOTILE"], *sys.argv[1:]], stderr=terminal)
os.close(terminal)
said, asked = b"", False
while True:
    try:
        piece = os.read(reader, 4096)
    except OSError:  # the other end is closed
        break
    if not piece:
        break
    said += piece
    if not asked and b"4/5 solve " in said:
        run.send_signal(signal.SIGTERM)
        asked = True
open("stderr", "wb").write(said)
sys.exit(run.wait())
PY
HEMOTILE=$HEMOTILE "$PYTHON" stop.py export stopped --sensitivity >stdout
[ $? = 130 ] || fail "stopped, and the exit code is another"
says stderr "hemotile export stopped --sensitivity"
grep -q "hemotile: error:" stopped/hemotile.log || fail "the case's log does not have the error"
! grep -q '"sensitivity": {' stopped/summary.json || fail "a spread of a run that was stopped"

# A run without it leaves none of the run before, to the last file.
expect 0 run sample/case.yaml -o again --steps 5 --quiet --no-pictures
absent again/sensitivity
! grep -q '"sensitivity": {' again/summary.json || fail "a spread that was not asked for"
no_halves
done_testing
