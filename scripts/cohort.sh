#!/usr/bin/env bash
# Makes a sample cohort: eight coarctations and four aneurysms of the phantoms, and with HEMOTILE_DATA
# two real scans, on coarse lattices with a steady inflow. FOLDER gets the phantoms, cohort.csv, and
# results/cohort.html. The same command resumes where it stopped; further options go to the batch.
#   bash scripts/cohort.sh build/bin/hemotile FOLDER --jobs 1
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1") folder=$2
shift 2
mkdir -p "$folder" && cd "$folder"
echo "id,case,scan,kind,severity_percent,flow.inlet_flow_ml_s,lattice.nodes_across" >table.part
row() { local IFS=,; echo "$*" >>table.part; }

for severity in 40 55 70 80; do
  [ -e "c$severity/case.yaml" ] ||
    "$program" phantom coarctation --child --severity $severity --format nifti -o c$severity -q
  for flow in 10 20; do row "c$severity-$flow" "" c$severity/scan.nii.gz coarctation $severity $flow 14; done
done
[ -e aneurysm/case.yaml ] || "$program" phantom aneurysm --format nifti -o aneurysm -q
for flow in 1.0 1.5 2.0 2.5; do row "aneurysm-$flow" "" aneurysm/scan.nii.gz aneurysm "" $flow 14; done

if [ -e "${HEMOTILE_DATA:-}/ct-avm" ]; then # as the ready cases say
  row tof-mra "$here/../cases/tof-mra/case.yaml" "" scan "" "" 17
  row ct-avm "$here/../cases/ct-avm/case.yaml" "" scan "" "" 26
fi
mv table.part cohort.csv
printf 'name: cohort\nflow: {device: auto}\n' >base.yaml
"$program" batch cohort.csv --base base.yaml -o results "$@"
