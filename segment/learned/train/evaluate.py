"""Scores of the network on volumes of seeds that it never saw.

    python3 evaluate.py --weights vessel.htnet --generator make_volumes --volumes 200
"""
import argparse
import os
import tempfile

import numpy as np
import torch

import network as net
import volumes

LEAST = 100  # voxels: with fewer in the truth a Dice coefficient says nothing
KINDS = {"CT": 0, "time of flight": 1, "MR with agent": 2, "3DRA": 3, "any": 4, "no agent": 5, "head": 6, "neck": 7,
         "trunk": 8, "limb": 9, "lumps": 10, "stent": 16, "cut": 23, "heart": 24}  # bits of a volume's `has`


def dice(found, truth):
    return 2 * float((found & truth).sum()) / max(float(found.sum() + truth.sum()), 1)


@torch.no_grad()
def scores_of(run, device, path):
    """For each volume: Dice of artery, other vessel, hard, any vessel (nan where the truth has few); found though the
    truth has none, of all voxels; mean error of the distance near the wall, in voxels; what the volume has."""
    rows = []
    for one in volumes.read(path):
        scan, label, distance = (x.to(device) for x in volumes.tensors(one[None]))
        out = run(net.normalise(scan)[:, None]).float()
        found, distance = out[:, :net.LABELS].argmax(1), distance.float() / 32
        found[label == volumes.UNSEEN] = volumes.UNSEEN
        row = [dice(found == n, label == n) if (label == n).sum() >= LEAST else np.nan for n in (1, 2, 3)]
        is_vessel, truth = (found == 1) | (found == 2), (label == 1) | (label == 2)
        row.append(dice(is_vessel, truth) if truth.sum() >= LEAST else np.nan)
        row.append(np.nan if (label == 1).any() else float((found == 1).float().mean()))
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
    o = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    layers = [(weight.to(device), bias.to(device)) for weight, bias in net.read_weights(o.weights)]
    with tempfile.TemporaryDirectory() as folder:
        rows = scores_of(lambda x: net.run_folded(layers, x), device, held_out(o.generator, o.volumes, o.edge, folder))
    show(rows, volumes.HELD_OUT)


if __name__ == "__main__":
    main()
