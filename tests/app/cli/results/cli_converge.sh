# hemotile converge: a small pipe on three lattices; its tables, its plot, its refusals.
. "$(dirname "$0")/../check.sh"
expect 0 phantom pipe -o sample --format nifti --spacing 0.4
options=(--nodes-across 8 --ratio 1.25 --device cpu --flow 0.6)
expect 0 converge sample/case.yaml -o study "${options[@]}" --steps 60 --quiet
says stdout "nodes across the widest opening"
says stdout "wall shear stress, mean"
says stdout "pressure drop to outlet"
says stdout "NOT STEADY on the fine lattice"
there study/convergence.csv study/convergence.png study/lattices.csv
there study/{coarse,middle,fine}/summary.json

# The tables agree with the runs' summaries, and with what follows from them.
"$PYTHON" - <<'PY' || fail "the tables are not those of the three runs"
import csv, json, math
names = ("fine", "middle", "coarse")
runs = [json.load(open(f"study/{n}/summary.json")) for n in names]
h = [r["flow"]["spacing_mm"] for r in runs]
assert abs(h[1] / h[0] - 1.25) < 2e-3 and abs(h[2] / h[1] - 1.25) < 2e-3, h
lattices = {row["lattice"]: row for row in csv.DictReader(open("study/lattices.csv"))}
for name, run in zip(names, runs):
    assert int(lattices[name]["fluid_nodes"]) == run["flow"]["fluid_nodes"]
    assert int(lattices[name]["steps"]) == 60 and lattices[name]["steady"] == "false"
table = {row["figure"]: row for row in csv.DictReader(open("study/convergence.csv"))}
# All lattices have the same planes, which the pressures are those of.
def plane(lattice, role):
    openings = json.load(open(f"study/{lattice}/openings.json"))["openings"]
    o = next(o for o in openings if o["role"] == role)
    at = sum(a * n for a, n in zip(o["centre_mm"], o["normal"]))
    return at + o.get("measured_off_mm", 0)
# Nor does the vessel at an opening depend on the lattice: a usual flow and the outlets' shares follow from it.
for key in ("radius_mm", "area_mm2", "direction"):
    one, *others = ([o[key] for o in json.load(open(f"study/{n}/openings.json"))["openings"]] for n in names)
    assert all(other == one for other in others), (key, one, others)
for role in ("inlet", "outlet"):
    places = [plane(n, role) for n in names]
    assert max(places) - min(places) < 1e-4, (role, places)
    assert abs(places[0] - 11.9) < 0.11, places  # half a voxel of the reference lattice
def drop(r):
    p = {o["role"]: o["pressure_pa"] for o in r["openings"]}
    return p["inlet"] - p["outlet"]
expected = {
    "highest velocity": lambda r: r["flow"]["max_velocity_m_s"],
    "wall shear stress, mean": lambda r: r["wall"]["wss_mean_pa"],
    "wall shear stress, 99 %": lambda r: r["wall"]["wss_p99_pa"],
    "pressure drop to outlet": drop,
}
volume = table.pop("the vessel's volume, inner part")
for lattice in names:
    inner = float(volume[lattice]) / (math.pi * 4 * (2 * 11.85 - 4) / 1e3)
    assert abs(inner - 1) < 0.025, (lattice, inner)  # the wall's place, not the nodes' number
assert set(table) == set(expected), set(table)
for name, of in expected.items():
    row, value = table[name], [of(r) for r in runs]
    for lattice, v in zip(names, value):
        assert abs(float(row[lattice]) / v - 1) < 1e-6, (name, lattice)
    fine, coarse = value[1] - value[0], value[2] - value[1]
    spread = (max(value) - min(value)) / abs(value[0])
    assert abs(float(row["spread_percent"]) - 100 * spread) < 1e-3
    least = math.log(h[2] / h[1]) / math.log(h[1] / h[0])
    kind = ("settled" if spread <= 1e-4 else "converges" if coarse / fine > least
            else "settled" if spread <= 5e-3 else "oscillates" if fine * coarse < 0
            else "diverges")
    assert row["behaviour"] == kind, (name, row["behaviour"], kind)
    assert (row["estimate"] == "") == (kind != "converges"), name
PY

# The walls never come from another surface, or from the voxels, without a word.
cp -r study/coarse walls
head -c 2084 study/coarse/vessel.stl >walls/vessel.stl
expect 3 solve walls --steps 5 --device cpu --quiet
says stderr "vessel.stl was changed since the segmentation"
rm walls/vessel.stl
expect 10 solve walls --steps 5 --device cpu --quiet
says stderr "vessel.stl is missing"

# Refused before anything is computed.
expect 2 converge sample/case.yaml
says stderr "-o DIR"
for bad in 1 0.5 4 x nan; do
  expect 2 converge sample/case.yaml -o none --ratio "$bad"
  says stderr "allowed is a number from 1.1 to 3"
done
expect 10 converge nowhere.yaml -o none
absent none
mkdir other && touch other/file
expect 2 converge sample/case.yaml -o other
says stderr "no convergence study"
cp -r study/fine touched
gzip -dc study/fine/mask.nii.gz | sed '$s/$/ /' >edited && gzip -c edited >touched/mask.nii.gz
expect 2 converge touched -o none
says stderr "edited by hand"
absent none

# Again into the same folder, by the folder of a case.
expect 0 converge study/middle -o study "${options[@]}" --steps 5 --quiet

# With every outlet's share; the steps end before the flow is steady.
"$PYTHON" "$here/make_nifti.py" fork fork.nii
cat >two.yaml <<'YAML'
mask: fork.nii
lattice: {nodes_across: 10}
flow: {max_steps: 5, device: cpu, inlet_flow_ml_s: 0.6}
YAML
expect 32 converge two.yaml -o fork --ratio 1.2 --quiet
says stderr "hemotile: error: 3 of 3 lattices have no result; the fine lattice: after 5 steps"
says stderr "hemotile: the tables in fork are written, but they compare flows that are not steady: give more --max-steps, or"
grep -c '^flow to' fork/convergence.csv >shares
[ "$(cat shares)" = 2 ] || fail "not the flow to each of two outlets"

# If one lattice cannot be run, the message names it.
expect 30 converge sample/case.yaml -o fast --nodes-across 8 --ratio 1.4 --steps 60 --flow 0.9
says stderr "the coarse lattice: "
says stderr "smaller --ratio"
there fast/lattices.csv
absent fast/convergence.csv
no_halves
done_testing
