# A stenosis: where it is, the pressure drop over it, the tables along the vessel.
. "$(dirname "$0")/../check.sh"
expect 0 phantom stenosis -o sample --format nifti --severity 75 --flow 0.3
options=(--nodes-across 12 --device cpu)
expect 0 run sample/case.yaml -o out "${options[@]}" --steps 250
says stdout "  narrowing "
says stdout "by velocities 4 v2^2 = "
cp stdout printed
"$PYTHON" - <<'PY' || fail "the narrowing or the centreline is wrong"
import csv, json, math
summary, truth = json.load(open("out/summary.json")), json.load(open("sample/phantom.json"))
narrow = summary["narrowing"]
throat, before, behind = (narrow[name] for name in ("throat", "proximal", "distal"))
# 75 % of the area is lost; at 6 nodes across the throat an area is true to a sixth.
assert abs(throat["area_mm2"] / narrow["reference_area_mm2"] - 0.25) < 0.045, narrow
assert abs(narrow["narrowing_by_area_percent"] - 75) < 4.5, narrow
assert abs((1 - narrow["narrowing_by_diameter_percent"] / 100) ** 2 - 0.25) < 0.045, narrow
assert abs(narrow["throat_diameter_mm"] / narrow["reference_diameter_before_mm"] - 0.5) < 0.05, narrow
assert abs(narrow["to_jet_mmhg"] - narrow["recovery_mmhg"] - narrow["mean_mmhg"]) < 1e-9, narrow
assert narrow["jet_angle_deg"] < 5, narrow  # the vessel is round and straight
assert before["position_mm"] < throat["position_mm"] < behind["position_mm"]
assert math.dist(throat["centre_mm"], truth["narrowing"]["throat_centre_mm"]) < 1, throat
line = list(csv.DictReader(open("out/centreline.csv")))
at = {name: min(line, key=lambda row: abs(float(row["position_mm"]) - narrow[name]["position_mm"]))
      for name in ("proximal", "throat", "distal")}
drop = float(at["proximal"]["pressure_mmhg"]) - float(at["distal"]["pressure_mmhg"])
assert abs(drop - narrow["mean_mmhg"]) < 1e-4 * abs(drop) + 1e-9
assert narrow["mean_mmhg"] > 0
# Of a steady flow they would repeat that number.
assert not any(key.startswith(("peak_to_peak", "highest", "bernoulli_mean")) for key in narrow), narrow
assert narrow["to_jet_mmhg"] >= narrow["mean_mmhg"]
between = [row for row in line if before["position_mm"] - 1e-3 <= float(row["position_mm"]) <= behind["position_mm"] + 1e-3]
fastest = max(float(row["highest_velocity_m_s"]) for row in between)
assert abs(fastest - narrow["velocity_jet_m_s"]) < 1e-4 * fastest
assert abs(narrow["bernoulli_simplified_mmhg"] - 4 * narrow["velocity_jet_m_s"] ** 2) < 1e-9
assert all(row["place"] == "vessel" for row in line)
PY
expect 0 info out # the same text from the folder
grep "narrowing\|pressure drop there" printed >from_run
grep "narrowing\|pressure drop there" stdout >from_folder
cmp from_run from_folder || fail "info prints another narrowing"
no_halves

# The throat sets the step of a steady flow: it has no beat.
expect 0 phantom stenosis -o tight --format nifti --severity 85 --flow 0.3
expect 0 run tight/case.yaml -o tight_out "${options[@]}" --dry-run
says stderr " m/s in the throat (the mean over its section) is "
! grep -q "beat" stderr || fail "a steady flow is told of a beat"
says tight_out/manifest.json '"why": "one spacing: no part of the vessel may be coarser'
done_testing
