# The scan of an oblique pipe from end to end: flow, radius, velocity and wall shear stress against Poiseuille (a straight
# one: cli_sensitivity.sh). 12 nodes across and a slow flow keep it short: walls of so few voxels are good for 10 %
# (README.md has finer ones).
. "$(dirname "$0")/../check.sh"
expect 0 phantom pipe-oblique -o pipe --format nifti --seed 7
expect 0 run pipe/case.yaml -o out --nodes-across 12 --flow 0.5 --device cpu --quiet
"$PYTHON" - <<'PY' || fail "this is not Poiseuille flow"
import csv, json, math, sys
truth = json.load(open("pipe/phantom.json"))
got = json.load(open("out/summary.json"))
radius, flow = got["openings"][0]["radius_mm"], got["openings"][0]["flow_ml_s"]
mean = flow / (math.pi * radius**2)  # mL/s / mm2 = m/s
wanted = {
    # (value, exact, allowed relative deviation)
    "flow in, mL/s": (flow, got["openings"][0]["flow_asked_ml_s"], 1e-3),
    "radius, mm": (radius, truth["pipe_radius_mm"], 0.04),
    "flow out, mL/s": (got["openings"][1]["flow_ml_s"], flow, 1e-3),
    "highest velocity, m/s": (got["flow"]["max_velocity_m_s"], 2 * mean, 0.10),
    "mean wall shear stress, Pa": (got["wall"]["wss_mean_pa"], 4 * 0.0035 * mean / (radius * 1e-3), 0.10),
}
bad = 0
for name, (value, exact, allowed) in wanted.items():
    off = value / exact - 1
    bad += abs(off) > allowed
    print(f"{name:28} {value:8.4f}  exact {exact:8.4f}  {100 * off:+.2f} %")
for row in csv.DictReader(open("out/centreline.csv")):  # what flows in flows through each section
    through = float(row["area_mm2"]) * float(row["mean_velocity_m_s"])
    if abs(through / flow - 1) > 0.01:
        bad += 1
        print(f"at {row['position_mm']} mm {through:.4f} mL/s of {flow:.4f}")
sys.exit(bad > 0 or not got["steady"])
PY

# Beside what is usual in such a vessel: 0.04 m/s and 0.28 Pa are not beyond it.
says stdout "  beside usual values   mean velocity 0.04"
says stdout "(usual 0.03 to 0.7), mean wall shear stress 0.2"
[ "$(number out/summary.json plausibility.is_beyond)" = False ] || fail "0.5 mL/s are beyond"
near "$(number out/summary.json plausibility.diameter_mm)" 4 0.1
near "$(number out/summary.json plausibility.mean_velocity_m_s)" 0.0398 0.002
expect 0 info out
says stdout "  beside usual values   mean velocity 0.04"

# The flow that is taken where none is given: of the section across the vessel, which the border cuts
# askew, the same on every lattice; of a vessel of the head alone.
printf 'scan: pipe/scan.nii.gz\n' >scan.yaml
{ cat scan.yaml && echo 'patient: {kind: head}'; } >head.yaml
expect 0 import head.yaml -o head
for across in 8 14 24; do
  expect 0 segment head --nodes-across $across
  says stderr "was not given: taken as "
  near "$(number head/openings.json openings.0.even_area_mm2)" 12.57 0.5
  near "$(number head/openings.json openings.0.flow_ml_s)" 1.05 0.01 # of 4 mm: 1.058
done
# A dry run judges the flow that it would take, by the same width as without a flow.
expect 0 run head.yaml -o dry --nodes-across 8 --flow 0.5 --dry-run
near "$(number dry/openings.json openings.0.even_area_mm2)" "$(number head/openings.json openings.0.even_area_mm2)" 0.001
says stdout "  beside usual values   mean velocity 0.04"
says stdout "m/s (usual 0.03 to 0.7); of arteries up to 7 mm wide at rest (here 3.99 mm)"
expect 0 run head.yaml -o dry --nodes-across 8 --flow 50 --dry-run
says stdout ": BEYOND"
expect 3 run scan.yaml -o elsewhere --nodes-across 8 --dry-run
says stderr "error: the flow into 'inlet' is not known, and it is 4.0 mm wide: give it in mL/s with --flow"
says stderr "--set patient.kind=head) does, and takes 1"
done_testing
