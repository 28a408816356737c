#!/usr/bin/env bash
# A cohort to look at: eight coarctations and four aneurysms of the phantoms, and with HEMOTILE_DATA
# two real scans, on coarse lattices with a steady inflow. FOLDER gets the phantoms, cohort.csv, and
# results/cohort.html. The same command goes on where it stopped; further options go to the batch.
#   bash scripts/cohort.sh build/bin/hemotile FOLDER --jobs 1
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1") folder=$2
shift 2
mkdir -p "$folder" && cd "$folder"
columns=id,scan,kind,severity_percent,flow.inlet_flow_ml_s,lattice.nodes_across
echo "$columns,openings,others,segment.method,segment.lower,region.min_mm,region.max_mm" >table.part
row() { echo "$1,$2,$3,$4,$5,$6,${7:-,,,,,}" >>table.part; }

for severity in 40 55 70 80; do
  [ -e "c$severity/case.yaml" ] ||
    "$program" phantom coarctation --child --severity $severity --format nifti -o c$severity -q
  for flow in 10 20; do row "c$severity-$flow" "c$severity/scan.nii.gz" coarctation $severity $flow 14; done
done
[ -e aneurysm/case.yaml ] || "$program" phantom aneurysm --format nifti -o aneurysm -q
for flow in 1.0 1.5 2.0 2.5; do row "aneurysm-$flow" aneurysm/scan.nii.gz aneurysm "" $flow 14; done

# The openings of the real ones are those of the ready cases. No flow is given: each inlet gets the
# usual one of its area.
real() { # ready case, file, nodes across, lower value, region
  [ -e "${HEMOTILE_DATA:-}/$2" ] || return 0
  [ -e "$1/tiling.json" ] ||
    "$program" run "$here/../cases/$1/case.yaml" --dry-run -o "$1" --nodes-across "$3" -q
  row "$1" "$HEMOTILE_DATA/$2" scan "" "" "$3" "$1/openings.mrk.json,wall,threshold,$4,$5"
}
real tof-mra tof-mra-circle-of-willis/chris_MRA.nii.gz 17 75 '"[4.8, -51.2, -35.7]","[20.9, -17.2, 5.8]"'
real ct-avm ct-avm/CT_AVM.nii.gz 26 225 '"[-8.7, 33.6, 5.9]","[18.7, 62.5, 35.9]"'
mv table.part cohort.csv
printf 'name: cohort\nflow: {device: auto}\n' >base.yaml
"$program" batch cohort.csv --base base.yaml -o results "$@"
