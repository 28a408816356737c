# The lattice that the program chooses if the case has none, and the messages about it before a run.
. "$(dirname "$0")/../check.sh"
expect 0 phantom pipe -o sample --format nifti --spacing 0.4
printf 'scan: sample/scan.nii.gz\nflow: {device: cpu, steps: 1}\n' >open.yaml

# 20 nodes across do for a slow flow.
expect 0 import open.yaml -o slow
expect 0 segment slow --flow 0.5
expect 0 solve slow
says stderr "(at least 20; the cell Reynolds number needs "
says stderr "at the inlet is 0.05 on the lattice"
says stderr "(at most 25 with lbgk)"
says stderr "steps    1, as asked"
says stderr "time     about 1 s, for "
near "$(number slow/manifest.json segment.spacing_mm)" 0.2 0.01

# A run of hours is announced before it begins. Stopped by a signal, it says nothing about results.
"$HEMOTILE" solve slow --steps 100000000000 --device cpu --within no 2>long.txt &
long=$!
while kill -0 $long 2>/dev/null && ! grep -q "^warning: this run takes about .* hours" long.txt; do
  sleep 0.1
done
kill -TERM $long
wait $long
says long.txt "warning: this run takes about "
says slow/hemotile.log "warning: this run takes about "

# Unasked it is not begun: the message has the commands for less time, and what they give up. A time
# is a lattice, the same one again; what it loses is a warning. The speed of the machine is given.
cp -r slow beats && rm beats/flow.bin
rates=("$XDG_CONFIG_HOME"/hemotile/copy_rate_*)
echo 1e10 >"${rates[0]}"
sed -i 's/ steps: 1 / steps: auto /; s/waveform: constant/waveform: carotid/; s/# cycles: 5 /cycles: 100 /; s/coarse_start: [a-z]* /coarse_start: no /' beats/case.yaml
expect 4 solve beats
says stderr "more than 2h are not begun unasked: give --within TIME"
says stderr "hemotile run beats --within 1h  # "
says stderr " nodes across the widest opening instead of 2"
says stderr "hemotile run beats --within no  # all of it: up to "
expect 4 run beats --first-look always
absent beats/flow.bin beats/first_look
expect 4 run open.yaml -o early --flow 0.5 --nodes-across 60 --steps 1000000000
says stderr "hemotile run early --within no  # all of it: up to "
absent early/mask.nii.gz # a lattice of its own takes long to make
expect 0 segment beats --within 1h
says stderr "warning: within 1h: dx+ "
says stderr "error expected of the pressure drop "
says beats/case.yaml "within_choice: [3600, "
cp beats/mask.nii.gz once.nii.gz
expect 0 segment beats
says stderr "warning: within 1h: "
cmp -s beats/mask.nii.gz once.nii.gz || fail "another lattice is taken again"
expect 0 run beats --dry-run
says stderr "(by lattice.within)"
if grep -q "^shorter " stderr; then fail "other times are offered where one was given"; fi
minutes=$(sed -n 's/^time     about \([0-9]*\) minutes, for .*/\1/p' stderr)
[ "$minutes" -gt 20 ] && [ "$minutes" -le 55 ] || fail "planned to take '$minutes' minutes, within 1h"
expect 4 segment beats --within 10s
says stderr "no lattice fits into the 10s of lattice.within on this machine"

# If MRT alone is not enough, the message says what else is needed.
expect 30 solve slow --flow 50 --collision lbgk
says stderr "; or --collision mrt (up to 50) with a spacing of "

# The 16 nodes that are needed for the wall's load, asked for, are enough: 15.8 are no fault.
expect 0 run open.yaml -o sixteen --flow 0.5 --nodes-across 16
if grep -q "wall shear stress there may be off" stderr; then fail "16 nodes are too few"; fi
says stderr "stopped after 1 step, too few to tell how far from it"

# A fast one gets more: a tenth inside the limit, which is that of MRT.
expect 0 run open.yaml -o fast --flow 4 --collision mrt
says stderr "(at most 50 with mrt)"
expect 0 segment fast --flow 6
says stderr "20 nodes across the widest opening are too few"
says stderr " MB of memory, " # before it is sampled again: what that takes
says stderr "estimate for "
spacing=$(number fast/manifest.json segment.spacing_mm)
"$PYTHON" -c "import sys; cell = 2 * 6 / (3.14159 * 4) * float(sys.argv[1]) * 1e-3 / (0.0035 / 1060)
sys.exit(not 40 < cell < 46)" "$spacing" || fail "the spacing is $spacing"

# Asked for is asked for, by either name.
expect 0 segment slow --resolution 12 --flow 0.5
twelve=$(number slow/manifest.json segment.spacing_mm)
expect 0 segment slow --nodes-across 12 --flow 0.5
[ "$(number slow/manifest.json segment.spacing_mm)" = "$twelve" ] || fail "--resolution is another"
expect 0 solve slow
says stderr "(set by nodes_across)"
expect 0 segment slow --nodes-across auto --flow 0.5
near "$(number slow/manifest.json segment.spacing_mm)" 0.2 0.01

# A place narrower than the openings gets 8 nodes, as far as twice the nodes across do.
for kind in narrow strait; do
  "$PYTHON" "$here/make_nifti.py" $kind $kind.nii
  printf 'mask: %s.nii\n' $kind >$kind.yaml
  expect 0 import $kind.yaml -o $kind
  expect 0 segment $kind --flow 0.5
  mv stderr $kind.txt
done
says narrow.txt "lattice: the vessel narrows to some 2."
says narrow.txt "so that some 8 lie there"
if grep -q "are needed across the narrow place" narrow.txt; then fail "8 are enough"; fi
near "$(number narrow/manifest.json segment.spacing_mm)" 0.285 0.03
says strait.txt "40 nodes across the widest opening instead of 20"
says strait.txt "warning: 8 nodes are needed across the narrow place"
expect 0 segment strait --flow 0.5 --nodes-across 20
if grep -q "narrow" stderr; then fail "what was asked for is not taken"; fi

# A throat too fast for every collision is a warning. A jet may not come to rest: the time says how
# long the run is then.
{ cat narrow.yaml && echo 'lattice: {spacing_mm: 0.5}'; } >jet.yaml
expect 0 run jet.yaml -o jet --flow 130 --set flow.profile=plug --device cpu --dry-run
says stderr "warning: the cell Reynolds number in the throat is 3"
says stderr "no collision is known to bear more than 2500"
says stderr " where the flow does not come to rest, for "

# Where the vessel has more nodes across than it needs, its lattice may be coarser.
{ cat narrow.yaml && echo 'lattice: {refine_jet: 0.3}'; } >levels.yaml
expect 0 run levels.yaml -o levels --flow 0.5 --nodes-across 42 --device cpu --dry-run
says stderr "% of the node updates of one spacing. The finest spacing is, in per cent of the vessel"
there levels/pictures/levels.png
"$PYTHON" - <<'PY' || fail "the record has other levels"
import json
levels = json.load(open("levels/manifest.json"))["plan"]["levels"]
assert len(levels["nodes"]) == 2 and 0.1 < levels["share_of_updates"] < 0.6, levels
assert "the throat and its jet" in levels["why"], levels
PY

# Sampled again, the vessel has another width, and the flow taken from it is told once: as it is.
"$PYTHON" "$here/make_nifti.py" stump stump.nii
printf 'mask: stump.nii\npatient: {kind: head}\nblood: {viscosity_pa_s: 0.0012}\nflow: {collision: lbgk}\n' >stump.yaml
expect 0 import stump.yaml -o stump
expect 0 segment stump
says stderr "estimate for "
[ "$(grep -c "the flow into 'inlet' was not given" stderr)" = 1 ] || fail "told twice: $(cat stderr)"

# How fine goes by the memory in all, here that of the limit, not by what is left of it: that only
# refuses.
expect 0 segment strait --flow 0.5 --nodes-across auto --max-memory 0.05
says stderr "38 nodes across the widest opening instead of 20"
says stderr "38 are taken: more does not fit into the memory"
says stderr "not enough memory: the narrow place takes 38 nodes across"
near "$(number strait/manifest.json segment.spacing_mm)" 0.2605 0.003

# A flow that blows up before the first regular look leaves a state from before that.
printf 'mask: strait.nii\nlattice: {nodes_across: 12}\n' >fast.yaml
printf 'flow: {device: cpu, collision: lbgk, inlet_flow_ml_s: 2, max_velocity_lu: 0.15}\n' >>fast.yaml
expect 31 run fast.yaml -o blown --steps 3000
says stderr "unstable after 500 steps"
says stderr "the last good state that was kept, of step 128, is in blown/diverged/flow.vti"
there blown/diverged/flow.vti
if grep -aq "nan" blown/diverged/flow.vti; then fail "the state kept is none"; fi

# Across the widest opening means so where that lies inside, beside a wide sac or where a thin branch
# alone is at the border; and the volume is that of the mask as it is cut there.
for kind in sac branch; do
  "$PYTHON" "$here/make_nifti.py" $kind $kind.nii
  printf 'mask: %s.nii\n' $kind >$kind.yaml
  expect 0 import $kind.yaml -o $kind
  expect 0 segment $kind --flow 0.5 --nodes-across 20
  "$PYTHON" - $kind stderr <<'PY' || fail "$kind: not 20 nodes across, or another volume"
import gzip, json, re, struct, sys
widest = max(2 * o["radius_mm"] for o in json.load(open(sys.argv[1] + "/openings.json"))["openings"])
report = json.load(open(sys.argv[1] + "/manifest.json"))["segment"]
across = widest / report["spacing_mm"]
data = gzip.open(sys.argv[1] + "/mask.nii.gz").read()
start = int(struct.unpack_from("<f", data, 108)[0])
volume = sum(v > 0 for v in data[start:]) * report["spacing_mm"] ** 3 / 1000
said = re.search(r"vessel: ([0-9.]+) mL.*, ([0-9.]+) nodes across the widest opening", open(sys.argv[2]).read())
print(across, volume, report["volume_ml"], said.groups())
assert abs(across - 20) <= 1 and abs(float(said[2]) - across) < 0.06
assert abs(report["volume_ml"] / volume - 1) < 1e-5 and abs(float(said[1]) / volume - 1) < 1e-3
PY
done

# Hundreds of nodes across are not begun unasked; those asked for are.
expect 30 run open.yaml -o hundreds --flow 14 --collision lbgk
says stderr "More than 96 are not begun unless prescribed"
says stderr "or --collision auto"
expect 0 segment hundreds --flow 14
says stderr "warning: this flow, 2.2"

# More than the machine has is refused, with what would do; a vessel alone is found all the same.
expect 20 run open.yaml -o none --flow 60 --collision lbgk --max-memory 0.05
says stderr "nodes across the widest opening (spacing"
says stderr "an inflow of at most 0."
expect 0 segment none --flow 60
says stderr "warning: the lattice needs"

# A slip of a unit makes blood faster than it is anywhere: said before anything is spent; what is
# asked for is computed, with a warning.
expect 3 run open.yaml -o slip --flow 400
says stderr " m/s at the inlet, in a vessel 3.97 mm wide, and it is nowhere faster than 10 m/s"
says stderr "check the inflow (mL/s: 60 mL/min are 1, 1 L/min is 16.7) and the size of the vessel"
absent slip/flow.bin
expect 0 run open.yaml -o slip --flow 80 --nodes-across 12
says stderr "warning: blood would flow with 1"
done_testing
