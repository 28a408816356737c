"""The network, and its weights as inference reads them.

A 3D U-Net of four levels. Each level has two convolutions of 3 x 3 x 3 with batch normalisation and ReLU; a maximum
over 2 x 2 x 2 leads down; a convolution of 1 x 1 x 1 and copies of each voxel lead up, where the level's own values
are added. Out come the logits of four labels and a distance. Batch normalisation is affine once training is over, so
it is folded into the convolutions: what is left is convolution, ReLU, maximum and sum, which give the same values in
any tiling whose margin is at least MARGIN voxels.
"""
import struct

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

WIDTHS = (16, 32, 64, 128)
LABELS = 4  # background, artery, other vessel, hard
MARGIN = 48  # voxels that a value depends on, rounded up to a multiple of 8
DISTANCE = 4.0  # an output of 1 is this many voxels
QUANTILES = (0.02, 0.995)
RANGE = (-1.0, 3.0)
MAGIC = b"HTVESSEL"


def normalise(scan):
    """Brightness as the network takes it, of scans [N, z, y, x] in whole numbers: the least values (quantile 0.02) are
    0; the quantile 0.995 of what is brighter than these is 1. A quantile is the value of the rank floor(q (n - 1))."""
    values = scan.flatten(1).sort(1)[0]
    count = values.shape[1]
    low = values[:, int(QUANTILES[0] * (count - 1)), None]
    above = (values <= low).sum(1, keepdim=True)
    rank = above + (QUANTILES[1] * (count - above - 1).double()).floor().long()
    high = values.gather(1, rank.clamp(0, count - 1))  # no value goes to the CPU, which would wait for the GPU
    return between(scan, low, high)


def between(scan, low, high):
    """Brightness as a share of the way from low to high."""
    low, high = (one.float().view(-1, 1, 1, 1) for one in (low, high))
    return ((scan.float() - low) / (high - low).clamp_min(1e-6)).clamp(*RANGE)


class Level(nn.Sequential):
    def __init__(self, before, width):
        super().__init__(
            nn.Conv3d(before, width, 3, padding=1, bias=False), nn.BatchNorm3d(width), nn.ReLU(inplace=True),
            nn.Conv3d(width, width, 3, padding=1, bias=False), nn.BatchNorm3d(width), nn.ReLU(inplace=True))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList(Level(before, width) for before, width in zip((1,) + WIDTHS, WIDTHS))
        self.lift = nn.ModuleList(nn.Conv3d(low, high, 1) for high, low in zip(WIDTHS, WIDTHS[1:]))
        self.up = nn.ModuleList(Level(width, width) for width in WIDTHS[:-1])
        self.head = nn.Conv3d(WIDTHS[0], LABELS + 1, 1)

    def forward(self, x):
        """From [N, 1, z, y, x], sizes multiples of 8, to [N, 5, z, y, x]."""
        kept = []
        for n, level in enumerate(self.down):
            x = level(F.max_pool3d(x, 2) if n else x)
            kept.append(x)
        for n in reversed(range(len(self.up))):
            x = self.up[n](kept[n] + F.interpolate(self.lift[n](x), scale_factor=2, mode="nearest"))
        return self.head(x)


def fold(network):
    """The convolutions in the order of use, as (weight, bias) in float32: down 0, 0, 1, 1, ...; then from below lift,
    up, up; head."""
    def level(block):
        for conv, norm in ((block[0], block[1]), (block[3], block[4])):
            scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            yield conv.weight * scale.view(-1, 1, 1, 1, 1), norm.bias - norm.running_mean * scale

    layers = [pair for block in network.down for pair in level(block)]
    for n in reversed(range(len(network.up))):
        layers += [(network.lift[n].weight, network.lift[n].bias), *level(network.up[n])]
    layers.append((network.head.weight, network.head.bias))
    return [(weight.detach().float().cpu(), bias.detach().float().cpu()) for weight, bias in layers]


def run_folded(layers, x):
    """The network by its folded layers alone: what inference in C has to give within 1e-3."""
    layers = iter(layers)

    def conv(x, is_last=False):
        weight, bias = next(layers)
        x = F.conv3d(x, weight.to(x.device), bias.to(x.device), padding=weight.shape[-1] // 2)
        return x if is_last or weight.shape[-1] == 1 else F.relu(x)

    kept = []
    for n in range(len(WIDTHS)):
        x = conv(conv(F.max_pool3d(x, 2) if n else x))
        kept.append(x)
    for n in reversed(range(len(WIDTHS) - 1)):
        x = conv(conv(kept[n] + F.interpolate(conv(x), scale_factor=2, mode="nearest")))
    return conv(x, True)


def write_weights(path, layers):
    """Header, 64 bytes, little endian: HTVESSEL, int32 version (1), levels, widths[8], quantiles and range as four
    float32. Then for each layer in the order of fold(): weights as float16 [out][in][z][y][x], biases as float32."""
    with open(path, "wb") as file:
        widths = list(WIDTHS) + [0] * (8 - len(WIDTHS))
        file.write(struct.pack("<8s10i4f", MAGIC, 1, len(WIDTHS), *widths, *QUANTILES, *RANGE))
        for weight, bias in layers:
            file.write(weight.numpy().astype("<f2").tobytes() + bias.numpy().astype("<f4").tobytes())
        return file.tell()


def read_weights(path):
    with open(path, "rb") as file:
        head = struct.unpack("<8s10i4f", file.read(64))
        assert head[0] == MAGIC and head[1] == 1 and tuple(head[3:3 + head[2]]) == WIDTHS, "other weights"
        layers = []
        for weight, _ in fold(Network()):
            values = np.frombuffer(file.read(2 * weight.numel()), "<f2").astype("f4").reshape(weight.shape)
            bias = np.frombuffer(file.read(4 * weight.shape[0]), "<f4").astype("f4")
            layers.append((torch.from_numpy(values), torch.from_numpy(bias)))
        assert not file.read(1), "more bytes than weights"
        return layers
