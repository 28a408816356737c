"""Runs the network on a scan (NIfTI), to look at: writes the labels, and with --distance the distance in voxels.

    python3 apply.py --weights vessel.htnet scan.nii.gz labels.nii.gz
"""
import argparse
import gzip
import struct

import numpy as np
import torch
import torch.nn.functional as F

import network as net

TYPES = {2: "u1", 4: "<i2", 8: "<i4", 16: "<f4", 64: "<f8", 256: "i1", 512: "<u2", 768: "<u4"}


def read_scan(path):
    """The header up to the voxels, and the values [z, y, x] as float32."""
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as file:
        data = file.read()
    (rank, *size), (code,) = struct.unpack("<8h", data[40:56]), struct.unpack("<h", data[70:72])
    start, slope, offset = struct.unpack("<3f", data[108:120])
    assert rank in (3, 4) and code in TYPES, f"{path}: no scan that this reads"
    voxels = np.frombuffer(data, TYPES[code], size[0] * size[1] * size[2], int(start)).reshape(size[2::-1])
    return data[:int(start)], voxels.astype("f4") * (slope or 1) + (offset if slope else 0)


def write_image(path, head, values):
    head = bytearray(head)
    code = {"uint8": (2, 8), "float32": (16, 32)}[values.dtype.name]
    head[40:56] = struct.pack("<8h", 3, *values.shape[::-1], 1, 1, 1, 1)
    head[70:74], head[112:120] = struct.pack("<2h", *code), struct.pack("<2f", 1, 0)
    with gzip.open(path, "wb", 6) as file:
        file.write(bytes(head) + values.tobytes())


@torch.no_grad()
def outputs(layers, scan, device):
    """Labels and distance of a whole scan [z, y, x] at once; sizes are filled up to multiples of 8 with 0."""
    x = net.normalise(torch.from_numpy(scan)[None].to(device))[:, None]
    over = [pad for size in reversed(scan.shape) for pad in (0, -size % 8)]
    out = net.run_folded(layers, F.pad(x, over))[0, :, :scan.shape[0], :scan.shape[1], :scan.shape[2]]
    labels = out[:net.LABELS].argmax(0).byte().cpu().numpy()
    return labels, (out[net.LABELS] * net.DISTANCE).clamp(-net.DISTANCE, net.DISTANCE).cpu().numpy()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", required=True)
    parser.add_argument("--distance", help="write the distance here, too")
    parser.add_argument("scan")
    parser.add_argument("labels")
    o = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cudnn.allow_tf32 = False
    layers = [(weight.to(device), bias.to(device)) for weight, bias in net.read_weights(o.weights)]
    head, scan = read_scan(o.scan)
    labels, distance = outputs(layers, scan, device)
    write_image(o.labels, head, labels)
    if o.distance:
        write_image(o.distance, head, distance)
    print(f"{o.scan}: " + ", ".join(f"{name} {100 * float((labels == n).mean()):.2f} %" for n, name in
                                   enumerate(("background", "artery", "other vessel", "hard")) if n))


if __name__ == "__main__":
    main()
