# Masks whose openings allow no flow: exit code 14, and the mask is kept for inspection.
. "$(dirname "$0")/../check.sh"
for kind in ball two short pipe empty; do
  "$PYTHON" "$here/make_nifti.py" $kind $kind.nii
  printf 'mask: %s.nii\nlattice: {spacing_mm: 0.5}\n' $kind >$kind.yaml
done

# flow_in CASE DIR FLOW: all but `export`; the messages of all stages are in `said`.
flow_in() {
  expect 0 import "$1" -o "$2"
  mv stderr said
  expect 0 segment "$2" --flow "$3"
  cat stderr >>said
  expect 0 solve "$2" --steps 5 --device cpu
  cat stderr >>said
}
expect 14 run ball.yaml -o "a ball" --flow 2
says stderr "look at a ball/pictures/mask_on_scan.png"
says stderr "in a ball/case.yaml"
says stderr "hemotile segment 'a ball'"
mv "a ball" ball
says stderr "no opening"
expect 3 tile ball # `info` says that the segmentation is not done
says stderr "did not finish"
expect 0 info ball
says stdout "segment  not done"
there ball/mask.nii.gz ball/pictures/mask_on_scan.png ball/hemotile.log
absent ball/summary.json ball/flow.bin
grep -q "no opening" ball/hemotile.log || fail "the log does not say why"
expect 13 run empty.yaml -o empty --flow 2
absent empty

# Two stumps: whichever piece is kept has one opening only.
expect 14 run two.yaml -o two --flow 2
says stderr "the mask has 2 separate pieces: one is kept"
absent two/summary.json

# A vessel that ends inside becomes an opening there, with a message; closed if the case says so.
expect 0 import short.yaml -o short
expect 0 segment short --flow 1
says stderr "the vessel ends inside the scan at"
[ "$(number short/openings.json openings.0.at_border)" = False ] || fail "not an end inside"
[ "$(number short/openings.json openings.1.role)" = inlet ] || fail "of two alike, not that at the border"
first=$(number short/openings.json openings.0.centre_mm)
expect 0 solve short --steps 10 --device cpu
expect 0 export short
[ "$(number short/openings.json openings.0.centre_mm)" = "$first" ] || fail "cut once more"

# The openings are the same on every lattice. The report of a coarse one says what it cannot hold.
for spacing in 0.4 0.8 1 1.25; do
  expect 0 segment short --spacing $spacing --flow 1 --force
  "$PYTHON" - $spacing <<'PY' || fail "other openings at $spacing mm"
import json, math, sys
all = json.load(open("short/openings.json"))["openings"]
assert [one["name"] for one in all] == ["outlet-1", "inlet"], all
for one, at in zip(all, ([-5.9, -5.9, 12.6], [-6, -6, 0])):
    assert math.dist(one["centre_mm"], at) < float(sys.argv[1]), one
    assert abs(one["radius_mm"] - 2.35) < 0.25, one
PY
done
says stderr "radius 2.35 mm, has some 11 nodes on this lattice of 1.25 mm: it is open, but so few nodes"
printf 'mask: short.nii\nlattice: {spacing_mm: 0.5}\nothers: wall\n' >closed.yaml
printf 'openings: [{role: inlet, near_mm: [-6, -6, 0]}]\n' >>closed.yaml
expect 14 run closed.yaml -o closed --flow 2
says stderr "is an outlet"
absent closed/summary.json

# Where the other ends look like domes and stumps, they are offered, numbered as in the picture.
"$PYTHON" "$here/make_nifti.py" bulb bulb.nii
printf 'mask: bulb.nii\n' >bulb.yaml
expect 14 run bulb.yaml -o bulb --flow 1
says stderr "Ends of the vessel are, numbered as in pictures/projection.png: 1 at [-6.0, -6.0, -0."
says stderr "To open it at the first ones: --from=-6.0,-6.0,"
says stderr " --to=-"
there bulb/pictures/projection.png bulb/mask.nii.gz

# Two ends of one width on one face may be two inlets, like the carotids of a head.
"$PYTHON" "$here/make_nifti.py" bend bend.nii
printf 'mask: bend.nii\nlattice: {spacing_mm: 0.5}\n' >bend.yaml
flow_in bend.yaml bend 0.5
says said "'outlet-1', guessed an outlet, is about as wide as the inlet 'inlet'"
printf 'openings: [{role: inlet, near_mm: [-3, -6, 0]}, {role: outlet, near_mm: [-8, -6, 0]}]\n' \
  >>bend.yaml
flow_in bend.yaml bent 0.5
if grep -q "guessed" said; then fail "nothing was guessed"; fi

# Where a vessel leaves a ball there is an opening, wherever the ball lies on it.
for centre in "-5.75, -5.75, 8" "-5, -6.5, 8"; do
  printf 'mask: pipe.nii\nlattice: {spacing_mm: 0.25}\nregion: {centre_mm: [%s], radius_mm: 7}\n' \
    "$centre" >in_ball.yaml
  rm -rf in_ball
  flow_in in_ball.yaml in_ball 1
  says said "the vessel leaves the ball of 'region' at"
  "$PYTHON" -c "import json
all = json.load(open('in_ball/openings.json'))['openings']
assert len(all) == 2, all
for one in all:
    assert abs(one['radius_mm'] - 3) < 0.15 and abs(one['direction'][2]) > 0.998, one" ||
    fail "the openings at the ball are others"
done

# Where the width is uneven it is closed, with a message. A seed outside the vessel gets a message, too.
printf 'mask: bend.nii\nlattice: {spacing_mm: 0.3}\n' >ball_cut.yaml
printf 'region: {centre_mm: [-5.75, -6, 12], radius_mm: 10}\nsegment: {seed_mm: [-6, -11, 8]}\n' \
  >>ball_cut.yaml
expect 14 run ball_cut.yaml -o ball_cut --flow 1
says stderr "the ball of 'region' cuts the vessel near"
says stderr "segment.seed_mm [-6.0, -11.0, 8.0] lies in no vessel: the nearest one is kept, "

cat >far.yaml <<'Y'
mask: pipe.nii
lattice: {spacing_mm: 0.5}
openings:
  - {role: inlet, near_mm: [100, 0, 0], flow_ml_s: 2}
Y
expect 14 run far.yaml -o far
says stderr "far.yaml:4:6"
says stderr "near_mm: ["
says stderr "'centre_mm' (inside, before its end) and 'normal' (out) instead; found were"

# The flat ends of a closed surface are openings, also stage by stage; a ball's end is none, which
# is a warning.
"$PYTHON" "$here/make_stl.py" sac sac.stl 48 1 2 4
expect 0 run sac.stl -o sac --flow 0.3 --spacing 0.25 --steps 2 --device cpu
expect 0 import sac.stl -o sac2 --surface-spacing 0.125
expect 0 segment sac2 --flow 0.3 --spacing 0.25
for folder in sac sac2; do
  "$PYTHON" - $folder <<'PY' || fail "$folder: not the flat ends of the surface"
import json, sys
all = json.load(open(sys.argv[1] + "/openings.json"))["openings"]
assert len(all) == 2, all
for one in all:
    end = 0 if one["normal"][2] < 0 else 9.464
    assert abs(abs(one["normal"][2]) - 1) < 1e-6 and abs(one["centre_mm"][2] - end) < 0.3, one
    assert abs(one["radius_mm"] - 1) < 0.05, one
assert all[0]["normal"][2] != all[1]["normal"][2]
PY
done
if grep -qE "name: .?inlet" sac/case.yaml; then fail "a guessed role's name is a setting"; fi
if grep -q "the voxels of the surface" sac/summary.json; then fail "its voxels are fine enough"; fi
printf 'mask: sac.stl\nlattice: {spacing_mm: 0.2}\nsurface_spacing_mm: 0.25\nopenings:\n' >near.yaml
printf '  - {name: Zufluß, role: inlet, near_mm: [0, 0, -1], flow_ml_s: 0.3}\n' >>near.yaml
expect 0 run near.yaml -o near --steps 2 --device cpu
says stderr "  Zufluß       inlet  radius" # the columns count characters, not bytes
says stdout "  Zufluß       inlet  "
if grep -q "the voxels of the surface" near/summary.json; then fail "its wall is the surface's"; fi
[ "$(number near/openings.json openings.0.name)" = Zufluß ] || fail "near_mm does not name the end"
expect 0 import near/case.yaml -o near2 # the same mask, as an image: its wall is that of the voxels
expect 0 segment near2
says stderr "the voxels of the surface (0.25 mm) are larger than half the lattice"
printf 'mask: sac.stl\nlattice: {spacing_mm: 0.25}\nsurface_spacing_mm: 0.125\nopenings:\n' >own.yaml
printf '  - {role: inlet, centre_mm: [0, 0, 2], normal: [0, 0, -1], flow_ml_s: 0.3}\n' >>own.yaml
printf '  - {role: outlet, centre_mm: [0, 0, 8.5], normal: [0, 0, 1]}\n' >>own.yaml
flow_in own.yaml own 0.3 # planes of the case that cut the ends off
"$PYTHON" "$here/make_stl.py" blind blind.stl
expect 14 run blind.stl -o blind --surface-spacing 0.2 --flow 0.3 --spacing 0.2
says stderr "(LPS mm, radius 2.0"
says stderr "centre_mm: [X, Y, Z], normal"
no_halves
done_testing
