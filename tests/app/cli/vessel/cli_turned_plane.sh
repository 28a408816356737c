# Planes turned against the vessel, and borders crossed at a slant: extension, section and flow are those
# of the vessel, and the angle is said. Pipes of 4 mm between two planes, against Poiseuille.
. "$(dirname "$0")/../check.sh"
export OMP_NUM_THREADS=2
cat >pipe.py <<'PY'
"""pipe.py NAME ANGLE TILT HALF_MM [border]: a pipe through 0, `TILT` degrees off z (LPS), as NAME.nii, and
its case NAME.yaml: planes 6 mm to both sides, turned by ANGLE; with `border` none, and the pipe crosses the
image's border, which is HALF_MM up and down."""
import math, struct, sys

name, angle, tilt, half = sys.argv[1], *(math.radians(float(a)) for a in sys.argv[2:4]), float(sys.argv[4])
border, voxel, radius = len(sys.argv) > 5, 0.25, 2
d = [math.sin(tilt) * 0.8, math.sin(tilt) * 0.6, math.cos(tilt)]
side = [math.cos(tilt) * 0.8, math.cos(tilt) * 0.6, -math.sin(tilt)]
wide = half * math.tan(tilt) + radius / math.cos(tilt) + 1
dim = [2 * round(wide / voxel) + 1, 2 * round(wide / voxel) + 1, 2 * round(half / voxel) + 1]
low = [-(n - 1) / 2 * voxel + 0.03 * r for r, n in enumerate(dim)]
voxels = bytearray()
for k in range(dim[2]):
    for j in range(dim[1]):
        for i in range(dim[0]):
            p = [low[0] + i * voxel, low[1] + j * voxel, low[2] + k * voxel]
            along = sum(a * b for a, b in zip(p, d))
            voxels.append(sum(a * a for a in p) - along * along < radius * radius)
header = bytearray(352)
struct.pack_into("<i", header, 0, 348)
struct.pack_into("<8h", header, 40, 3, *dim, 1, 1, 1, 1)
struct.pack_into("<hh", header, 70, 2, 8)
struct.pack_into("<8f", header, 76, 1, voxel, voxel, voxel, 0, 0, 0, 0)
struct.pack_into("<ff", header, 108, 352, 1)
header[123] = 2
struct.pack_into("<h", header, 254, 1)
for r in range(3):  # RAS
    row = [0.0] * 3 + [low[r] if r == 2 else -low[r]]
    row[r] = voxel if r == 2 else -voxel
    struct.pack_into("<4f", header, 280 + 16 * r, *row)
header[344:348] = b"n+1\0"
open(name + ".nii", "wb").write(header + voxels)
case = f"mask: {name}.nii\nblood: {{viscosity_pa_s: 0.0035}}\nlattice: {{spacing_mm: 0.3333}}\nopenings:\n"
for role, way in (("inlet", -1), ("outlet", 1)):
    at = [(half / d[2] if border else 6) * way * c for c in d]
    normal = [way * math.cos(angle) * a + math.sin(angle) * b for a, b in zip(d, side)]
    place = f"near_mm: {at}" if border else f"centre_mm: {at}, normal: {normal}"
    case += f"  - {{name: {role}, role: {role}, {place}}}\n"
open(name + ".yaml", "w").write(case)
PY
cat >judge.py <<'PY'
"""judge.py DIR ANGLE TILT [SQUARE]: the openings of a run or a segmentation, the flow of a run; the wall's
99th percentile as in SQUARE."""
import json, math, sys

folder, angle, tilt = sys.argv[1], float(sys.argv[2]), math.radians(float(sys.argv[3]))
d = [math.sin(tilt) * 0.8, math.sin(tilt) * 0.6, math.cos(tilt)]
ends = json.load(open(folder + "/openings.json"))["openings"]
assert len(ends) == 2
for one in ends:
    cosine = abs(sum(a * b for a, b in zip(one["direction"], d)))
    assert cosine > math.cos(math.radians(3)), (folder, one)
    assert abs(one["radius_mm"] / 2 - 1) < 0.03, (folder, one)
    assert abs(one["area_mm2"] / (math.pi * one["radius_mm"] ** 2) - 1) < 1e-6, (folder, one)
    turn = math.cos(math.radians(angle))
    assert abs(one["area_on_plane_mm2"] * turn / one["area_mm2"] - 1) < 0.08, (folder, one)
try:
    summary = json.load(open(folder + "/summary.json"))
except FileNotFoundError:
    sys.exit()
ports = {p["role"]: p for p in summary["openings"]}
flow, length = ports["inlet"]["flow_ml_s"], math.dist(*(e["centre_mm"] for e in ends))
for one in ends:  # the planes that were asked for
    off = [a - b for a, b in zip(one["centre_mm"], one["asked_centre_mm"])]
    assert abs(sum(a * b for a, b in zip(off, one["asked_normal"]))) < 1e-3 and math.hypot(*off) < 0.2, one
exact = 8 * 0.0035 * length * 1e-3 * flow * 1e-6 / (math.pi * 16e-12)
drop = ports["inlet"]["pressure_pa"] - ports["outlet"]["pressure_pa"]
print(folder, "drop / exact", drop / exact, "p99", summary["wall"]["wss_p99_pa"])
assert abs(drop / exact - 1) < 0.03, (folder, drop, exact)
assert abs(flow - 2) < 0.01 and abs(ports["outlet"]["flow_ml_s"] / flow - 1) < 0.005
if len(sys.argv) > 4:
    square = json.load(open(sys.argv[4] + "/summary.json"))["wall"]
    for key in ("wss_p99_pa", "wss_mean_pa"):
        assert abs(summary["wall"][key] / square[key] - 1) < 0.05, (folder, key, summary["wall"][key], square[key])
PY

# flow NAME ANGLE TILT [SQUARE]
flow() {
  "$PYTHON" pipe.py "$1" "$2" "$3" 10
  expect 0 run "$1.yaml" -o "$1" --flow 2 --no-pictures --device cpu
  "$PYTHON" judge.py "$@" || fail "$1: not the vessel's flow"
}
flow square 0 0
if grep -q "is turned by" stderr; then fail "a plane across the vessel is said to be turned"; fi
flow turned25 25 0 square
says stderr "-6.0] is turned by 25 degrees against the vessel"
flow turned35 -35 0 square
says stderr "is turned by 35 degrees against the vessel"

# A velocity is that over the section across the vessel: the same flow at every angle.
printf 'time_s,velocity_m_s\n0,0.1\n0.2,0.2\n0.4,0.3\n0.6,0.2\n0.8,0.1\n' >velocity.csv
for angle in 0 15 25; do
  "$PYTHON" pipe.py oblique $angle 20 10
  rm -rf oblique
  expect 0 run oblique.yaml -o oblique --set flow.waveform=velocity.csv --dry-run
  "$PYTHON" judge.py oblique $angle 20 || fail "$angle degrees: not the vessel's section"
  number oblique/openings.json openings.0.flow_ml_s >"flow$angle"
done
near "$("$PYTHON" -c "print($(cat flow25) / $(cat flow0))")" 1 0.03
near "$("$PYTHON" -c "print($(cat flow15) / $(cat flow0))")" 1 0.03

# Where the vessel crosses the image's border.
for slant in 40 60 70; do
  "$PYTHON" pipe.py border 0 $slant 3 border
  rm -rf border
  expect 0 run border.yaml -o border --flow 1 --dry-run
  "$PYTHON" judge.py border $slant $slant || fail "$slant degrees at the border: not the vessel's section"
done
says stderr "'inlet' leaves the scan or region at ["
says stderr "with a slant of 70 degrees"
done_testing
