"""Scores of the network on volumes of seeds that it never saw.

    python3 evaluate.py --weights vessel.htnet --generator make_volumes --volumes 200

With --program measure_learned the inference of the program itself runs, which is fast on a CPU, and takes each volume
for a whole scan; else each has the brightness of the scan that it is cut from.
"""
import argparse
import os
import subprocess
import tempfile

import numpy as np
import torch

import network as net
import picture
import volumes

LEAST = 100  # voxels: with fewer in the truth a Dice coefficient says nothing
KINDS = {"CT": 0, "time of flight": 1, "MR with agent": 2, "3DRA": 3, "any": 4, "no agent": 5, "head": 6, "neck": 7,
         "trunk": 8, "limb": 9, "lumps": 10, "stent": 16, "cut": 23, "heart": 24}  # bits of a volume's `has`


def dice(found, truth):
    return 2 * float((found & truth).sum()) / max(float(found.sum() + truth.sum()), 1)


@torch.no_grad()
def scores_of(run, device, path, is_cut=True):
    """For each volume: Dice of artery, other vessel, hard, any vessel (nan where the truth has few); found though the
    truth has none, of all voxels; mean error of the distance near the wall, in voxels; what the volume has."""
    rows = []
    for one in volumes.read(path):
        scan, label, distance, whole = (x.to(device) for x in volumes.tensors(one[None]))
        x = net.between(scan, whole[:, 0], whole[:, 1]) if is_cut else net.normalise(scan)
        out = run(x[:, None]).float()
        found, distance = out[:, :net.LABELS].argmax(1), distance.float() / 32
        found[label == volumes.UNSEEN] = volumes.UNSEEN
        is_vessel, either = (found == 1) | (found == 2), label == volumes.EITHER
        truth = (label == 1) | (label == 2) | either
        row = [dice((found == n) & ~either, label == n) if (label == n).sum() >= LEAST else np.nan for n in (1, 2, 3)]
        row.append(dice(is_vessel, truth) if truth.sum() >= LEAST else np.nan)
        row.append(np.nan if truth.any() else float((found == 1).float().mean()))
        near = (distance.abs() < 2) & (label != volumes.UNSEEN)
        error = (out[:, net.LABELS] * net.DISTANCE - distance).abs()[near]
        row += [float(error.mean()) if near.any() else np.nan, float(one["has"])]
        rows.append(row)
    return np.array(rows)


def show(rows, first_seed):
    for n, name in enumerate(("artery", "other vessel", "hard", "any vessel")):
        kept = rows[~np.isnan(rows[:, n]), n]
        if len(kept):
            worst = int(np.nanargmin(rows[:, n]))
            print(f"Dice {name}: median {np.median(kept):.4f}, tenth {np.quantile(kept, 0.1):.4f}, worst "
                  f"{kept.min():.4f} (seed {first_seed + worst}), of {len(kept)} volumes")
    if not np.isnan(rows[:, 4]).all():
        print(f"artery found where there is none: {100 * np.nanmean(rows[:, 4]):.3f} % of the voxels")
    print(f"error of the distance within 2 voxels of a wall: {np.nanmean(rows[:, 5]):.3f} voxels")
    for kind, bit in KINDS.items():
        some = rows[(rows[:, 6].astype(int) >> bit & 1) > 0, :4]
        if not len(some):
            continue
        medians = ["-" if np.isnan(one).all() else f"{np.nanmedian(one):.2f}" for one in some.T]
        print(f"  {kind}, {len(some)} volumes: artery {medians[0]}, other vessel {medians[1]}, hard {medians[2]}, any "
              f"vessel {medians[3]}", flush=True)


def worst_drawn(run, device, path, rows, file):
    """Draws the ten volumes whose vessels were found worst."""
    drawn, scores = [], np.where(np.isnan(rows[:, 3]), 2, rows[:, 3])
    for n in np.argsort(scores)[:10]:
        one = volumes.read(path)[n]
        x = net.normalise(torch.from_numpy(np.array(one["scan"])[None]).to(device))
        found = run(x[:, None])[0, :net.LABELS].argmax(0).cpu().numpy().astype("u1")
        drawn.append(picture.compared(x[0].cpu().numpy(), one["label"], found))
        kinds = ", ".join(kind for kind, bit in KINDS.items() if one["has"] >> bit & 1)
        print(f"  seed {one['seed']}: any vessel {scores[n]:.2f}; {kinds}; voxels of {one['spacing_mm']} mm")
    picture.write(file, np.concatenate(drawn))


def run_by(program, weights, folder):
    """The network, run by the program measure_learned."""
    def run(x):
        scan, raw = (os.path.join(folder, name) for name in ("scan", "raw"))
        x.numpy().tofile(scan)
        subprocess.run([program, *map(str, x.shape[:1:-1]), "device=cpu", f"weights={weights}", f"scan={scan}",
                        f"raw={raw}"], check=True, stdout=subprocess.DEVNULL)
        return torch.from_numpy(np.fromfile(raw, "<f4").reshape(1, net.LABELS + 1, *x.shape[2:]))
    return run


def held_out(generator, count, edge, folder):
    path = os.path.join(folder, f"held-out-{count}-{edge}.bin")
    if not os.path.exists(path):
        volumes.make(generator, path, volumes.HELD_OUT, count, edge)
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", required=True)
    parser.add_argument("--generator", required=True)
    parser.add_argument("--volumes", type=int, default=200)
    parser.add_argument("--edge", type=int, default=96)
    parser.add_argument("--program", help="measure_learned; else PyTorch")
    parser.add_argument("--worst", help="draw the worst ten into this PNG")
    o = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() and not o.program else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    layers = [(weight.to(device), bias.to(device)) for weight, bias in net.read_weights(o.weights)]
    with tempfile.TemporaryDirectory() as folder:
        run = run_by(o.program, o.weights, folder) if o.program else lambda x: net.run_folded(layers, x)
        path = held_out(o.generator, o.volumes, o.edge, folder)
        rows = scores_of(run, device, path, not o.program)
        show(rows, volumes.HELD_OUT)
        if o.worst:
            worst_drawn(run, device, path, rows, o.worst)


if __name__ == "__main__":
    main()
