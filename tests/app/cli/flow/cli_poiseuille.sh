# The scan of an oblique pipe from end to end: flow, radius, velocity and wall shear stress against Poiseuille (a straight
# one: cli_sensitivity.sh). 12 nodes across and a slow flow keep it short: walls of so few voxels are good for 10 %
# (README.md has finer ones).
. "$(dirname "$0")/../check.sh"
expect 0 phantom pipe-oblique -o pipe --seed 7 --phase-contrast standard --flow 0.5 --times 4 --noise 2
expect 0 run pipe/case.yaml -o out --nodes-across 12 --flow 0.5 --device cpu --quiet
"$PYTHON" - <<'PY' || fail "this is not Poiseuille flow"
import csv, json, math, sys
truth = json.load(open("pipe/phantom.json"))
got = json.load(open("out/summary.json"))
radius, flow = got["openings"][0]["radius_mm"], got["openings"][0]["flow_ml_s"]
mean = flow / (math.pi * radius**2)  # mL/s / mm2 = m/s
wanted = {
    # (value, exact, allowed relative deviation)
    "flow in, mL/s": (flow, got["openings"][0]["flow_asked_ml_s"], 1e-3),
    "radius, mm": (radius, truth["pipe_radius_mm"], 0.04),
    "flow out, mL/s": (got["openings"][1]["flow_ml_s"], flow, 1e-3),
    "highest velocity, m/s": (got["flow"]["max_velocity_m_s"], 2 * mean, 0.10),
    "mean wall shear stress, Pa": (got["wall"]["wss_mean_pa"], 4 * 0.0035 * mean / (radius * 1e-3), 0.10),
}
bad = 0
for name, (value, exact, allowed) in wanted.items():
    off = value / exact - 1
    bad += abs(off) > allowed
    print(f"{name:28} {value:8.4f}  exact {exact:8.4f}  {100 * off:+.2f} %")
for row in csv.DictReader(open("out/centreline.csv")):  # what flows in flows through each section
    through = float(row["area_mm2"]) * float(row["mean_velocity_m_s"])
    if abs(through / flow - 1) > 0.01:
        bad += 1
        print(f"at {row['position_mm']} mm {through:.4f} mL/s of {flow:.4f}")
sys.exit(bad > 0 or not got["steady"])
PY

# Beside what is usual in such a vessel: 0.04 m/s and 0.28 Pa are not beyond it.
says stdout "  beside usual values   mean velocity 0.04"
says stdout "(usual 0.03 to 0.7), mean wall shear stress 0.2"
[ "$(number out/summary.json plausibility.is_beyond)" = False ] || fail "0.5 mL/s are beyond"
near "$(number out/summary.json plausibility.diameter_mm)" 4 0.1
near "$(number out/summary.json plausibility.mean_velocity_m_s)" 0.0398 0.002
expect 0 info out
says stdout "  beside usual values   mean velocity 0.04"

# The flow that is taken where none is given: of the section across the vessel, which the border cuts
# askew, the same on every lattice; of a vessel of the head alone.
printf 'scan: pipe/dicom\n' >scan.yaml
{ cat scan.yaml && echo 'patient: {kind: head}'; } >head.yaml
expect 0 import head.yaml -o head
for across in 8 14 24; do
  expect 0 segment head --nodes-across $across
  says stderr "was not given: taken as "
  near "$(number head/openings.json openings.0.even_area_mm2)" 12.57 0.5
  near "$(number head/openings.json openings.0.flow_ml_s)" 1.05 0.01 # of 4 mm: 1.058
done
# A dry run judges the flow that it would take, by the same width as without a flow.
expect 0 run head.yaml -o dry --nodes-across 8 --flow 0.5 --dry-run
near "$(number dry/openings.json openings.0.even_area_mm2)" "$(number head/openings.json openings.0.even_area_mm2)" 0.001
says stdout "  beside usual values   mean velocity 0.04"
says stdout "m/s (usual 0.03 to 0.7); of arteries up to 7 mm wide at rest (here 3.99 mm)"
expect 0 run head.yaml -o dry --nodes-across 8 --flow 50 --dry-run
says stdout ": BEYOND"
expect 3 run scan.yaml -o elsewhere --nodes-across 8 --dry-run
says stderr "error: the flow into 'inlet' is not known, and it is 4.0 mm wide: give it in mL/s with --flow"
says stderr "--set patient.kind=head) does, and takes 1"
# The flow beside its own as phase-contrast MR.
expect 0 compare out pipe/phase_contrast -o judged
says stdout "All three directions were measured. Compared are "
says stderr "the computed flow is steady: it is compared with the mean of the measured beat"
there judged/comparison.html judged/sections.csv judged/measured_slices.png judged/measured_velocity.png \
  judged/measured_streamlines.png judged/measured_streamlines_computed.png judged/measured_flow_along.png \
  judged/measured_flow_limits.png
# Their own scans are not read: coarse ones are made faster.
expect 0 phantom pipe-oblique -o turned --format nifti --phase-contrast ge --flow 0.5 --times 4 --noise 2 --orientation 29 \
  --spacing 1
expect 3 compare out turned/phase_contrast -o judged_turned
says stderr "wrong frame of reference: the measured flow and the scan have different ones"
says stderr "; --same-frame takes both as the same"
absent judged_turned
expect 0 compare out turned/phase_contrast -o judged_turned --same-frame --quiet
expect 0 phantom pipe-oblique -o plane --format nifti --phase-contrast siemens --flow 0.5 --times 4 --plane 40 --spacing 1
expect 0 compare out plane/phase_contrast -o judged_plane --same-frame
says stdout "only the velocity along it is compared"
says stderr "the images leave the sign of the measured velocities open: it was taken so that the blood flows as computed"
printf 'velocity: plane/phase_contrast\nsign: -1\n' >against.yaml
expect 0 compare out against.yaml -o judged_against --same-frame
says stderr "the measured blood flows against the computed"

# Poiseuille's flow in the pipe as images of voxels of 0.9 mm: the mean over the blood in each, and its share as the
# magnitude; at their place, a voxel to the left, and elsewhere.
"$PYTHON" - <<'PY'
import json, math, struct
truth = json.load(open("pipe/phantom.json"))
centre, axis = truth["phase_contrast"]["section_centre_mm"], truth["phase_contrast"]["section_normal"]
radius, side, count, parts = truth["pipe_radius_mm"], 0.9, 26, 3
low = -side * (count - 1) / 2
steps = [side * ((k + 0.5) / parts - 0.5) for k in range(parts)]
offsets = [(a, b, c) for a in steps for b in steps for c in steps]

def blood(at):
    """The speed at each of the voxel's places in the pipe."""
    found = []
    off = [at[r] - centre[r] for r in range(3)]
    along = sum(a * b for a, b in zip(off, axis))
    if sum(a * a for a in off) - along * along > (radius + side) ** 2:
        return found
    for o in offsets:
        off = [at[r] + o[r] - centre[r] for r in range(3)]
        along = sum(a * b for a, b in zip(off, axis))
        r2 = sum(a * a for a in off) - along * along
        if r2 < radius**2:
            found.append(2 * 0.5 / (math.pi * radius**2) * (1 - r2 / radius**2))
    return found

voxels = [blood([low + side * n for n in (i, j, k)]) for k in range(count) for j in range(count) for i in range(count)]
speed, share = [sum(v) / max(1, len(v)) for v in voxels], [len(v) / parts**3 for v in voxels]

def write(path, images, shift, planes=count):
    head = bytearray(352)
    struct.pack_into("<i", head, 0, 348)
    struct.pack_into("<8h", head, 40, 3 + (len(images) > 1), count, count, planes, len(images), 1, 1, 1)
    struct.pack_into("<2h", head, 70, 16, 32)
    struct.pack_into("<8f", head, 76, 1, side, side, side, 1, 1, 1, 1)
    struct.pack_into("<3f", head, 108, 352, 1, 0)
    struct.pack_into("<2h", head, 252, 0, 1)
    struct.pack_into("<12f", head, 280, -side, 0, 0, -low - shift, 0, -side, 0, -low, 0, 0, side, low if planes > 1 else side / 2)
    head[123], head[344:348] = 2, b"n+1\0"
    with open(path, "wb") as file:
        file.write(head)
        for image in images:
            file.write(struct.pack("<%df" % len(image), *image))

for name, shift in (("there", 0), ("moved", side), ("away", 60)):
    write(name + ".nii", [[a * v for v in speed] for a in axis], shift)
    write(name + "_share.nii", [share], shift)
    open(name + ".yaml", "w").write("velocity: %s.nii\nmagnitude: %s_share.nii\nunit: m/s\nsign: 1\n" % (name, name))
half = count * count * (count // 2)  # the slice in the middle, in m/s; and the same velocity everywhere
plane = [axis[2] * v for v in speed[half : half + count * count]]
for name, values in (("unit", [math.nan] + plane[1:]), ("even", [0.05] * len(plane))):
    write(name + ".nii", [values], 0, 1)
    open(name + ".yaml", "w").write("velocity: %s.nii\nunit: cm/s\ndirection: [0, 0, 1]\n" % name)
PY
expect 0 compare out unit.yaml -o judged_unit --same-frame
says stderr "1 of 676 velocities are no numbers (NaN) and are taken as 0"
says stderr "is 0.01"
says stderr " times the computed: check the unit and the velocity encoding"
if grep -q "vary in another way" "$work/stderr"; then fail "it varies in the same way"; fi
expect 0 compare out even.yaml -o judged_even --same-frame
says stderr "the measured velocities vary in another way than the computed ones (correlation: none)"
expect 2 compare out there.yaml -o judged_vectors --numbers
says stderr "are for walls, and this is read as a measured flow"
expect 2 compare out there.nii -o judged_vectors --same-frame
says stderr "an image file does not say what its velocities mean"
expect 3 compare out there.yaml -o judged_vectors
says stderr "wrong frame of reference: the measured flow does not tell its own"
expect 0 compare out there.yaml -o judged_vectors --same-frame
expect 0 compare out moved.yaml -o judged_moved --same-frame
expect 13 compare out away.yaml -o judged_away --same-frame
says stderr "the measured volume misses the vessel of the case: its nearest place"
absent judged_away
"$PYTHON" - <<'PY' || fail "the flow beside its own, measured"
import csv
def numbers(folder):
    return {row["number"]: float(row["value"]) for row in csv.DictReader(open(folder + "/comparison.csv"))}
got, turned, plane, exact, moved = map(numbers, ("judged", "judged_turned", "judged_plane", "judged_vectors", "judged_moved"))
speed, along = "velocity.mean.speed.", "velocity.mean.along."
for one, name in ((got, speed), (turned, speed), (plane, along), (exact, speed)):
    print(one[name + "correlation"], one[name + "slope"], one["flow.mean.difference_mean_ml_s"])
    assert one[name + "correlation"] > 0.98 and abs(one[name + "slope"] - 1) < 0.05
    assert abs(one["flow.mean.difference_mean_ml_s"]) < 0.02 * 0.5
for name in ("correlation", "slope", "rms_difference_m_s"):  # the same but for the noise
    assert abs(turned[speed + name] - got[speed + name]) < 0.01
assert got["conservation.piece_1.measured_spread_percent"] < 1 and got["conservation.piece_1.sections"] > 10
assert plane["flow.sections"] == 1 and "conservation.piece_1.sections" not in plane
assert got["times.compared"] == 0 and "velocity.beat.speed.slope" not in got
# A voxel to the side is seen.
assert moved[speed + "correlation"] < exact[speed + "correlation"] - 0.1
assert moved[speed + "rms_difference_m_s"] > 3 * exact[speed + "rms_difference_m_s"]
assert numbers("judged_against")[along + "slope"] < -0.9
rows = list(csv.DictReader(open("judged/sections.csv")))
assert {row["opening"] for row in rows} >= {"", "outlet"} and {row["moment"] for row in rows} == {"mean", "time"}
PY
done_testing
