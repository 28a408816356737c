#!/usr/bin/env python3
"""Checks that a vessel's openings are the same on every lattice. Random scenes with branches (hemotile phantom scene),
segmented from their points on several lattices:

    HEMOTILE=build/bin/hemotile python3 scripts/openings_by_lattice.py [FIRST LAST [NODES ...]]

FIRST to LAST are seeds; those of scenes without a branch are skipped. NODES are lattices, in nodes across the widest
opening; 60/10: only of every tenth scene. A row for each scene: the openings on the finest lattice; the largest move
of a centre, in voxels of the scan or of the lattice, whichever is larger; the largest changes of a radius, of an
outlet's share of the flow by Murray's law (in per cent of the inflow), and of the flow that is used where none is
given (here by its law at any width). "DIFFERENT" where a lattice has other openings, other names or another exit code;
exit code 1 where there is one. With numpy, nibabel and scipy: the branches of the truth wider than a fifth of the
vessel and three voxels that the mask of the last lattice leaves out and no opening stands for; "told" where a warning
has the place. The last line has the sums and the largest of each. SCAN=FILE and POINTS=FILE (or
ARGUMENTS="--from ... --to ...") give scans to compare in place of scenes."""
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

try:
    import nibabel
    import numpy
    from scipy import ndimage
except ImportError:
    nibabel = None

hemotile = os.path.abspath(os.environ.get("HEMOTILE", "build/bin/hemotile"))
first, last = ([int(text) for text in sys.argv[1:3]] + [1, 20][len(sys.argv[1:3]):])
lattices = [[int(part) for part in text.split("/")] for text in sys.argv[3:] or "12 16 20 28 40 60".split()]
os.environ.setdefault("HEMOTILE_PANEL_HEIGHT", "40")


def call(*words):
    return subprocess.run([hemotile, *words], capture_output=True, text=True)


def segment(folder, nodes, words):
    """Returns the openings by name and the lattice's spacing, or None and the error."""
    done = call("segment", folder, "--nodes-across", str(nodes), "--force", *words)
    if done.returncode:
        found = re.search(r"hemotile: error: (.*)", done.stderr)
        return None, f"code {done.returncode}: {found.group(1)[:90] if found else ''}"
    record = json.load(open(os.path.join(folder, "openings.json")))
    spacing = json.load(open(os.path.join(folder, "manifest.json")))["segment"]["spacing_mm"]
    return {one["name"]: one for one in record["openings"]}, spacing


def shares(openings):
    """Returns the outlets' shares in per cent of the inflow."""
    cubes = {name: one["radius_mm"] ** 3 for name, one in openings.items() if one["role"] == "outlet"}
    return {name: 100 * cube / sum(cubes.values()) for name, cube in cubes.items()}


def flow(openings):
    """The usual flow of a head's artery (run/openings/usual_flow.c)."""
    inlet = next(one for one in openings.values() if one["role"] == "inlet")
    area = inlet.get("even_area_mm2") or math.pi * inlet["radius_mm"] ** 2
    return 48.21 * (area / 100) ** 1.84


def moves(openings, base, mm):
    """Returns the largest moves: centre in voxels of mm; radius, share, flow in per cent."""
    most = [0.0, 0.0, 0.0, 100 * abs(flow(openings) / flow(base) - 1)]
    share, other_share = shares(openings), shares(base)
    for name, one in openings.items():
        other = base[name]
        radius = 100 * abs(one["radius_mm"] / other["radius_mm"] - 1)
        here = [math.dist(one["centre_mm"], other["centre_mm"]) / mm, radius,
                abs(share.get(name, 0) - other_share.get(name, 0))]
        most[:3] = map(max, most, here)
    return most


def told(most):
    return "moved {:.2f}, radius {:.1f} %, share {:.1f} %, flow {:.2g} %".format(*most)


def compare(folder, words, voxel_mm, nodes_across):
    """Returns a row's text, whether the lists are the same, and the largest moves. The finest lattice is the
    reference."""
    found = {nodes: segment(folder, nodes, words) for nodes in nodes_across}
    base, spacing = found[max(nodes_across)]
    if base is None:
        codes = {one[1][:8] for one in found.values() if one[0] is None}
        alike = len(codes) == 1 and all(one[0] is None for one in found.values())
        return f"{max(nodes_across)}: {spacing}", alike, [0.0] * 4
    notes, most = [], [0.0] * 4
    for nodes, (openings, spacing) in found.items():
        if openings is None:
            notes.append(f"{nodes}: {spacing}")
        elif {name: one["role"] for name, one in openings.items()} != {name: one["role"] for name, one in base.items()}:
            notes.append(f"{nodes}: {' '.join(sorted(openings))}")
        else:
            most = list(map(max, most, moves(openings, base, max(voxel_mm, spacing))))
    return f"{len(base)} openings, {told(most)}  {'; '.join(notes)}", not notes, most


def places(grid, voxels):
    """Returns the positions of voxels, LPS, mm."""
    return (nibabel.affines.apply_affine(grid.affine, voxels)) * [-1, -1, 1]


def left_out(truth, folder):
    """Returns place and radius of each branch of the truth that the mask lacks."""
    true, mask = nibabel.load(truth), nibabel.load(os.path.join(folder, "mask.nii.gz"))
    vessel, found = true.get_fdata() > 0, mask.get_fdata() > 0
    voxels = numpy.argwhere(vessel)
    to = numpy.linalg.inv(mask.affine) @ true.affine
    at = numpy.round(nibabel.affines.apply_affine(to, voxels)).astype(int)
    within = numpy.all((at >= 0) & (at < found.shape), axis=1)
    inside = numpy.zeros(vessel.shape, bool)
    inside[tuple(voxels[within][found[tuple(at[within].T)]].T)] = True
    size = numpy.array(true.header.get_zooms()[:3])
    depth = ndimage.distance_transform_edt(vessel, sampling=size)
    away = ndimage.distance_transform_edt(~inside, sampling=size)
    pieces, count = ndimage.label(vessel & ~ndimage.binary_dilation(inside), numpy.ones((3, 3, 3)))
    for number in range(1, count + 1):
        piece = numpy.argwhere(pieces == number)
        radius = numpy.percentile(depth[tuple(piece.T)], 99)
        length = len(piece) * size.prod() / (math.pi * radius**2)
        if length > 3 * radius:  # shorter: a rest of a wall
            yield places(true, piece[numpy.argmin(away[tuple(piece.T)])]), radius, max(size)


def branches_closed(truth, folder):
    """Returns the number of closed branches, and of those with a warning."""
    record = json.load(open(os.path.join(folder, "openings.json")))
    widest = max(one["radius_mm"] for one in record["openings"])

    def is_near(kind, at, reach):
        return any(math.dist(one["centre_mm"], at) < one["radius_mm"] + reach for one in record.get(kind, []))

    lost = [(at, radius, voxel) for at, radius, voxel in left_out(truth, folder)
            if radius > max(0.21 * widest, 1.5 * voxel) and not is_near("openings", at, radius + voxel)]
    return [len(lost), sum(is_near("closed", at, radius + 2 * voxel) for at, radius, voxel in lost)]


def scenes():
    for seed in range(first, last + 1):
        scan = f"scene-{seed}"
        done = call("phantom", "scene", "--seed", str(seed), "-o", scan)
        if re.search("branch|bifurcation", done.stdout + done.stderr):
            yield scan, os.path.join(scan, "scan.nii.gz"), ["--points", os.path.join(scan, "points.csv")]
        shutil.rmtree(scan, ignore_errors=True)


def given():
    words = shlex.split(os.environ.get("ARGUMENTS", ""))
    if "POINTS" in os.environ:
        words += ["--points", os.path.abspath(os.environ["POINTS"])]
    yield "the scan", os.environ["SCAN"], words


def run():
    """Returns whether all have the same openings."""
    count = same = 0
    closed = [0, 0]
    most = [0.0] * 4
    for name, scan, words in given() if "SCAN" in os.environ else scenes():
        with open("case.yaml", "w") as file:
            file.write(f"scan: {json.dumps(scan)}\npatient: {{kind: head}}\n")
        done = call("import", "case.yaml", "-o", "case", "--force")
        voxel = re.search(r"voxels of ([0-9.e+-]+)", done.stderr)
        here = [one[0] for one in lattices if count % one[-1] == 0 or len(one) == 1]
        truth = os.path.join(name, "truth_mask.nii.gz")
        text, alike, moved = compare("case", words, float(voxel.group(1)) if voxel else 0, here)
        if nibabel and os.path.exists(truth) and os.path.exists("case/openings.json"):
            lost = branches_closed(truth, "case")
            closed = list(map(sum, zip(closed, lost)))
            text += f"{lost[0]} branches closed, {lost[1]} told" if lost[0] else ""
        print(f"{name:12} {text}{'' if alike else '  DIFFERENT'}", flush=True)
        count += 1
        same += alike
        most = list(map(max, most, moved))
        shutil.rmtree("case", ignore_errors=True)
    print(f"{count} scenes, {same} with the same openings; at most {told(most)}"
          f"; {closed[0]} branches closed, {closed[1]} of them told")
    return same == count


def main():
    if "SCAN" in os.environ:
        os.environ["SCAN"] = os.path.abspath(os.environ["SCAN"])
    start = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        same = run()
        os.chdir(start)
    return not same


if __name__ == "__main__":
    sys.exit(main())
