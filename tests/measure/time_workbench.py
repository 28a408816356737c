#!/usr/bin/env python3
"""Prints how long the workbench's server takes on a scan of 512 x 512 x 400 voxels: from the second click until the
vessel is there (first as it is found, then with its ends), and from each step of a correction until the new wall is there.

    time_workbench.py PROGRAM [SIDE]

The scan is that of `hemotile phantom coarctation` in a chest of noise. SIDE: the lattice is chosen so that the window
of the mask has about SIDE^3 voxels [256]. Needs numpy. Two cores: taskset -c 0,1. The drawing of the browser is not
in these times."""
import gzip, json, os, shutil, struct, subprocess, sys, tempfile, time
from pathlib import Path
import numpy

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "tests/app/cli/workbench"))
from workbench_client import Workbench

program = os.path.abspath(sys.argv[1])
side = int(sys.argv[2]) if len(sys.argv) > 2 else 256
repeats = 3
folder = tempfile.mkdtemp(prefix="hemotile-time-")
os.chdir(folder)


def run(*words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)


def widen(source, target, size):
    """Writes the scan of a NIfTI file with more tissue around it, at the same place in space."""
    data = gzip.open(source, "rb").read()
    dim = struct.unpack("<8h", data[40:56])[1:4]
    start = int(struct.unpack("<f", data[108:112])[0])
    values = numpy.frombuffer(data, "<i2", offset=start).reshape(dim, order="F")
    before = [(n - d) // 2 for n, d in zip(size, dim)]
    tissue = values[:6, :6].ravel()
    wide = numpy.random.default_rng(1).normal(tissue.mean(), tissue.std(), size).astype("<i2")
    wide[tuple(slice(b, b + d) for b, d in zip(before, dim))] = values
    header = bytearray(data[:start])
    struct.pack_into("<3h", header, 42, *size)
    for row in range(3):
        at = 280 + 16 * row
        *rows, origin = struct.unpack("<4f", header[at:at + 16])
        struct.pack_into("<f", header, at + 12, origin - sum(r * b for r, b in zip(rows, before)))
    struct.pack_into("<h", header, 252, 0)  # the rows above are the only placement
    with open(target, "wb") as file:
        file.write(header)
        file.write(wide.tobytes(order="F"))


def read(data):
    length = struct.unpack("<I", data[:4])[0]
    return json.loads(data[4:4 + length])


def opening(name):
    return numpy.array([o["centre_mm"] for o in truth if o["name"] == name][0])


run("phantom", "coarctation", "-o", "sample", "--format", "nifti", "--spacing", 0.7, "-q")
truth = json.load(open("sample/phantom.json"))["openings"]
widen("sample/scan.nii.gz", "scan.nii", (512, 512, 400))
cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
print(f"{len(os.sched_getaffinity(0))} cores of {cpu}, load {os.getloadavg()[0]:.1f}")

bench = Workbench(program, "scan.nii", "-o", "case")
assert bench.wait()["exit_code"] == 0  # the import
ends = [(opening(name) + (0, 0, 8)).tolist() for name in ("inlet", "descending-aorta")]
for repeat in range(repeats):
    since = time.monotonic()
    code, said = bench.start("segment", {"from": ends[0], "to": [ends[1]], "force": True})
    assert code == 200, said
    while not any(f["name"] == "vessel_found.stl" for f in bench.state()["files"]):
        time.sleep(0.01)
        assert bench.state()["job"]["running"], "it was not shown before its end"
    size = len(bench.read("vessel_found.stl")[1])
    print(f"second click to the vessel as it is found ({size / 1e6:.1f} MB): {time.monotonic() - since:.2f} s")
    job = bench.wait()
    assert job["exit_code"] == 0, job
    size = len(bench.read("vessel.stl")[1])
    print(f"second click to the vessel with its ends ({size / 1e6:.1f} MB): {time.monotonic() - since:.2f} s")

window = read(bench.ask("GET", "/api/edit")[2])["window"]
across = 2 * json.load(open("case/openings.json"))["openings"][0]["radius_mm"] / json.load(open("case/manifest.json"))[
    "segment"]["spacing_mm"]
finer = round(across * side / (window["nx"] * window["ny"] * window["nz"]) ** (1 / 3))
code, said = bench.start("segment", {"from": ends[0], "to": [ends[1]], "nodes_across": finer})
assert code == 200, said
job = bench.wait()
assert job["exit_code"] == 0, job
since = time.monotonic()
state = read(bench.ask("GET", "/api/edit")[2])
window = state["window"]
print(f"the mask of {window['nx']} x {window['ny']} x {window['nz']} voxels of {state['voxel_mm']:.3f} mm is opened: "
      f"{time.monotonic() - since:.2f} s")
wall, middle, mm = ends[0] + numpy.array((12, 0, 20)), ends[0] + numpy.array((0, 0, 20)), state["voxel_mm"]
steps = {"paint a ball of 3 mm": {"step": "paint", "places_mm": [wall.tolist()], "radius_mm": 3},
         "paint a stroke of 40 balls": {"step": "paint", "radius_mm": 3,
                                        "places_mm": [(wall + (0, 0, 0.3 * i)).tolist() for i in range(40)]},
         "erase a ball of 3 mm": {"step": "erase", "places_mm": [wall.tolist()], "radius_mm": 3},
         "hollow": {"step": "erase", "places_mm": [middle.tolist()], "radius_mm": 3},
         "fill cavities": {"step": "fill"},
         "smooth by a voxel": {"step": "smooth", "radius_mm": mm},
         "smooth by two voxels": {"step": "smooth", "radius_mm": 2 * mm},
         "grow by a voxel": {"step": "grow", "radius_mm": mm},
         "shrink by a voxel": {"step": "shrink", "radius_mm": mm},
         "close gaps of two voxels": {"step": "close", "radius_mm": 2 * mm}}
for words, step in steps.items():
    for what, change in ((words, {"step": step}), (words + ", undone", {"position": None})):
        if "position" in change:
            if "hollow" in words:
                continue  # filled by the next step
            change = {"position": state["position"] - 1}
        since = time.monotonic()
        code, _, data = bench.ask("POST", "/api/edit/do", {"revision": state["revision"], **change})
        took = time.monotonic() - since
        assert code == 200, (what, data[:300])
        state = read(data)
        print(f"{what}: {took:.3f} s ({len(data) / 1e6:.1f} MB, {state['triangles']} triangles)")
assert bench.end() == 0
shutil.rmtree(folder)
