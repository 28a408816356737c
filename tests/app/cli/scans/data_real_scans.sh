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
no_halves
done_testing
