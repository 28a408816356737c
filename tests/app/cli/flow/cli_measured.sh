# flow.measured: phase-contrast MR as the inflow, from the series to the summary.
. "$(dirname "$0")/../check.sh"

expect 0 phantom pipe -o ph --spacing 0.5 --phase-contrast siemens --plane 50 --times 8 --noise 2
says ph/measured.yaml "flow: {measured: phase_contrast}"
expect 0 info ph/measured.yaml
says stdout "Siemens, a plane of"
few="--nodes-across 8 --set flow.cycles=1 --set flow.max_cycles=0 --set extensions.inlet_diameters=0.5"
# shellcheck disable=SC2086 # options
expect 32 run ph/measured.yaml $few --no-pictures -o out
says stderr "measured flow: the sign of the velocities was open: that with which the blood flows into"
says stderr "8.0 voxels across"
says stdout "mL/s, by phase-contrast MR (Siemens, plane), 8.0 voxels across"
near "$(number out/summary.json measured_flow.mean_flow_ml_s)" 1 0.02
near "$(number out/summary.json inflow.mean_ml_s)" 1 0.02
near "$(number out/manifest.json measured_flow.openings.0.normal.2)" 1 0.01
says out/waveform.csv "time_s,flow_ml_s"
says out/case.yaml "waveform: waveform.csv"
says out/case.yaml "waveform_period_s: 0.8"
says out/case.yaml "profile: measured"
there out/inlet_profile.json
says out/summary.csv measured_flow.mean_flow_ml_s
! grep -rl phase_contrast out || fail "the path of the measured flow is in the results"
expect 32 run ph/dicom --from-manifest out/manifest.json --no-pictures -o again
says stderr "the same bits as in the record"
says stdout "by phase-contrast MR"
enough_with_sanitizers
expect 0 info out
says stdout "by phase-contrast MR"
# The folder repeats the flow without the series; another inflow is no measured one.
expect 0 segment out --force --set lattice.nodes_across=9
near "$(number out/openings.json openings.0.flow_ml_s)" 1 0.02
says out/manifest.json measured_flow
expect 0 segment out --set flow.waveform=carotid --flow 2
says out/case.yaml "profile: auto"
expect 3 segment out --set flow.profile=measured
says stderr "flow.profile is measured, and there is no flow.measured"
! grep -q '"measured_flow"' out/manifest.json || fail "a given flow is recorded as measured"
expect 0 segment out --set flow.measured=ph/phase_contrast
near "$(number out/openings.json openings.0.flow_ml_s)" 1 0.02
there out/pictures/measured_flow.png
# A stage at a time.
expect 0 import ph/measured.yaml -o two
says stderr "\`hemotile segment two --measured SERIES\`"
expect 10 segment two
says stderr "flow.measured: there is no file or folder two/measured_flow: the folder of a case keeps no path"
expect 0 segment two --measured ph/phase_contrast --nodes-across 8

expect 2 run ph/case.yaml --flow 2 --measured ph/phase_contrast -o no

# What is refused, with the key: a second flow, a scan without a frame of reference, a slice that
# misses the vessel, a folder without velocities.
expect 2 run ph/measured.yaml --flow 2 --set flow.measured=ph/phase_contrast -o no
says stderr "flow.inlet_flow_ml_s and flow.measured give the same quantity"
printf 'mask: ph/truth_mask.nii.gz\nflow: {measured: ph/phase_contrast}\n' >mask.yaml
expect 3 run mask.yaml --dry-run -o no
says stderr "flow.measured: wrong frame of reference: the scan does not tell its own"
expect 0 run mask.yaml --dry-run --no-pictures -o same --set flow.measured_frame=same --nodes-across 8
near "$(number same/openings.json openings.0.flow_ml_s)" 1 0.02
says same/case.yaml "measured_frame: auto"
printf 'velocity: ph/phase_contrast\nlandmarks: [{measured: [0, 0, 0], scan: [0, 0, 0]}]\n' >flow.yaml
expect 0 run mask.yaml --dry-run --no-pictures -o moved --set flow.measured=flow.yaml --nodes-across 8
says stderr "1 landmark shifts the measured flow into the scan's frame of reference"
near "$(number moved/openings.json openings.0.flow_ml_s)" 1 0.02
printf 'velocity: ph/phase_contrast\nlandmarks: [{measured: [0, 0, 0], scan: [0, 0, 300]}]\n' >flow.yaml
expect 3 run mask.yaml --dry-run --no-pictures -o no --set flow.measured=flow.yaml --nodes-across 8
says stderr "misses the vessel"
says stderr "mm apart; the flow into 'inlet' needs a slice straight across its vessel"
# Landmarks are not overruled: nothing is taken as the same.
printf 'velocity: ph/phase_contrast\nlandmarks: [{measured: [0, 0, 0], scan: [0, 0, 0]}]\n' >flow.yaml
expect 0 run mask.yaml --dry-run --no-pictures -o both --set flow.measured=flow.yaml --set flow.measured_frame=same --nodes-across 8
says both/manifest.json '"frame_taken_as_same": false'
{ # scan's places in RAS: half a turn
  printf 'velocity: ph/phase_contrast\nlandmarks: [{measured: [0, 0, 0], scan: [0, 0, 300]}, '
  printf '{measured: [9, 0, 0], scan: [-9, 0, 300]}, {measured: [0, 9, 0], scan: [0, -9, 300]}]\n'
} >flow.yaml
expect 3 run mask.yaml --dry-run --no-pictures -o no --set flow.measured=flow.yaml --nodes-across 8
says stderr "3 landmarks turn, by 180 degrees, and shift the measured flow"
printf 'velocity: ph/phase_contrast\nlandmarks: {measured: [0, 0, 0], scan: [0, 0, 0]}\n' >flow.yaml
expect 3 run mask.yaml --dry-run -o no --set flow.measured=flow.yaml
says stderr "landmarks needs a list of"
printf 'velocity: ph/phase_contrast\nlandmarks: [{measured: [0, 0, 0]}]\n' >flow.yaml
expect 3 run mask.yaml --dry-run -o no --set flow.measured=flow.yaml
says stderr "landmarks needs a list of {measured: [x, y, z], scan: [x, y, z]}, LPS mm"
# Time points are missing: within the beat, its end, all but one.
for of in gap begin one; do cp -r ph/phase_contrast $of; done
rm gap/slice-000[234].dcm gap/slice-001[012].dcm begin/slice-000[5678].dcm begin/slice-001[3456].dcm
rm one/slice-000[2-8].dcm one/slice-001[0-6].dcm
expect 0 run mask.yaml --dry-run --no-pictures -o same --set flow.measured=gap --set flow.measured_frame=same --nodes-across 8
says stderr "cover 72 % of the beat"
expect 3 run mask.yaml --dry-run --no-pictures -o no --set flow.measured=begin --set flow.measured_frame=same --nodes-across 8
says stderr "the time points span 300 ms, and the beat is 800 ms"
expect 0 run mask.yaml --dry-run --no-pictures -o same --set flow.measured=one --set flow.measured_frame=same --nodes-across 8
says stderr "one time point, 0 ms after the R wave, of a beat of 800 ms"
expect 12 run ph/case.yaml --dry-run -o other --set flow.measured=ph/dicom
says stderr "flow.measured: "
printf 'velocity: ph/phase_contrast\nsign: -1\n' >flow.yaml # known, and against the blood
expect 3 run ph/case.yaml --dry-run -o other --set flow.measured=flow.yaml
says stderr "flow.measured: the measured flow leaves the vessel at 'inlet'"
says stderr "by signs that the file of the measured flow gives"
done_testing
