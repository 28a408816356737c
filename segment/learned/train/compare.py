"""Compares the program's inference with PyTorch's on the middle of a scan (NIfTI).

    python3 compare.py --program build/bin/measure_learned --weights vessel.htnet scan.nii.gz --size 96 90 101
"""
import argparse
import os
import subprocess
import tempfile

import numpy as np
import torch
import torch.nn.functional as F

import apply
import network as net


@torch.no_grad()
def raw_outputs(layers, scan, device):
    """[5, z, y, x] in float32, as apply.outputs has them before the labels."""
    x = net.normalise(torch.from_numpy(scan)[None].to(device))[:, None]
    over = [pad for size in reversed(scan.shape) for pad in (0, -size % 8)]
    return net.run_folded(layers, F.pad(x, over))[0, :, :scan.shape[0], :scan.shape[1], :scan.shape[2]].cpu().numpy()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--size", type=int, nargs=3, default=(96, 96, 96), help="x, y, z")
    parser.add_argument("scan")
    parser.add_argument("option", nargs="*", help="of the program: device=cpu, threads=2")
    o = parser.parse_intermixed_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    layers = [(weight.to(device), bias.to(device)) for weight, bias in net.read_weights(o.weights)]
    scan = apply.read_scan(o.scan)[1]
    begin = [max(0, (whole - part) // 2) for whole, part in zip(scan.shape, o.size[::-1])]
    scan = np.ascontiguousarray(scan[tuple(slice(b, b + part) for b, part in zip(begin, o.size[::-1]))])
    expected = raw_outputs(layers, scan, device)
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("scan", "raw")]
        scan.tofile(files[0])
        subprocess.run([o.program, *map(str, scan.shape[::-1]), f"scan={files[0]}", f"raw={files[1]}",
                        f"weights={o.weights}", *o.option], check=True)
        got = np.fromfile(files[1], "f4").reshape(expected.shape)
    for n, name in enumerate(("background", "artery", "other vessel", "hard", "distance")):
        print(f"{name}: {expected[n].min():.2f} to {expected[n].max():.2f}, largest difference "
              f"{np.abs(got[n] - expected[n]).max():.2e}")
    print(f"largest difference {np.abs(got - expected).max():.2e} of outputs up to {np.abs(expected).max():.2f}")


if __name__ == "__main__":
    main()
