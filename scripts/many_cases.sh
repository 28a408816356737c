#!/usr/bin/env bash
# Runs a batch of many tiny cases to see that nothing grows. Prints memory and open files of the batch,
# and temporary files, every 5 s and at the end.
#   bash scripts/many_cases.sh HEMOTILE CASES FOLDER
set -u
program=$(realpath "$1") cases=$2 folder=$3
mkdir -p "$folder" && cd "$folder" || exit 1
export OMP_NUM_THREADS=1 HEMOTILE_BROWSER=
"$program" phantom pipe -o pipe --format nifti --spacing 0.8 -q || exit 1
echo "id,scan,flow.inlet_flow_ml_s" >table.csv
for ((i = 1; i <= cases; i++)); do echo "c$i,pipe/scan.nii.gz,0.$((100 + i % 50))"; done >>table.csv
printf 'name: tiny\nlattice: {nodes_across: 6}\nflow: {device: cpu, steps: 2}\n' >base.yaml
begun=$(date +%s)
"$program" batch table.csv --base base.yaml -o out --jobs 2 -q >log 2>&1 &
batch=$!
while kill -0 $batch 2>/dev/null; do
  echo "$(($(date +%s) - begun)) $(grep -c ,done, out/batch.csv 2>/dev/null) $(awk '/VmRSS|VmHWM/{print $2}' /proc/$batch/status 2>/dev/null | tr '\n' ' ') $(ls /proc/$batch/fd 2>/dev/null | wc -l)" >>figures
  sleep 5
done
wait $batch
echo "exit code $?, $(($(date +%s) - begun)) s, $(grep -c ,done, out/batch.csv) done, $(find . -name '*.part*' | wc -l) temporary files"
echo "seconds, done, peak and present memory kB, open files:"
sed -n '2p;$p' figures
awk '{if($4>m)m=$4; if($5>f)f=$5} END{print "most: " m " kB, " f " files"}' figures
du -sh out | cut -f1
