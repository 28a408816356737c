# The inflow's waveform: refusals, and the folder's table of its numbers.
. "$(dirname "$0")/../check.sh"

cat >flow.csv <<'C'
# measured in Mustermann, Annemarie
time_s,flow_ml_s
0.00,3.1
0.10,7.9
0.25,6.2
0.50,3.8
0.85,3.1
C
printf 'phantom: pipe\nphantom_spacing_mm: 0.5\nflow: {waveform: flow.csv}\n' >case.yaml
expect 0 import case.yaml -o out
says stderr "waveform: flow.csv: mean 4.721 mL"
says stderr ", highest 7.9, lowest 3.1; a beat of 0.85 s (70.59 a minute): the last row repeats the first"
printf 'time_s,flow_ml_s\n0,3.1\n0.1,7.9\n0.25,6.2\n0.5,3.8\n0.85,3.1\n' | cmp -s - out/waveform.csv ||
  fail "the folder has not the waveform's numbers, or more than these"
! grep -rl Mustermann out || fail "a comment of the waveform's file is in the results"
says out/case.yaml 'waveform: waveform.csv'
rm flow.csv
expect 0 import out/case.yaml -o again # from the folder's own copy
cmp -s out/waveform.csv again/waveform.csv || fail "the second folder has not the waveform"

# A file that says how much flows in.
printf 'harmonic,cosine_ml_s,sine_ml_s\n0,4.2,0\n1,-1,2\n' >series.csv
printf 'phantom: pipe\nphantom_spacing_mm: 0.5\nlattice: {nodes_across: 8}\n' >small.yaml
printf 'flow: {waveform: series.csv, period_s: 0.9}\n' | cat small.yaml - >case.yaml
echo 'blood: {viscosity_pa_s: 0.035} # in poise' >>case.yaml
expect 0 import case.yaml -o series
says stderr "warning: blood.viscosity_pa_s is 0.035, and blood has 0.003 to 0.006 Pa s"
expect 0 segment series
near "$(number series/openings.json openings.0.flow_ml_s)" 4.2 1e-6
expect 0 segment series --flow 2
says stderr "warning: the waveform's own mean flow, 4.2 mL/s, is not used: the case gives 2 mL/s"
printf 'flow: {waveform: series.csv, period_s: 0.9, inlet_flow_ml_s: 0.4, waveform_period_s: 1, steady_tolerance: 1e-6}\n' >case.yaml
printf 'blood: {model: casson, viscosity_pa_s: 0.004}\noutlets: {murray_exponent: 3}\n' | cat small.yaml case.yaml - >idle.yaml
expect 0 import idle.yaml -o idle
says stderr "warning: blood.viscosity_pa_s has no effect: blood.model is casson"
says stderr "warning: flow.waveform_period_s has no effect: the waveform's file is a Fourier series"
says stderr "warning: flow.steady_tolerance has no effect: the flow is pulsatile"
says stderr "warning: outlets.murray_exponent has no effect: outlets.model is auto, which is pressure"
says idle/case.yaml "  # viscosity_pa_s: 0.0035  # no effect: blood.model is casson"
expect 0 import idle/case.yaml -o idle_again # what was used has an effect
! grep -q "no effect" stderr || fail "a file that hemotile wrote lists keys without an effect"
printf 'openings:\n  - {role: inlet, near_mm: [0, 0, -11.5], flow_ml_s: 1.0}\n' | cat small.yaml case.yaml - >twice.yaml
expect 3 import twice.yaml -o twice
says stderr "the mean flow is given twice: 1 mL/s here ('flow_ml_s'), and flow.inlet_flow_ml_s 0.4"

# A velocity: times the area of the inlet. The case of the folder reads the same.
printf 'time_ms;velocity_cm_s\n0;10,0\n250;32,5\n500;20,0\n750;15,0\n1000;10,0\n' >speed.csv
printf 'flow: {waveform: speed.csv}\n' | cat small.yaml - >case.yaml
expect 0 import case.yaml -o speed
says stderr "are read with a decimal comma (0,5 is a half): mean 0.19"
expect 0 segment speed
says stderr "warning: the waveform is a velocity: its mean, 0.19"
says stderr "it has to be the mean over the section"
"$PYTHON" - <<'PY' || fail "the flow is not the velocity times the area"
import json, math
inlet = json.load(open("speed/openings.json"))["openings"][0]
flow = inlet["flow_ml_s"] / (math.pi * inlet["radius_mm"] ** 2)
assert inlet["role"] == "inlet" and abs(flow - 0.19375) < 1e-6, flow
PY
expect 0 segment speed --flow 2 # only its shape
near "$(number speed/openings.json openings.0.flow_ml_s)" 2 1e-6
expect 0 segment speed --cardiac-output 0.3 # of the heart: likewise
near "$(number speed/openings.json openings.0.flow_ml_s)" 5 1e-6
! grep -q "the waveform is a velocity" stderr || fail "a flow of the heart is told to be the velocity's"
expect 0 segment speed --flow 120 # in mL/min
says stderr "check the flow's unit (1 L/min is 16.7 mL/s"

sed 's/0.1,7.9/0.1,high/' out/waveform.csv >flow.csv
printf 'phantom: pipe\nphantom_spacing_mm: 0.5\nflow: {waveform: flow.csv}\n' >case.yaml
expect 3 import case.yaml -o third
says stderr "flow.csv:3: expected a number, not 'high'"
printf 'time_ms;flow_ml_min\n0;1,050\n250;2,100\n500;1,500\n750;1,200\n1000;1,050\n' >flow.csv
expect 3 import case.yaml -o third
says stderr "flow.csv:2: thousands or decimals?"
printf 'phantom: pipe\nflow: {waveform: cartoid}\n' >case.yaml
expect 10 import case.yaml -o third
says stderr "constant, carotid or aorta"
absent third

enough_with_sanitizers

# A pulse that is not periodic, and lets out another flow than it takes in, is marked, by `solve`,
# by `export` and in what it writes.
printf 'phantom: pipe\nlattice: {nodes_across: 9.5}\n' >case.yaml # enough for a coarse start
printf 'flow: {waveform: aorta, period_s: 0.05, samples: 4, cycles: 3, max_cycles: 3, max_velocity_lu: 0.1, sound_deviation: 1, inlet_flow_ml_s: 0.3}\n' >>case.yaml
expect 0 import case.yaml -o pulse
says stderr "warning: a beat of the inflow takes 0.05 s, which is a heart rate of 1200 per minute"
expect 0 segment pulse
expect 32 solve pulse --device cpu
says stderr "error: these are not the numbers of a periodic flow: after 4 " # one more than asked for, behind the start
says stderr "in and out differ by "
says stderr "flow.cycles"
mv stderr solved
expect 32 export pulse
says stderr "warning: the flow is not periodic yet"
says stderr "over the beat: do not use these numbers"
says stderr "warning: at its peak the flow through the inlet 'inlet' is "
says stdout "NOT PERIODIC YET"
[ "$(number pulse/summary.json steady)" = False ] || fail "it is not marked"

# What `solve` said of its start is known to `export`.
grep -o "[0-9]* steps on that, in [0-9.e-]*" solved >start
near "$(number pulse/summary.json flow.coarse_steps)" "$(cut -d' ' -f1 start)" 0
seconds=$(sed 's/.* //' start)
near "$(number pulse/summary.json speed.coarse_seconds)" "$seconds" "$("$PYTHON" -c "print(0.01 * $seconds)")"
says pulse/summary.json '"start": "the flow on a lattice of twice the spacing'

# Its openings and its centreline over the beat; their means are those of the summary.
there pulse/beat.bin pulse/centreline.csv pulse/centreline_beat.csv pulse/pictures/flow_beat.png \
  pulse/pictures/pressure_beat.png pulse/pictures/centreline.png \
  pulse/flow_phase.bin pulse/flow_phase.vti pulse/pictures/velocity_phase.png
"$PYTHON" - <<'PY' || fail "the tables of the beat are not those of the summary"
import csv, json
summary = json.load(open("pulse/summary.json"))
assert summary["flow"]["phase_time_s"] == summary["flow"]["peak_time_s"]
rows = list(csv.DictReader(open("pulse/waveforms.csv")))
assert len(rows) == 4 and abs(float(rows[1]["time_s"]) - 0.0125) < 1e-6, rows
for opening in summary["openings"]:
    flow = [float(row["flow_ml_s_" + opening["name"]]) for row in rows]
    pressure = [float(row["pressure_mmhg_" + opening["name"]]) for row in rows]
    assert abs(sum(flow) / 4 - opening["flow_ml_s"]) < 1e-4 * max(map(abs, flow)), opening["name"]
    assert abs(max(pressure) - opening["highest_pressure_mmhg"]) < 1e-4 * max(map(abs, pressure))
    if opening["role"] == "inlet": # the largest of the samples, as everywhere
        cycle = summary["wall"]["cycle"]
        assert abs(max(flow) - cycle["peak_flow_ml_s"]) < 1e-5 * max(flow), (max(flow), cycle["peak_flow_ml_s"])
line = list(csv.DictReader(open("pulse/centreline.csv")))
moments = list(csv.reader(open("pulse/centreline_beat.csv")))
assert len(moments) == len(line) + 1 and len(moments[0]) == 5, moments[0]
middle = len(line) // 2
assert abs(sum(map(float, moments[middle + 1][1:])) / 4 - float(line[middle]["pressure_mmhg"])) < 1e-4
assert "narrowing" not in summary # a pipe
PY

# The inflow that was given: the curve through the samples of the waveform, in the report, too.
"$PYTHON" - <<'PY' || fail "inflow.csv is not the curve through its samples"
import csv, json
inflow = json.load(open("pulse/summary.json"))["inflow"]
rows = list(csv.DictReader(open("pulse/inflow.csv")))
flow = [float(row["flow_ml_s"]) for row in rows]
samples = [row for row in rows if row["sample_ml_s"]]
assert len(rows) == 241 + 66 and len(samples) == 66, (len(rows), len(samples)) # the published table
assert all(row["flow_ml_s"] == row["sample_ml_s"] for row in samples)
assert abs(inflow["mean_ml_s"] - 0.3) < 1e-9 and inflow["period_s"] == 0.05 and inflow["rate_per_min"] == 1200
assert max(flow) <= inflow["highest_ml_s"] * (1 + 1e-5) and min(flow) >= inflow["lowest_ml_s"] * (1 + 1e-5)
assert max(flow) > 0.99 * inflow["highest_ml_s"]
page = open("pulse/report.html").read()
assert all(line in page for line in open("pulse/inflow.csv").read().split()[:50])
PY

# The files of each sample need a run that keeps them.
expect 3 export pulse --beat-files vtk
says stderr "hemotile solve pulse --beat-files"
expect 32 solve pulse --beat-files all --device cpu
expect 32 export pulse
if has nibabel vtkmodules.vtkIOXML; then
  "$PYTHON" "$here/check_series.py" pulse 4 || fail "the samples of the beat are not those of the flow"
  "$PYTHON" "$here/check_files.py" pulse || fail "the files of the case differ"
fi
# Measured: each sample of a section, across the vessel and oblique, as the openings have it.
expect 0 measure pulse --plane 0.5,-0.4,0 --name middle --plane 0,0,0,0,-0.7,-1 --name oblique \
  --plane 0,0,11.5 --region 0,2,0,1.5 --name spot --region branch:outlet --json measured.json
says stderr "warning: the flow is not steady, or not periodic"
says stdout "middle: plane 0.5,-0.4,0"
says stdout "over the beat: the fields at every sample"
mv pulse/series.bin series.bin
expect 0 measure pulse --plane 0.5,-0.4,0 --name middle --json stations.json # in place of the first
says stdout "over the beat: the stations of the centreline"
# Beside a measured plane: the flow at each of its times, by the stations; velocities need the samples.
expect 0 phantom pipe --phase-contrast philips --plane 50 --times 4 --format nifti -o plane
expect 0 compare pulse plane/phase_contrast -o by_stations --same-frame
says stderr "the case has no samples of its beat, so velocities are compared as means alone"
says stderr "the computed beat has 0.05 s, the measured one 0.8 s"
mv series.bin pulse/series.bin
expect 0 compare pulse plane/phase_contrast -o by_samples --same-frame
says stdout "the means over the beat and each of the scan's times"
there by_samples/measured_flow_beat.png
expect 0 compare pulse plane/phase_contrast -o delayed --same-frame --delay 0.2 # by one of the four times
"$PYTHON" - <<'PY' || fail "the measured plane at its times"
import csv, json
def numbers(folder):
    return {row["number"]: float(row["value"]) for row in csv.DictReader(open(folder + "/comparison.csv"))}
stations, samples = numbers("by_stations"), numbers("by_samples")
flow = json.load(open("plane/phantom.json"))["phase_contrast"]["flow_ml_s"]
assert stations["times.compared"] == 0 and "velocity.beat.along.slope" not in stations
assert samples["times.compared"] == 4
assert samples["velocity.beat.along.values"] == 4 * samples["velocity.mean.along.values"] == 4 * samples["voxels.compared"]
assert stations["flow.beat.values"] == samples["flow.beat.values"] == 4
assert abs(samples["flow.beat.measured_mean_ml_s"] / (sum(flow) / 4) - 1) < 0.02
rows = [row for row in csv.DictReader(open("by_samples/sections.csv")) if row["moment"] == "time"]
for row, true in zip(rows, flow):
    assert abs(float(row["measured_flow_ml_s"]) / true - 1) < 0.03
for name in ("computed_mean_ml_s", "correlation"):  # the flow of the stations is that of the samples
    assert abs(stations["flow.beat." + name] - samples["flow.beat." + name]) < 0.02
computed = [float(row["computed_flow_ml_s"]) for row in rows]
assert max(computed) > 2 * abs(sum(computed) / 4)  # an aorta's pulse, at each time another flow
rows = [row for row in csv.DictReader(open("delayed/sections.csv")) if row["moment"] == "time"]
delayed = [float(row["computed_flow_ml_s"]) for row in rows]
assert all(abs(delayed[t] - computed[t - 1]) < 1e-6 for t in range(4))
assert numbers("delayed")["times.delay_s"] == 0.2
assert samples["times.best_delay_correlation"] >= samples["flow.beat.correlation"]
PY
"$PYTHON" - <<'PY' || fail "the measurements are not those of the flow"
import csv, json, math
middle, oblique, end, spot, branch = json.load(open("measured.json"))["measurements"]
stations, = json.load(open("stations.json"))["measurements"]
rows = list(csv.DictReader(open("pulse/waveforms.csv")))
assert len(middle["rows"]) == len(end["rows"]) == 5 and middle["turn_degrees"] < 1
assert abs(oblique["turn_degrees"] - 35) < 3, oblique["turn_degrees"]
assert abs(middle["area_mm2"] / (4 * math.pi) - 1) < 0.02, middle["area_mm2"]
assert abs(oblique["area_mm2"] * math.cos(math.radians(35)) / (4 * math.pi) - 1) < 0.03
peak = max(abs(row["flow_ml_s"]) for row in middle["rows"])
for here, other, kept, last, row in zip(middle["rows"][1:], oblique["rows"][1:], stations["rows"][1:], end["rows"][1:], rows):
    assert here["time_s"] == float(row["time_s"]) == kept["time_s"]
    assert abs(here["flow_ml_s"] - other["flow_ml_s"]) < 0.03 * peak, (here, other) # it is compressed along the pipe
    assert abs(here["flow_ml_s"] - kept["flow_ml_s"]) < 0.01 * peak, (here, kept)
    assert last["flow_ml_s"] is not None and last["pressure_pa"] is not None # next to an opening
    assert abs(here["pressure_pa"] - kept["pressure_pa"]) < 0.5, (here, kept) # of 60 Pa
    assert abs(here["wss_mean_pa"] - kept["wss_mean_pa"]) < 0.02 * here["wss_mean_pa"] + 0.01
mean = sum(row["flow_ml_s"] for row in middle["rows"][1:]) / 4
assert abs(mean - middle["rows"][0]["flow_ml_s"]) < 1e-3 * peak
assert abs(spot["area_mm2"] - 7.25) < 0.3 and "osi" in branch["quantities"], spot["area_mm2"]
assert spot["quantities"]["tawss_pa"]["p5"] <= spot["quantities"]["tawss_pa"]["p50"] <= spot["quantities"]["tawss_pa"]["p99"]
table = list(csv.DictReader(open("pulse/measurements.csv")))
assert [row["name"] for row in table if row["moment"] == "mean"] == ["middle", "oblique"]
assert {row["name"] for row in table} == {"middle", "oblique", "spot"}
PY
cp pulse/mask.nii.gz kept.nii.gz
printf x >>pulse/mask.nii.gz
expect 0 measure pulse --plane 0.5,-0.4,0 --json edited.json # as before the edit
says stderr "mask.nii.gz was edited since"
near "$(number edited.json measurements.0.area_mm2)" "$(number stations.json measurements.0.area_mm2)" 0
mv kept.nii.gz pulse/mask.nii.gz
sed 's/^oblique,plane,"[^"]*"/oblique,region,sac/' pulse/measurements.csv >other.csv
expect 0 measure pulse --as other.csv # this case has no sac
says stderr "warning: 'oblique' is left out: "
expect 0 measure pulse --remove oblique
! grep -q "^oblique," pulse/measurements.csv || fail "a removed measurement is still there"
expect 10 measure pulse --remove oblique
expect 2 measure pulse --plane 40,0,0
says stderr "cuts no vessel within 5 mm of this point: its nearest wall is"
expect 2 measure pulse --plane 0,0,13
says stderr "beyond the opening 'outlet'"
expect 2 measure pulse --plane 0,0,0,1,0,0
says stderr "leaves the vessel through its opening"
expect 2 measure pulse --region 0,0,0,1
says stderr "reaches no point of the wall"
expect 10 measure pulse --region branch:other
says stderr "there are: inlet, outlet"
expect 10 measure series --plane 0,0,0
says stderr "no results to measure in (flow.bin is missing): run \`hemotile solve series\` first"
mv pulse/series pulse/before
expect 32 export pulse # again from series.bin: the same files
diff -r pulse/series pulse/before || fail "a second export writes other samples"
rm -r pulse/before
flow=$(sha256sum <pulse/series.bin | cut -d' ' -f1)
printf 'x' | dd of=pulse/series.bin bs=1 seek=5000 conv=notrunc status=none
[ "$flow" != "$(sha256sum <pulse/series.bin | cut -d' ' -f1)" ] || fail "the file was not damaged"
expect 11 export pulse
says stderr "damaged"
there pulse/pictures/beat.webp
expect 32 solve pulse --beat-files no --device cpu
there pulse/measurements_before.csv # of the flow before: for their places
absent pulse/measurements.csv pulse/series.bin pulse/series pulse/pictures/beat.webp

# With one beat periodicity is unknown, and no change is printed.
sed 's/cycles: 3, max_cycles: 3/cycles: 1, max_cycles: 0/' case.yaml >one.yaml
expect 32 run one.yaml -o one --device cpu
says stderr "after 1 beat it is not known whether the flow is periodic (at least 2 beats are needed)"
says stdout "  means of a beat of 0.05 s: NOT PERIODIC YET"
no_halves

# A steady run in the same folder takes nothing of the beat along.
there one/beat.bin one/waveforms.csv one/pictures/flow_beat.png
sed -i 's/^  waveform:.*/  waveform: constant/; s/^  period_s:.*/  period_s: auto/' one/case.yaml
expect 0 solve one --steps 20 --device cpu
for file in beat.bin wall_cycle.bin flow_phase.bin flow_phase.vti waveforms.csv inflow.csv pictures/flow_beat.png; do
  [ ! -e "one/$file" ] || fail "$file of the beat is still there"
done
done_testing
