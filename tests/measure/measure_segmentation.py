#!/usr/bin/env python3
"""Measures what `hemotile segment` finds, unaided and between two points, in random scenes with a known truth
(hemotile phantom scene) and in the real scans of a folder. Needs numpy.

    HEMOTILE=build/bin/hemotile python3 tests/measure/measure_segmentation.py ROWS.json [--scenes FIRST LAST]
        [--data FOLDER] [--only NAME] [--set KEY=VALUE ...]
    python3 tests/measure/measure_segmentation.py --compare BEFORE.json AFTER.json

ROWS.json gets a row per scan; a scan that has one there is not measured again. `attempts` is the number of commands
until one ends with exit code 0 and the right vessel (Dice of 0.5 or more, where there is a truth): unaided, then the
candidate that lies most in the truth (a real scan: the first), then the two points. 0: none did. `wrong` is 1 where the
unaided command ends with exit code 0 and another vessel. `unaided` and `points` have the exit code, Dice, volume,
openings (of the truth: those of its points), and seconds of the processor and MB of that command."""
import argparse
import gzip
import json
import os
import statistics
import struct
import subprocess
import tempfile

import numpy

hemotile = os.path.abspath(os.environ.get("HEMOTILE", "build/bin/hemotile"))
os.environ.setdefault("HEMOTILE_PANEL_HEIGHT", "40")

# Scan, two points (LPS, mm; docs/segmentation.md), reference mask or None
REAL = [
    ("avf-mra/avf_float_32.nii.gz", ("12.8,26,-2.3", "9,-14,-1.5"), None),
    ("carotid-pc-mra/angiogram.nii.gz", ("120,103.5,10", "103.2,87.8,37.4"), None),
    ("ct-avm/CT_AVM.nii.gz", ("-35.5,-7,-60.1", "-35.1,-8.8,-44.1"), None),
    ("ct-no-contrast", ("16,-161,130", "16,-164,112"), None),
    ("pulmonary-cta/ct.nii.gz", ("30,-170,702", "-15,-154.5,703"), "pulmonary-cta/pulmonary_artery_mask.nii.gz"),
    ("stent-graft-ct", ("55,94,239", "50,46,71"), None),
    ("tof-mra-circle-of-willis/chris_MRA.nii.gz", ("27.9,-15.6,-37.1", "31,-46.8,-6.1"), None),
]


def read_mask(path):
    """Returns the voxels inside, [z, y, x], and the affine from (x, y, z) to mm."""
    with gzip.open(path, "rb") as file:
        data = file.read()
    size, (code,) = struct.unpack("<3h", data[42:48]), struct.unpack("<h", data[70:72])
    (start,) = struct.unpack("<f", data[108:112])
    kind = {2: "u1", 4: "<i2", 8: "<i4", 16: "<f4", 64: "<f8", 256: "i1", 512: "<u2"}[code]
    inside = numpy.frombuffer(data, kind, size[0] * size[1] * size[2], int(start)).reshape(size[::-1]) > 0
    assert struct.unpack("<h", data[254:256])[0] > 0, f"{path} has no sform"
    return inside, numpy.array(struct.unpack("<12f", data[280:328])).reshape(3, 4)


def dice_of(truth, found):
    """Dice of a mask on another grid, at the centres of the truth's voxels."""
    (true, to_mm), (mask, from_mm) = truth, found
    z, y, x = numpy.meshgrid(*[numpy.arange(n) for n in true.shape], indexing="ij")
    at = numpy.stack([x.ravel(), y.ravel(), z.ravel(), numpy.ones(x.size)])
    inverse = numpy.linalg.inv(numpy.vstack([from_mm, [0, 0, 0, 1]]))
    place = numpy.rint((inverse @ numpy.vstack([to_mm, [0, 0, 0, 1]]) @ at)[:3]).astype(int)
    size = numpy.array(mask.shape[::-1])[:, None]
    within = numpy.all((place >= 0) & (place < size), axis=0)
    inside = numpy.zeros(true.size, bool)
    i, j, k = place[:, within]
    inside[within] = mask[k, j, i]
    return 2 * int((inside & true.ravel()).sum()) / max(1, int(inside.sum()) + int(true.sum()))


def call(*words):
    """Returns the exit code, the messages, and the processor's seconds and MB."""
    with tempfile.TemporaryFile() as told:
        child = subprocess.Popen([hemotile, *words], stdout=told, stderr=told)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        told.seek(0)
        text = told.read().decode(errors="replace")
    return child.returncode, text, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def segment(truth, *words):
    code, text, seconds, mb = call("segment", "case", "--force", *words)
    row = {"code": code, "seconds": round(seconds, 1), "mb": round(mb)}
    if code:
        row["error"] = next((line[17:217] for line in text.splitlines() if line.startswith("hemotile: error:")), "")
    if os.path.exists("case/mask.nii.gz") and code in (0, 14):
        record = json.load(open("case/manifest.json"))
        row["ml"] = round(record["segment"]["volume_ml"], 3)
        row["method"] = record["segment"]["method"]
        if truth:
            row["dice"] = round(dice_of(truth, read_mask("case/mask.nii.gz")), 3)
    if code == 0:
        row["openings"] = len(json.load(open("case/openings.json"))["openings"])
    row["warnings"] = text.count("warning: ")
    return row


def is_right(row):
    return row["code"] == 0 and row.get("dice", 1) >= 0.5


def candidate_in(truth):
    """The number of the candidate whose ends and middle lie most in the truth, 1 without a truth; 0: there is none."""
    if not os.path.exists("case/candidates.json"):
        return 0
    listed = json.load(open("case/candidates.json"))["candidates"]
    if not truth:
        return 1
    inside, to_mm = truth
    inverse = numpy.linalg.inv(numpy.vstack([to_mm, [0, 0, 0, 1]]))
    best, most = 0, 0
    for number, one in enumerate(listed, 1):
        hits = 0
        for x, y, z in (one["from_mm"], one["to_mm"]):
            place = numpy.rint(inverse @ [-x, -y, z, 1])[:3].astype(int)
            if all(0 <= p < n for p, n in zip(place, inside.shape[::-1])):
                hits += bool(inside[tuple(place[::-1])])
        if hits > most:
            best, most = number, hits
    return best


def with_space(path):
    """A copy of an NRRD file whose header does not say what its axes are."""
    with open(path, "rb") as file:
        data = file.read()
    head, rest = data.split(b"\n\n", 1)
    if b"space:" in head:
        return path
    head = head.replace(b"dimension: 3", b"dimension: 3\nspace: left-posterior-superior")
    with open("scan.nrrd", "wb") as file:
        file.write(head + b"\n\n" + rest)
    return "scan.nrrd"


def measure(scan, keys, points, truth_path, openings, known=None):
    scan = with_space(scan) if scan.endswith(".nrrd") else scan
    code, text, _, _ = call("import", scan, "-o", "case", "--force")
    if code:
        return {"unaided": {"code": code, "error": text.strip().splitlines()[-1][:200]}, "attempts": 0, "wrong": 0}
    truth = read_mask(truth_path) if truth_path else None
    row = {"unaided": segment(truth, *keys)}
    attempts = 1 if is_right(row["unaided"]) else 0
    row["wrong"] = int(row["unaided"]["code"] == 0 and not attempts)
    number = 0 if attempts else candidate_in(truth)
    if number:
        row["candidate"] = segment(truth, *keys, "--vessel", str(number))
        attempts = 2 if is_right(row["candidate"]) else 0
    row["points"] = known["points"] if known and "points" in known else segment(truth, *keys, *points)
    if not attempts and is_right(row["points"]):
        attempts = 3 if number else 2
    row["attempts"] = attempts
    row["true_openings"] = openings
    return row


def scenes(first, last):
    for seed in range(first, last + 1):
        yield f"scene {seed}", lambda seed=seed: make_scene(seed)


def make_scene(seed):
    _, text, _, _ = call("phantom", "scene", "--seed", str(seed), "-o", "scene", "--format", "nifti")
    openings = sum(1 for _ in open("scene/points.csv")) - 1
    row = ("scene/scan.nii.gz", ["--points", "scene/points.csv"], "scene/truth_mask.nii.gz", openings)
    return row, text.strip().splitlines()[-1].split(": ", 1)[-1]


def real(folder):
    for scan, (start, end), mask in REAL:
        path = os.path.join(folder, scan)
        if os.path.isdir(path):
            image = next(name for name in sorted(os.listdir(path)) if name.endswith((".nii.gz", ".nrrd")))
            path = os.path.join(path, image)
        truth = os.path.join(folder, mask) if mask else None
        row = (path, [f"--from={start}", f"--to={end}"], truth, None)
        yield scan.split("/")[0], lambda row=row: (row, "")


def shown(row):
    if row.get("code", 0) == 0 and "ml" in row:
        return f"{row.get('dice', '')} {row['ml']:g} mL {row['openings']}o"
    return f"code {row.get('code')}" + (f" ({row['dice']})" if "dice" in row else "")


def table(rows):
    for name, row in rows.items():
        print(f"| {name} | {row['attempts']}{' wrong' if row['wrong'] else ''} | {shown(row['unaided'])} |"
              f" {shown(row.get('points', {}))} | {row['unaided'].get('seconds', '')} s |", flush=True)


def summary(rows):
    """The figures of the scenes."""
    own = [row for name, row in rows.items() if name.startswith("scene")]
    if not own:
        return
    unaided = [row["unaided"].get("dice", 0) if row["unaided"]["code"] == 0 else 0 for row in own]
    points = [row["points"].get("dice", 0) if row["points"]["code"] == 0 else 0 for row in own]
    done = [dice for row, dice in zip(own, unaided) if is_right(row["unaided"])]
    alone = [dice for row, dice in zip(own, unaided) if not any(word in row["text"] for word in ("kissing", "vein"))]
    print(f"{len(alone)} of them without another vessel: Dice unaided: median {statistics.median(alone or [0]):.3f},"
          f" worst {min(alone or [0]):.3f}")
    print(f"{len(own)} scenes: right unaided {len(done)}, wrong vessel {sum(row['wrong'] for row in own)};"
          f" attempts {statistics.mean(row['attempts'] or 4 for row in own):.2f};"
          f" Dice unaided: median {statistics.median(unaided):.3f}, worst {min(unaided):.3f}"
          f", median of the right ones {statistics.median(done) if done else 0:.3f};"
          f" two points: median {statistics.median(points):.3f}, worst {min(points):.3f};"
          f" unaided {statistics.mean(row['unaided'].get('seconds', 0) for row in own):.1f} s,"
          f" {max(row['unaided'].get('mb', 0) for row in own)} MB at most")


GROUPS = (("all", lambda text: True), ("CT angiography with bone", lambda text: "CTA" in text and "bone" in text),
          ("CT angiography without bone", lambda text: "CTA" in text and "bone" not in text),
          ("TOF MRA", lambda text: "TOF" in text), ("rotational angiography", lambda text: "3DRA" in text),
          ("without another vessel", lambda text: "kissing" not in text and "vein" not in text))


def figures(rows):
    """right unaided, a wrong vessel, an end with a reason; attempts; median Dice of the right ones, and of points."""
    right = [row["unaided"]["dice"] for row in rows if is_right(row["unaided"])]
    wrong = sum(row["wrong"] for row in rows)
    points = [row["points"].get("dice", 0) for row in rows]
    return (f"{len(right)}, {wrong}, {len(rows) - len(right) - wrong};"
            f" {statistics.mean(row['attempts'] or 4 for row in rows):.2f};"
            f" {statistics.median(right or [0]):.3f} ({min(right or [0]):.3f}); {statistics.median(points):.3f}")


def groups(before, after):
    both = [name for name in before if name in after and name.startswith("scene")]
    for title, belongs in GROUPS:
        names = [name for name in both if belongs(before[name]["text"])]
        if names:
            print(f"| {title} | {len(names)} | {figures([before[name] for name in names])} |"
                  f" {figures([after[name] for name in names])} |")
    if both:
        worst = max(after[name]["unaided"]["seconds"] - before[name]["unaided"]["seconds"] for name in both)
        print(f"seconds unaided: {statistics.mean(before[name]['unaided']['seconds'] for name in both):.1f},"
              f" {statistics.mean(after[name]['unaided']['seconds'] for name in both):.1f}, at most {worst:.1f} more;"
              f" MB at most: {max(before[name]['unaided']['mb'] for name in both)},"
              f" {max(after[name]['unaided']['mb'] for name in both)}")


def compare(before, after):
    """Prints the scans that differ, and the bar: nowhere worse by 0.01 Dice or one attempt."""
    worse = better = same = 0
    for name in [name for name in before if name in after]:
        old, new = before[name], after[name]
        gain = (old["attempts"] or 4) - (new["attempts"] or 4) + (old["wrong"] - new["wrong"]) / 2
        moved = [new[kind].get("dice", 0) - old[kind].get("dice", 0) if kind in old and kind in new and
                 old[kind]["code"] == new[kind]["code"] == 0 else 0 for kind in ("unaided", "points")]
        is_worse, is_better = gain < 0 or min(moved) < -0.01, gain > 0 or max(moved) > 0.01
        worse, better, same = worse + is_worse, better + (is_better and not is_worse), same + (gain == 0)
        if is_worse or is_better:
            print(f"| {name} | {old['attempts']}{'w' if old['wrong'] else ''} -> {new['attempts']}"
                  f"{'w' if new['wrong'] else ''} | {shown(old['unaided'])} -> {shown(new['unaided'])} |"
                  f" {shown(old.get('points', {}))} -> {shown(new.get('points', {}))} |"
                  f" {'WORSE' if is_worse else 'better'} |")
    print(f"{worse} worse, {better} better, of {len([name for name in before if name in after])}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="?")
    parser.add_argument("--scenes", type=int, nargs=2, metavar=("FIRST", "LAST"))
    parser.add_argument("--data")
    parser.add_argument("--only", help="scans whose name contains this")
    parser.add_argument("--set", action="append", default=[], help="KEY=VALUE for segment")
    parser.add_argument("--points-of", help="take the rows between points from this file: KEY does not change them")
    parser.add_argument("--compare", nargs=2)
    o = parser.parse_args()
    if o.compare:
        before, after = (json.load(open(path)) for path in o.compare)
        groups(before, after), compare(before, after)
        return
    rows = json.load(open(o.rows)) if os.path.exists(o.rows) else {}
    known = json.load(open(o.points_of)) if o.points_of else {}
    path, data = os.path.abspath(o.rows), os.path.abspath(o.data) if o.data else None
    keys = [word for one in o.set for word in ("--set", one)]
    wanted = list(scenes(*o.scenes)) if o.scenes else []
    wanted += list(real(data)) if data else []
    for name, make in wanted:
        if name in rows or (o.only and o.only not in name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            (scan, points, truth, openings), text = make()
            row = measure(scan, keys, points, truth, openings, known.get(name))
            row["text"] = text
            os.chdir("/")
        rows[name] = row
        json.dump(rows, open(path + ".new", "w"), indent=1)
        os.replace(path + ".new", path)
        table({name: row})
    summary(rows)


if __name__ == "__main__":
    main()
