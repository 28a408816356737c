# The openings of a vessel between points are the same on every lattice, with the same names: those of
# the points first, in their order, and every branch that is cut off.
. "$(dirname "$0")/../check.sh"
needs nibabel numpy
"$PYTHON" - <<'PY'
import nibabel, numpy
voxel = numpy.array([0.5, 0.5, 0.6])
places = numpy.stack(numpy.meshgrid(*[numpy.arange(n) for n in (72, 30, 60)], indexing="ij"), -1) * voxel
def tube(start, way, radius):
    way = numpy.array(way) / numpy.linalg.norm(way)
    off = places - start
    along = off @ way
    return numpy.where(along > 0, numpy.linalg.norm(off - along[..., None] * way, axis=-1), 99) - radius
wall = numpy.minimum.reduce([tube((18, 7, -9), (0, 0, 1), 2), tube((18, 7, 12), (1, 0.1, 0.3), 1.4),
                             tube((18, 7, 20), (-1, 0.1, 0.2), 0.8), tube((18, 7, 24), (0.5, 0.25, 1), 1.3)])
scan = 100 + 200 * numpy.clip(0.5 - wall / 0.8, 0, 1) + numpy.random.default_rng(1).normal(0, 5, wall.shape)
nibabel.save(nibabel.Nifti1Image(scan.astype(numpy.float32), numpy.diag([*(-voxel[:2]), voxel[2], 1])), "scan.nii")
PY
expect 0 import scan.nii -o tree
for nodes in 12 20 40; do
  expect 0 segment tree --from 18,7,4 --to 18,7,32 --nodes-across $nodes --flow 2
  if grep -q "blind end" stderr; then fail "$nodes nodes: a branch that is cut off is taken for a dome"; fi
  "$PYTHON" - <<'PY' || fail "$nodes nodes: other openings"
import json, math
spacing = json.load(open("tree/manifest.json"))["segment"]["spacing_mm"]
all = {one["name"]: one for one in json.load(open("tree/openings.json"))["openings"]}
known = {"inlet": (18, 7, 4.2, 2), "outlet-1": (18, 7, 31.9, 2), "outlet-2": (25.4, 7.7, 14.2, 1.4),
         "outlet-3": (23.8, 9.9, 35.5, 1.3), "outlet-4": (13.6, 7.4, 20.9, 0.8)}
assert all.keys() == known.keys(), all.keys()
for name, (*place, radius) in known.items():
    assert math.dist(all[name]["centre_mm"], place) < max(spacing, 0.5), all[name]
    assert abs(all[name]["radius_mm"] / radius - 1) < 0.05, all[name]
PY
done

# Later stages have them, too. Blood leaves through one of few nodes; a lattice that has too few says so.
expect 0 segment tree --nodes-across 8
says stderr "has some 8 nodes on this lattice of 0.49"
says stderr "mm: it is open, but so few nodes hold the blood back"
expect 0 solve tree --device cpu --steps 1000
[ "$(number tree/openings.json openings.4.name)" = outlet-4 ] || fail "other openings in a later stage"
expect 0 segment tree --nodes-across 5 --force
says stderr "the opening 'outlet-4' at [13.6, 7."
says stderr "mm: closed as wall, so no blood leaves there; with --spacing 0.3"

# Of two outlets at points the first is outlet-1, though the other is wider. A wall is no opening.
printf 'scan: scan.nii\nothers: wall\n' >two.yaml
expect 0 import two.yaml -o two
expect 0 segment two --from 18,7,4 --to 24,7.6,13.8 --to 18,7,32 --nodes-across 12 --flow 2
"$PYTHON" - <<'PY' || fail "not in the order of the points"
import json
all = {one["name"]: one for one in json.load(open("two/openings.json"))["openings"] if one["role"] != "wall"}
assert all.keys() == {"inlet", "outlet-1", "outlet-2"}, all.keys()
assert all["outlet-1"]["radius_mm"] < 1.5 < all["outlet-2"]["radius_mm"], all
PY

# The dome of a sac is no end of a vessel, on the lattice that decides neither.
printf 'phantom: aneurysm\n' >sac.yaml
expect 0 import sac.yaml -o sac
for nodes in 12 20; do
  expect 0 segment sac --nodes-across $nodes --flow 2
  [ "$(grep -c '"role": "outlet"' sac/openings.json)" = 2 ] || fail "$nodes nodes: the dome of a sac is open"
done

# A trunk that darkens after a branch is cut off there, not a dome: refused, with points that open it. Where
# the scan shows no blood beyond, it stays closed.
"$PYTHON" - <<'PY'
import nibabel, numpy
voxel = numpy.array([0.5, 0.5, 0.6])
x, y, z = numpy.meshgrid(*[numpy.arange(n) * s for n, s in zip((60, 40, 60), voxel)], indexing="ij")
blood = lambda wall: numpy.clip(0.5 - wall / 0.8, 0, 1)
trunk = blood(numpy.hypot(x - 18, y - 10) - 2)
branch = blood(numpy.where(x > 18, numpy.hypot(y - 10, z - 11 - 0.3 * (x - 18)), 99) - 1)
noise = numpy.random.default_rng(1).normal(0, 5, x.shape)
for name, least in ("fading", 0.3), ("ending", 0):
    values = 100 + 200 * numpy.maximum(trunk * numpy.clip(15 - z, least, 1), branch) + noise
    nibabel.save(nibabel.Nifti1Image(values.astype(numpy.float32), numpy.diag([*(-voxel[:2]), voxel[2], 1])), name + ".nii")
PY
expect 0 import ending.nii -o ending
expect 0 segment ending --nodes-across 12 --flow 2
expect 0 import fading.nii -o fading
expect 14 segment fading --nodes-across 12 --flow 2
says stderr "the vessel goes on beyond its closed end at [18.0, "
says stderr "the outlets that were found carry 12 % of the inlet's flow"
points=$(sed -n 's/.*These points open it: `hemotile segment fading \([^`]*\)`.*/\1/p' stderr)
expect 0 segment fading $points --nodes-across 12 --flow 2
[ "$(number fading/openings.json openings.0.role)" = outlet ] || fail "the points that were offered open no trunk"
near "$(number fading/openings.json openings.0.radius_mm)" 2 0.1

# A point at the end of a short branch: refused, with a place for it that works.
"$PYTHON" - <<'PY'
import nibabel, numpy
voxel = numpy.array([0.5, 0.5, 0.6])
x, y, z = numpy.meshgrid(*[numpy.arange(n) * s for n, s in zip((72, 40, 60), voxel)], indexing="ij")
blood = lambda wall: numpy.clip(0.5 - wall / 0.8, 0, 1)
trunk = blood(numpy.hypot(x - 12, y - 10) - 3)
stub = blood(numpy.where(x > 12, numpy.hypot(y - 10, z - 18) - 2.5 + numpy.maximum(0, x - 21) * 3, 99))
values = 100 + 200 * numpy.maximum(trunk, stub) + numpy.random.default_rng(1).normal(0, 5, x.shape)
nibabel.save(nibabel.Nifti1Image(values.astype(numpy.float32), numpy.diag([*(-voxel[:2]), voxel[2], 1])), "stub.nii")
PY
expect 0 import stub.nii -o stub
expect 14 segment stub --from 12,10,4 --to 12,10,32 --to 21,10,18 --nodes-across 12 --flow 2
says stderr "With point 3 at "
point=$(sed -n 's/.*the vessel can be cut: \(--to=[-0-9.,]*\).*/\1/p' stderr)
expect 0 segment stub --from 12,10,4 --to 12,10,32 "$point" --nodes-across 12 --flow 2
near "$(number stub/openings.json openings.2.radius_mm)" 2.5 0.1
no_halves
done_testing
