"""Writes a small .nii of uint8 with the standard library: make_nifti.py KIND FILE.

Voxels of 0.5 mm. KIND: ball (a vessel without openings), two (two pipes that do not meet: each one
has an end on the border, the other end inside), short (a pipe that ends inside), pipe (through, along
z), bend (both ends on one face), narrow (the pipe, to half its width and less in its middle), strait
(to less than an eighth), stump (a pipe with a short branch), fork (a pipe with a branch to the
border), sac (a pipe that ends inside at both its ends, and a ball twice as wide at its side), branch
(a wide one, with a thin branch to the border), three (pipes side by side, of radius 1.6, 1.7 and
1.8 mm), comb (a pipe with seven branches to the border), bulb (a pipe from the border into a ball, with a
short stub), bone (as in a CT: a pipe that bends, and a bone that touches it, whose spongy inside is as bright as
blood), empty.
"""
import math
import random
import struct
import sys

kind, path = sys.argv[1], sys.argv[2]
nx, ny, nz = 24, 24, {"sac": 48, "three": 48, "comb": 64}.get(kind, 32)
if kind == "bone":
    nx = ny = nz = 56
    random.seed(1)


def inside(x, y, z):
    r2 = (x - 12) ** 2 + (y - 12) ** 2
    if kind == "ball":
        return r2 + (z - 16) ** 2 < 64
    if kind == "two":
        return r2 < 36 and not 12 <= z <= 19
    if kind == "short":
        return r2 < 25 and z < 27
    if kind == "pipe":
        return r2 < 36
    if kind in ("narrow", "strait"):
        least = 2.7 if kind == "narrow" else 1.2
        return r2 < (10 - (10 - least) * math.exp(-(((z - 16) / 6) ** 2))) ** 2
    if kind == "sac":
        ball = (x - 14) ** 2 + (y - 12) ** 2 + (z - 23.5) ** 2 < 50
        return (x - 8) ** 2 + (y - 12) ** 2 < 9.5 and 2 <= z <= 45 or ball
    if kind == "branch":
        thin = (y - 12) ** 2 + (z - 15.5) ** 2 < 3.5 and x >= 10
        return (x - 10) ** 2 + (y - 12) ** 2 < 16 and 2 <= z <= 29 or thin
    if kind == "three":
        pipe = ((6, 6, 3.2), (17, 7, 3.4), (12, 17, 3.6))
        return any((x - a) ** 2 + (y - b) ** 2 < r * r for a, b, r in pipe)
    if kind == "comb":
        tooth = x >= 8 and any((y - 12) ** 2 + (z - c) ** 2 < 7 for c in range(4, 62, 8))
        return (x - 8) ** 2 + (y - 12) ** 2 < 20 or tooth
    if kind == "bulb":
        stub = (y - 12) ** 2 + (z - 22) ** 2 < 12 and 12 <= x < 22
        return r2 < 16 and z < 20 or r2 + (z - 22) ** 2 < 56 or stub
    if kind == "fork":
        arm = (y - 12) ** 2 + (z - 16) ** 2 < 13 and x >= 8
        return (x - 8) ** 2 + (y - 12) ** 2 < 25 or arm
    if kind == "stump":
        pipe = (x - 8) ** 2 + (y - 12) ** 2 < 25
        return pipe or 8 <= x < 18 and (y - 12) ** 2 + (z - 16) ** 2 < 7
    if kind == "bend":
        leg = min((x - 6) ** 2, (x - 17) ** 2) + (y - 12) ** 2 < 17
        return leg and z < 24 or 6 <= x <= 17 and (y - 12) ** 2 + (z - 20) ** 2 < 17
    return False


def value(x, y, z):
    if kind != "bone":
        return inside(x, y, z)
    off = math.hypot((x - 38) / 14, (y - 28) / 17, (z - 28) / 20)
    around = 60 if off >= 1 else 230 if off > 0.8 else 150
    share = min(1, max(0, 4.7 - math.hypot(x - 18 - 3 * math.sin(z / 9), y - 28)))
    return min(255, max(0, round(random.gauss(around + share * (150 - around), 6))))


header = bytearray(352)
struct.pack_into("<i", header, 0, 348)
struct.pack_into("<8h", header, 40, 3, nx, ny, nz, 1, 1, 1, 1)
struct.pack_into("<hh", header, 70, 2, 8)
struct.pack_into("<8f", header, 76, 1, 0.5, 0.5, 0.5, 0, 0, 0, 0)
struct.pack_into("<f", header, 108, 352)
struct.pack_into("<f", header, 112, 1)
header[123] = 2
struct.pack_into("<h", header, 252, 1)
header[344:348] = b"n+1\0"
voxels = bytes(
    value(x, y, z) for z in range(nz) for y in range(ny) for x in range(nx)
)
with open(path, "wb") as file:
    file.write(header + voxels)
