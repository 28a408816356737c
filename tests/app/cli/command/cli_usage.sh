# Mistakes on the command line: exit code 2, and the option that was probably meant.
. "$(dirname "$0")/../check.sh"
expect 2 rnu x
says stderr "did you mean 'run'?"
expect 2 xyzzy
says stderr "unknown command 'xyzzy'"
expect 2 run x --devcie cpu
says stderr "did you mean '--device'?"
expect 2 run
says stderr "needs CASE.yaml|SCAN|DIR"
expect 2 run a b
says stderr "'a' and 'b'"
"$PYTHON" "$here/make_nifti.py" pipe pipe.nii
expect 2 run pipe.nii -o out --max-cycles 5
says stderr "it is a setting of a case file: --set flow.max_cycles=VALUE; "
expect 2 run pipe.nii -o out --device gpu
says stderr "auto|cpu|cuda"
expect 2 run pipe.nii -o out --flow -3
says stderr "--flow"
says stderr "-3"
expect 2 run pipe.nii -o out --nodes-across many
says stderr "must be a number, not 'many'"
expect 2 run pipe.nii -o out --from -12.5,3,40
says stderr "--to is missing"
expect 2 run pipe.nii -o out --to 1,2,3 --to 4,5,6
says stderr "--from is missing"
expect 2 run pipe.nii -o out --from 1,2,3 --from 1,2,4 --to 1,2,5
says stderr "--from was given twice"
expect 2 run pipe.nii -o out --from 1,2,3 --to 1,2
says stderr "--to needs three numbers"
expect 2 run pipe.nii -o out --from 1,2,3 --to 1,2,5 --points points.csv
says stderr "not both"
expect 3 run pipe.nii -o out --branches 4
says stderr "give vessel.points too"
expect 2 solve out --points points.csv
says stderr "unknown option '--points'"
expect 2 run pipe.nii -o out --max-steps
says stderr "--max-steps needs a value"
expect 2 run pipe.nii -o out --max-steps 1.5
says stderr "whole number"
expect 2 run pipe.nii -o out --nodes-across 20 --spacing 0.2
says stderr "--nodes-across and --spacing: give one of them"
expect 2 run "" -o x
says stderr "an argument is empty"
expect 2 run scan.nii.gz --flow 4 -o x --flow 5
says stderr "--flow 4 and --flow 5: give one of them"
expect 2 run scan.nii.gz -o x --output=y
says stderr "-o x and -o y: give one of them"
expect 2 run scan.nii.gz -o x --points a.csv --points b.csv
says stderr "--points a.csv and --points b.csv: give one of them"
expect 2 compare one two -o x -o y
says stderr "-o x and -o y: give one of them"
expect 10 run scan.nii.gz -o x -o x --set flow.cycles=5 --set flow.samples=20 # no two values of one
says stderr "scan.nii.gz: there is no such file"
expect 2 run scan.nii.gz --nodes-across 20 -o x --resolution 24
says stderr "--nodes-across 20 and --resolution 24: give one of them"
printf "name: there\nscan: none\n" >there.yaml
expect 2 run there.yaml -o x --flow 2 --set flow.inlet_reynolds=100 # the later would count
says stderr "--flow: flow.inlet_flow_ml_s and flow.inlet_reynolds give the same quantity"
expect 2 run there.yaml -o x --set flow.cycles=3 --set flow.cycles=4
says stderr "--set flow.cycles=3 and --set flow.cycles=4: give one of them"
expect 2 run there.yaml -o x --flow 2 --set flow.inlet_flow_ml_s=3 # a short name and the key's own
says stderr "--flow 2 and --set flow.inlet_flow_ml_s=3: give one of them"
expect 2 run there.yaml -o x --set patient.blood_pressure_mmhg=120/70 --blood-pressure 120/80
says stderr "--blood-pressure 120/80 and --set patient.blood_pressure_mmhg=120/70: give one of them"
expect 2 run there.yaml -o x --dicom --set export.dicom=no
says stderr "--dicom and --set export.dicom=no: give one of them"
expect 2 run there.yaml -o x --openings a.mrk.json --set openings=b.mrk.json
says stderr "--openings a.mrk.json and --set openings=b.mrk.json: give one of them"
expect 2 run there.yaml -o x --from 1,2,3 --to 1,2,9 --set vessel.points=p.csv
says stderr "--from 1,2,3 and --set vessel.points=p.csv: give one of them"
expect 2 run there.yaml -o x --gpus 2 --set flow.device=cpu
says stderr "--gpus N and --set flow.device=cpu: give one of them"
expect 10 run there.yaml -o x --flow 2 --flow 2.0 --set flow.inlet_flow_ml_s=2.00 --set flow.cycles=3 \
  --set flow.cycles=3.0 --blood-pressure 120/80 --set "patient.blood_pressure_mmhg=[120, 80.0]" # the same twice
says stderr "there is no such file"
expect 2 solve out --spacing 1
says stderr "unknown option '--spacing'; it belongs to the mask: \`hemotile segment DIR --spacing ...\` first"
expect 2 phantom banana -o out
says stderr "aneurysm"
expect 2 phantom pipe
says stderr "-o DIR"
expect 2 phantom pipe -o out --format jpeg
says stderr "allowed is dicom, nifti"
expect 2 phantom pipe -o out --seed many
says stderr "--seed"
expect 2 phantom pipe -o out --severity 50
says stderr "takes no severity"
expect 2 phantom coarctation -o out --severity 95
says stderr "allowed is a number from 0 to 90"
expect 2 phantom scene -o out --spacing 1
says stderr "seed"
expect 2 phantom pipe -o out --spacing 20
says stderr "allowed is from 0 to 10"
expect 2 phantom pipe -o out --spacing 0.01
says stderr "spacing is 0.01 mm"
absent out
done_testing
