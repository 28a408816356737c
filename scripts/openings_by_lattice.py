#!/usr/bin/env python3
"""Are a vessel's openings the same on every lattice? Random scenes (hemotile phantom scene), segmented from their
points on several lattices:

    HEMOTILE=build/bin/hemotile python3 scripts/openings_by_lattice.py [FIRST LAST [NODES ...]]

A row for each scene: the openings on the finest lattice; how far a centre moves at most, in voxels of the scan or of
the lattice, whichever is larger; how far a radius changes; what a lattice is too coarse for, and says so. "DIFFERENT"
where a lattice has other openings or other names. Exit code 1 where there is one. The scans that are given with SCAN=FILE and
POINTS=FILE (or ARGUMENTS="--from ... --to ...") are compared in place of scenes."""
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

hemotile = os.path.abspath(os.environ.get("HEMOTILE", "build/bin/hemotile"))
numbers = [int(text) for text in sys.argv[1:]]
first, last = (numbers + [1, 20][len(numbers):])[:2]
lattices = numbers[2:] or [12, 16, 20, 28, 40, 60]
os.environ.setdefault("HEMOTILE_PANEL_HEIGHT", "40")


def call(*words):
    return subprocess.run([hemotile, *words], capture_output=True, text=True)


def segment(folder, nodes, words):
    """The openings by name, the lattice's spacing, what was closed; or the error."""
    done = call("segment", folder, "--nodes-across", str(nodes), "--flow", "3", "--force", *words)
    if done.returncode:
        found = re.search(r"hemotile: error: (.*)", done.stderr)
        return None, None, f"code {done.returncode}: {found.group(1)[:90] if found else ''}"
    record = json.load(open(os.path.join(folder, "openings.json")))
    spacing = json.load(open(os.path.join(folder, "manifest.json")))["segment"]["spacing_mm"]
    closed = re.findall(r"nodes on this lattice of .*: closed as wall", done.stderr)
    return {one["name"]: one for one in record["openings"]}, spacing, len(closed)


def compare(folder, words, voxel_mm):
    """A row's text, and whether the lists are the same. Those of the finest lattice are the measure."""
    found = {nodes: segment(folder, nodes, words) for nodes in lattices}
    failed = [f"{nodes}: {one[2]}" for nodes, one in found.items() if one[0] is None]
    finest = max(lattices)
    base = found[finest][0]
    if base is None:
        return "; ".join(failed), len(failed) == len(lattices)
    moved = changed = 0.0
    notes, same = failed, not failed
    for nodes, (openings, spacing, closed) in found.items():
        if openings is None:
            continue
        missing = base.keys() - openings.keys()
        same &= openings.keys() <= base.keys() and len(missing) == closed
        if openings.keys() != base.keys():
            notes.append(f"{nodes}: {' '.join(sorted(openings))}, {closed} told to be closed")
        for name in openings.keys() & base.keys():
            one, other = openings[name], base[name]
            moved = max(moved, math.dist(one["centre_mm"], other["centre_mm"]) / max(voxel_mm, spacing))
            changed = max(changed, abs(one["radius_mm"] / other["radius_mm"] - 1))
    text = f"{len(base)} openings, moved {moved:.2f}, radius {100 * changed:.0f} %  {'; '.join(notes)}"
    return text, same


def scenes():
    for seed in range(first, last + 1):
        scan = f"scene-{seed}"
        call("phantom", "scene", "--seed", str(seed), "-o", scan)
        yield scan, os.path.join(scan, "scan.nii.gz"), ["--points", os.path.join(scan, "points.csv")]


def given():
    words = shlex.split(os.environ.get("ARGUMENTS", ""))
    if "POINTS" in os.environ:
        words += ["--points", os.path.abspath(os.environ["POINTS"])]
    yield "the scan", os.environ["SCAN"], words


def main():
    different = 0
    start = os.getcwd()
    if "SCAN" in os.environ:
        os.environ["SCAN"] = os.path.abspath(os.environ["SCAN"])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, scan, words in given() if "SCAN" in os.environ else scenes():
            done = call("import", scan, "-o", "case", "--force")
            voxel = re.search(r"voxels of ([0-9.e+-]+)", done.stderr)
            text, same = compare("case", words, float(voxel.group(1)) if voxel else 0)
            print(f"{name:12} {text}{'' if same else '  DIFFERENT'}", flush=True)
            different += not same
            shutil.rmtree("case", ignore_errors=True)
        os.chdir(start)
    print(f"{different} with other openings on another lattice")
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
