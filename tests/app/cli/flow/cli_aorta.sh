# An aorta by the patient's heart and blood pressure: waveform, Windkessels, what is recorded, what is refused.
. "$(dirname "$0")/../check.sh"

"$PYTHON" "$here/make_nifti.py" fork fork.nii
# A thick liquid and a short beat, so that few steps make a beat.
cat >case.yaml <<'C'
mask: fork.nii
lattice: {spacing_mm: 0.5}
extensions: {inlet_diameters: 0.5, outlet_diameters: 0.5}
blood: {viscosity_pa_s: 0.05}
flow: {device: cpu, cycles: 1, max_cycles: 1, samples: 8, max_velocity_lu: 0.15, sound_deviation: 1}
patient: {kind: aorta, cardiac_output_l_min: 0.1, heart_rate_per_min: 240, blood_pressure_mmhg: [110, 70], age_years: 8}
C
expect 32 run case.yaml -o out # one beat is not known to be periodic
says stderr "outlets: Windkessels for 110 over 70 mmHg: 240 beats a minute, 0.1 L/min"
says stderr "warning: patient: output / rate, the volume of a stroke, is not in 10 to 200 mL"
says stderr "collision lbgk: the cell Reynolds number "
says stdout "mmHg (blood pressure 110 over 70)"
says out/case.yaml "waveform: aorta"
"$PYTHON" - <<'PY' || fail "the record of the heart, the Windkessels or the throat is wrong"
import json
summary = json.load(open("out/summary.json"))
body, plan = summary["manifest"]["physiology"], summary["manifest"]["plan"]
assert json.load(open("out/manifest.json"))["physiology"] == body
assert abs(body["heart_rate_per_min"] - 240) < 1e-9 and abs(body["cardiac_output_l_min"] - 0.1) < 1e-9
assert body["asked_blood_pressure_mmhg"] == [110, 70]
# The lumped model has the cuff's pressures, and its mean is flow times resistance.
assert all(abs(a - b) < 0.02 for a, b in zip(body["lumped_blood_pressure_mmhg"], (110, 70)))
mean = 0.1 * 1000 / 60 * (body["proximal_resistance_mmhg_s_ml"] + body["distal_resistance_mmhg_s_ml"])
assert 70 + 0.25 * 40 < mean < 70 + 0.55 * 40, mean
assert abs(summary["flow"]["period_s"] - 0.25) < 1e-6
assert plan["collision"] == summary["flow"]["collision"] == "lbgk" and plan["collision_why"].startswith("auto: ")
# The flow through the throat over its area, at the peak 5.22 times the mean.
throat = plan["throat"]
area = 3.14159265 / 4 * throat["diameter_mm"] ** 2
assert abs(throat["flow_ml_s"] / area - throat["mean_velocity_m_s"]) < 1e-4 * throat["mean_velocity_m_s"]
assert abs(throat["peak_mean_velocity_m_s"] / throat["mean_velocity_m_s"] - 5.22) < 0.01
inlet = [o for o in summary["openings"] if o["role"] == "inlet"][0]
assert abs(inlet["flow_asked_ml_s"] - 0.1 * 1000 / 60) < 1e-9
assert 60 < inlet["lowest_pressure_mmhg"] < inlet["highest_pressure_mmhg"] < 140
PY

# The command line says it, too; the stress test adds beats and volume.
printf 'mask: fork.nii\nlattice: {spacing_mm: 0.5}\n' >plain.yaml
expect 0 import plain.yaml -o plain
expect 0 segment plain --cardiac-output 5 --heart-rate 70 --blood-pressure 120/80
says stderr "mm wide, which is too narrow for one"
expect 0 tile plain --cardiac-output 5 --heart-rate 70 --blood-pressure 120/80
says stderr "120 over 80 mmHg: 70 beats a minute, 5 L/min"
sed '/^patient/d' case.yaml >stress.yaml
echo 'patient: {kind: aorta, cardiac_output_l_min: 4.9, heart_rate_per_min: 70, age_years: 40, state: dobutamine}' >>stress.yaml
expect 0 import stress.yaml -o stress
expect 0 segment stress
expect 0 tile stress
says stderr "warning: no blood pressure was given"
says stderr "116 over 69 mmHg, usual at the age of 40 years"
says stderr "116 over 69 mmHg at rest, under dobutamine: 113 beats a minute, 8.61 L/min"

# A child by its age alone: every value that is not measured is said.
{ sed '/^patient/d' case.yaml && echo 'patient: {kind: aorta, age_years: 10}'; } >child.yaml
expect 0 import child.yaml -o child
expect 0 segment child
says stderr "warning: patient: taken from the age of 10 years, because it was not given: 85 beats a minute and 3.8 L/min"
expect 0 tile child
says stderr "warning: no blood pressure was given: the outlets get Windkessels for 102 over 61 mmHg, usual at the age of 10 years"
says stderr "102 over 61 mmHg: 85 beats a minute, 3.8 L/min"

# Several outlets of an aorta get Windkessels; other vessels, and a single outlet, keep their pressure.
printf 'flow: {waveform: aorta, inlet_flow_ml_s: 80}\n' | cat plain.yaml - >wave.yaml
expect 0 import wave.yaml -o wave
expect 0 segment wave
expect 0 tile wave
says stderr "warning: no blood pressure was given: the outlets get Windkessels for 120 over 80 mmHg"
sed 's/aorta/carotid/' wave.yaml >other.yaml
expect 0 import other.yaml -o other
expect 0 segment other
expect 0 tile other
if grep -q Windkessel stderr; then fail "a carotid gets Windkessels"; fi

# What contradicts itself, or is no patient.
refuse() {
  { sed '/^patient/d' case.yaml && echo "$1"; } >bad.yaml
  expect 3 import bad.yaml -o bad
  says stderr "$2"
}
refuse 'patient: {kind: aorta, blood_pressure_mmhg: [80, 120]}' "the systolic pressure comes first"
refuse 'patient: {kind: aorta, heart_rate_per_min: 7000}' "heart_rate_per_min is 7000: allowed is from 20 to 250"
refuse 'patient: {cardiac_output_l_min: 5}' "its values need \`kind: aorta\`"
refuse 'patient: {kind: aorta, cardiac_output_l_min: 5, state: dobutamine}' "needs cardiac_output_l_min and"
refuse 'patient: {kind: aorta, age_years: 0.5}' "usual values are known from 1 year on only"
sed 's/max_velocity_lu: 0.15/inlet_flow_ml_s: 3/' case.yaml >bad.yaml
expect 3 import bad.yaml -o bad
says stderr "the mean flow is given twice"
expect 2 segment plain --blood-pressure 120
says stderr "two numbers with a / between"
done_testing
