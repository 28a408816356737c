# hemotile tile: its numbers against tiles that are counted here, its picture, what it refuses.
. "$(dirname "$0")/../check.sh"
"$PYTHON" "$here/make_nifti.py" pipe pipe.nii
"$PYTHON" "$here/make_nifti.py" empty empty.nii
cat >pipe.yaml <<'YAML'
mask: pipe.nii
lattice: {spacing_mm: 0.5}
extensions: {inlet_diameters: 0, outlet_diameters: 0}
flow: {inlet_flow_ml_s: 2}
YAML
expect 0 import pipe.yaml -o case --quiet
expect 0 segment case --quiet
expect 0 tile case
says stderr "utilisation"
there case/tiling.json case/pictures/tiles.png

# The flow domain is the mask with its ends drawn out, somewhere in a larger lattice: the 64 origins
# come in another order, with the same utilisations.
"$PYTHON" - <<'PY' || fail "tiling.json is not what counting gives"
import gzip, json, struct
t = json.load(open("case/tiling.json"))
data = gzip.open("case/mask.nii.gz").read()
nx, ny, nz = struct.unpack_from("<3h", data, 42)
start = int(struct.unpack_from("<f", data, 108)[0])
fluid = [(v % nx, v // nx % ny, v // nx // ny) for v in range(nx * ny * nz) if data[start + v]]
ends = min(f[2] for f in fluid), max(f[2] for f in fluid)
for x, y, z in list(fluid):  # the least extension: two slices at each end
    fluid += [(x, y, z + d * (1 if z == ends[1] else -1)) for d in (1, 2) if z in ends]
near = lambda a, b: abs(a - b) <= 1e-12 * max(1, abs(b))
assert t["fluid_nodes"] == len(fluid), (t["fluid_nodes"], len(fluid))
utilisation, common = [], []
for o in range(64):
    s = (o & 3, o >> 2 & 3, o >> 4)
    tiles = {tuple((p + d) // 4 for p, d in zip(f, s)) for f in fluid}
    step = lambda c, *axes: tuple(v + (a in axes) for a, v in enumerate(c))
    faces = sum(step(c, a) in tiles for c in tiles for a in range(3))
    edges = sum(
        step(c, a) in tiles and step(c, b) in tiles and step(c, a, b) in tiles
        for c in tiles for a, b in ((0, 1), (0, 2), (1, 2)))
    utilisation.append(len(fluid) / 64 / len(tiles))
    common.append((len(tiles), faces, edges))
got = sorted(t["utilisation_of_every_origin"])
assert all(near(a, b) for a, b in zip(got, sorted(utilisation))), (got, sorted(utilisation))
assert near(t["utilisation"], max(utilisation)) and near(t["utilisation_best"], max(utilisation))
assert near(t["utilisation_worst"], min(utilisation))
assert near(t["utilisation_mean"], sum(utilisation) / 64)
assert near(t["utilisation_at_origin_000"], t["utilisation_of_every_origin"][0])
g = t["gpu_storage"]
assert near(g["utilisation"], len(fluid) / 64 / g["blocks"])
assert t["full_tiles"] <= g["blocks"] <= t["tiles"] and 0 <= g["packed_nodes"] < len(fluid)
o = t["origin"]
assert near(t["utilisation_of_every_origin"][o[0] + 4 * o[1] + 16 * o[2]], t["utilisation"])
assert (t["tiles"], t["common_faces"], t["common_edges"]) in common, common
assert near(t["common_faces_per_tile"], t["common_faces"] / t["tiles"])
assert near(t["common_edges_per_tile"], t["common_edges"] / t["tiles"])
for key, u in ("overhead", t["utilisation"]), ("overhead_at_origin_000", t["utilisation_at_origin_000"]):
    assert near(t[key]["operations"], 1 / u - 1)
    for name, size in ("fp64", 8), ("fp32", 4), ("fp16", 2):
        assert near(t[key]["memory_" + name], (2 * 19 * size + 2) / (u * 19 * size) - 1), name
PY
[ "$(head -c 4 case/pictures/tiles.png | tail -c 3)" = PNG ] || fail "tiles.png is no PNG"

# The same command again, and as part of a run.
cp case/tiling.json case/pictures/tiles.png .
expect 0 tile case --quiet
cmp case/tiling.json tiling.json || fail "another tiling.json the second time"
cmp case/pictures/tiles.png tiles.png || fail "another picture the second time"
rm case/tiling.json case/pictures/tiles.png
expect 0 solve case --steps 2 --device cpu --quiet
cmp case/tiling.json tiling.json || fail "another tiling.json by solve"
there case/pictures/tiles.png

# A look does not cost the flow.
expect 2 tile case --parts 3
says stderr "case has a flow already, and \`hemotile tile\` would remove it: give --force"
expect 2 segment case
says stderr "case has a flow already, and \`hemotile segment\` would remove it: give --force"
expect 2 import case/case.yaml -o case
says stderr "case has a flow already, and \`hemotile import\` would remove it: give --force"
there case/flow.bin

# The parts of ranks; the next command that tiles removes them.
expect 0 tile case --parts 3 --force
absent case/flow.bin
says stderr "parts: 3 ranks"
"$PYTHON" - <<'PY' || fail "parts.json is not consistent"
import json
p, t = json.load(open("case/parts.json")), json.load(open("case/tiling.json"))
total = lambda key: sum(part[key] for part in p["parts"])
assert [part["rank"] for part in p["parts"]] == list(range(p["ranks"])) == [0, 1, 2]
assert total("tiles") == p["tiles"] == t["tiles"] and total("fluid_nodes") == t["fluid_nodes"]
assert total("border_tiles") == p["border_tiles"] > 0
assert total("sent_bytes") == total("received_bytes") == p["bytes_a_step"] > 0
assert abs(max(part["cost_over_mean"] for part in p["parts"]) - 1 - p["imbalance"]) < 1e-12
assert max(part["received_bytes"] for part in p["parts"]) == p["most_bytes_to_a_rank"]
PY
there case/pictures/parts.png
expect 0 tile case --quiet
absent case/parts.json case/pictures/parts.png
expect 2 tile case --parts 1
expect 2 tile case --parts 4000
says stderr "too few for 4000 parts"
expect 2 tile --study study --parts 2
says stderr "--parts belongs to a case"
expect 2 tile --study study --force
says stderr "--force belongs to a case"

# What cannot be.
expect 10 tile nowhere
says stderr "nowhere: there is no such folder"
mkdir other && touch other/notes.txt
expect 10 tile other
says stderr "not a case folder"
rm -r case/pictures && touch case/pictures
expect 21 tile case
says stderr "case/pictures"
rm case/pictures
cp -r case hollow
gzip -c empty.nii >hollow/mask.nii.gz
expect 13 tile hollow
says stderr "empty"
expect 2 tile case --mask pipe.nii
says stderr "--study"
expect 2 tile case --study --flow 3
says stderr "--flow"

# The study.
expect 0 tile --study study --mask pipe.nii
says stderr "spheres-0.5"
there study/square_channel.csv study/square_channel.png study/round_channel.csv \
  study/round_channel.png study/sparse.csv study/sparse.png study/paper.csv study/study.json
"$PYTHON" - <<'PY' || fail "the study's tables are not consistent"
import csv
read = lambda name: list(csv.DictReader(open(f"study/{name}.csv")))
for kind in "square", "round":
    rows = read(kind + "_channel")
    assert [int(r["nodes_across"]) for r in rows] == list(range(4, 129))
    for r in rows:
        least, mean, most = (float(r["utilisation_" + k]) for k in ("min", "mean", "max"))
        assert 0 < least <= mean <= most <= 1, r
        assert 1 <= int(r["distinct_of_16"]) <= 16, r
eight = read("square_channel")[4]
assert (eight["utilisation_min"], eight["utilisation_mean"], eight["utilisation_max"]) == (
    "0.444444", "0.562500", "1.000000"), eight
rows = read("sparse")
assert [r["geometry"] for r in rows] == [f"spheres-0.{i}" for i in range(1, 10)] + [
    "vessels", "vessels-small", "phantom-aneurysm", "phantom-coarctation", "pipe"]
for r in rows:
    least, origin, most = (float(r["utilisation_" + k]) for k in ("min", "origin_000", "max"))
    assert 0 < least <= origin <= most < 1, r
    assert most < float(r["gpu_storage_utilisation"]) <= 1, r
    assert (r["paper_utilisation"] == "") == (r["geometry"] == "pipe"), r
for r in rows[:9]: # other spheres than the paper's, but as many
    assert abs(float(r["porosity"]) - float(r["paper_porosity"])) < 0.004, r
    assert abs(float(r["utilisation_origin_000"]) - float(r["paper_utilisation"])) < 0.08, r
closed = [r for r in read("paper") if "side 8" in r["statement"]]
assert len(closed) == 4 and all(abs(float(r["paper"]) - float(r["here"])) < 0.005 for r in closed)
PY
expect 2 tile --study other
says stderr "holds other files"
expect 2 tile --study pipe.nii
says stderr "give --study a folder"
expect 10 tile --study fresh --mask nowhere.nii
expect 13 tile --study fresh --mask empty.nii
absent fresh
if [ "$(id -u)" != 0 ]; then # root may write everywhere
  mkdir closed && chmod 500 closed
  expect 21 tile --study closed/study
fi
expect 21 tile --study /proc/study
before=$(cksum study/*)
expect 0 tile --study study --mask pipe.nii --quiet
[ "$(cksum study/*)" = "$before" ] || fail "another study the second time"
no_halves
done_testing
