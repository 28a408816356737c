"""Draws scans with labels as PNG: red artery, blue other vessel, yellow hard, pink either vessel, green unseen."""
import struct
import zlib

import numpy as np

import volumes

COLOURS = np.zeros((256, 3))
COLOURS[[1, 2, 3, volumes.EITHER, volumes.UNSEEN]] = (
    (255, 40, 40), (60, 120, 255), (240, 220, 60), (255, 90, 255), (80, 200, 80))


def sized(image, edge):
    """A slice [rows, columns] of edge x edge pixels."""
    at = [(np.arange(edge) * size / edge).astype(int) for size in image.shape[:2]]
    return image[at[0]][:, at[1]]


def slice_of(brightness, label=None, edge=192):
    """A slice as pixels, grey from 0 to 1.2, with its labels over it."""
    grey = np.clip(brightness / 1.2, 0, 1)[..., None].repeat(3, -1) * 255
    if label is not None:
        grey[label > 0] = 0.5 * grey[label > 0] + 0.5 * COLOURS[label[label > 0]]
    return sized(grey, edge)


def compared(brightness, truth, found):
    """Where most is wrong, a slice along z and one along x: alone, with the truth, with what was found."""
    is_wrong, parts = (found != truth) & (truth < volumes.EITHER), []
    for axis in (0, 2):
        at = int(is_wrong.sum(tuple({0, 1, 2} - {axis})).argmax())
        plane = [np.take(image, at, axis) for image in (brightness, truth, found)]
        parts += [slice_of(plane[0]), slice_of(*plane[:2]), slice_of(*plane[::2])]
    return np.concatenate(parts, 1)


def write(path, pixels):
    pixels = pixels.astype(np.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    part = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b""))
