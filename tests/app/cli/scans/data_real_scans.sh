# The real scans, from end to end: steady, balanced, every file there. Needs HEMOTILE_DATA; the
# scans are never part of the project.
. "$(dirname "$0")/../check.sh"
unset HEMOTILE_PANEL_HEIGHT # pictures as a person gets them
cases=$here/../../../cases
[ -d "${HEMOTILE_DATA:-}/tof-mra-circle-of-willis" ] || { echo "no HEMOTILE_DATA"; exit 77; }
# The coarsest lattices that the cell Reynolds number allows: less work than on the cases' own.
declare -A across=([tof-mra]=17 [ct-avm]=26)
for name in tof-mra ct-avm; do
  lattice=(--nodes-across "${across[$name]}")
  [ "${HEMOTILE_LONG:-0}" != 1 ] || lattice=()
  expect 0 run "$cases/$name/case.yaml" -o $name --device cpu --quiet "${lattice[@]}"
  cat stdout
  there $name/velocity.nii.gz $name/pressure.nii.gz $name/flow.vti $name/wall.vtp \
    $name/summary.json $name/pictures/mask_on_scan.png $name/pictures/projection.png \
    $name/pictures/velocity.png $name/pictures/wall.png
  [ "$(number $name/summary.json steady)" = True ] || fail "$name is not steady"
  near "$(number $name/summary.json flow.mass_imbalance_percent)" 0 0.5
done

# A circle of Willis with its measured velocities (docs/notes/vessel/carotid-pc-mra.md): the computed blood takes the
# measured ways. The unit of the velocities is not known: their size judges nothing.
cat >carotid.yaml <<YAML
scan: $HEMOTILE_DATA/carotid-pc-mra/angiogram.nii.gz
vessel: {points: [[120, 103.5, 10], [103.2, 87.8, 37.4], [130, 91, 38]]}
openings:
  - {name: carotid, role: inlet, near_mm: [120, 103.5, 10], flow_ml_s: 0.9}
  - {name: mca, role: outlet, near_mm: [103.3, 87.7, 37.5], flow_fraction: 0.61}
  - {name: aca, role: outlet, near_mm: [130, 91, 38], flow_fraction: 0.39}
outlets: {model: fractions}
flow: {steady_tolerance: 1e-5}
lattice: {nodes_across: 8}
YAML
printf 'velocity: %s/velocity.nii.gz\nmagnitude: %s/angiogram.nii.gz\nunit: cm/s\nsign: 1\n' \
  "$HEMOTILE_DATA/carotid-pc-mra" "$HEMOTILE_DATA/carotid-pc-mra" >flow.yaml
expect 0 run carotid.yaml -o carotid --device cpu --quiet --no-pictures
expect 3 compare carotid flow.yaml -o judged
says stderr "wrong frame of reference"
expect 0 compare carotid flow.yaml -o judged --same-frame
cat stdout
"$PYTHON" - <<'PY' || fail "the measured flow of the carotid"
import csv
got = {row["number"]: float(row["value"]) for row in csv.DictReader(open("judged/comparison.csv"))}
for part in "xyz":
    assert got["velocity.mean." + part + ".correlation"] > 0.75
assert got["flow.mean.measured_mean_ml_s"] > 0.5
assert 10 < got["conservation.piece_1.measured_spread_percent"] < 35
assert got["conservation.piece_1.computed_spread_percent"] < 2
PY
no_halves
done_testing
