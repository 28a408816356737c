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
done_testing
