"""Reads an image as the public does and compares it with what was put in.

check_image.py LIST: each line of LIST is IMAGE DTYPE COMPONENTS, apart by tabs. IMAGE.grid holds
dimensions, spacing, origin and direction (LPS), IMAGE.raw the voxels as [nz][ny][nx][components].
"""
import gzip
import re
import sys
import zlib

import nibabel
import numpy

def fail(what):
    sys.exit(f"{path}: {what}")


ABOUT = {"mask": b"hemotile vessel mask", "scan": b"", "velocity": b"hemotile velocity m/s LPS",
         "pressure": b"hemotile pressure Pa gauge"}


def read_nifti():
    image = nibabel.load(path)
    header = image.header
    about = ABOUT[path.rsplit("/", 1)[-1].split(".")[0].split("-")[0]]
    if header["descrip"] != about:
        fail(f"descrip {header['descrip']}, expected {about}")
    if components == 3 and header.get_intent()[0] != "vector":
        fail(f"intent {header.get_intent()}, expected vector")
    if header.get_xyzt_units()[0] != "mm":
        fail(f"units {header.get_xyzt_units()}")
    if header["scl_slope"] not in (0, 1) and not numpy.isnan(header["scl_slope"]):
        fail(f"slope {header['scl_slope']}")
    if header["sform_code"] != 1 or header["qform_code"] != 1:
        fail("a reader may ignore the position")
    far = numpy.array([dim[0] - 1, dim[1] - 1, dim[2] - 1, 0])
    off = abs((header.get_qform() - header.get_sform()) @ far).max()
    if not off <= 0.15:  # float32's best for a rotation by nearly 180 degrees
        fail(f"the qform is {off} mm off the sform")
    voxels = numpy.asarray(image.dataobj)  # [x][y][z] or [x][y][z][1][c]
    shape = voxels.shape[:3] + (components,)
    lps = numpy.diag([-1.0, -1.0, 1.0, 1.0])
    return voxels.reshape(shape).transpose(2, 1, 0, 3), lps @ image.affine


TYPES = {"MET_UCHAR": "uint8", "MET_SHORT": "int16", "MET_FLOAT": "float32",
         "unsigned char": "uint8", "short": "int16", "float": "float32"}


def unpack(body, kind):
    return numpy.frombuffer(body, TYPES[kind]).reshape(dim[2], dim[1], dim[0], components)


def affine_of(columns, start):
    affine = numpy.eye(4)
    affine[:3, :3], affine[:3, 3] = columns, start
    return affine


def floats(text):
    return numpy.array([float(n) for n in re.findall(r"[-+]?\d[-+0-9.eE]*", text)])


def read_nrrd():
    head, body = open(path, "rb").read().split(b"\n\n", 1)
    field = dict(re.findall(r"^([a-z ]+): (.*)$", head.decode(), re.M))
    if field["space"] != "left-posterior-superior":
        fail(f"space {field['space']}")
    if components == 3 and not field["kinds"].startswith("vector"):
        fail(f"kinds {field['kinds']}")
    body = gzip.decompress(body) if field["encoding"] == "gzip" else body
    columns = floats(field["space directions"]).reshape(3, 3).T
    return unpack(body, field["type"]), affine_of(columns, floats(field["space origin"]))


def read_mha():
    head, body = open(path, "rb").read().split(b"ElementDataFile = LOCAL\n", 1)
    field = dict(re.findall(r"^(\w+) = (.*)$", head.decode(), re.M))
    body = zlib.decompress(body) if field["CompressedData"] == "True" else body
    columns = floats(field["TransformMatrix"]).reshape(3, 3).T * floats(field["ElementSpacing"])
    return unpack(body, field["ElementType"]), affine_of(columns, floats(field["Offset"]))


for line in open(sys.argv[1]):
    path, dtype, components = line.rstrip("\n").split("\t")
    components = int(components)
    numbers = [float(n) for n in open(path + ".grid").read().split()]
    dim = [int(n) for n in numbers[:3]]
    spacing, origin = numpy.array(numbers[3:6]), numpy.array(numbers[6:9])
    direction = numpy.array(numbers[9:18]).reshape(3, 3)
    expected = numpy.fromfile(path + ".raw", dtype).reshape(dim[2], dim[1], dim[0], components)
    read = read_nrrd if path.endswith(".nrrd") else read_mha if path.endswith(".mha") else read_nifti
    voxels, affine = read()
    if voxels.dtype != expected.dtype or voxels.shape != expected.shape:
        fail(f"{voxels.dtype} {voxels.shape}, expected {expected.dtype} {expected.shape}")
    if not numpy.array_equal(voxels, expected):
        fail(f"{(voxels != expected).sum()} of {expected.size} values differ")
    corners = numpy.array([[i, j, k, 1] for i in (0, dim[0] - 1) for j in (0, dim[1] - 1)
                           for k in (0, dim[2] - 1)], float).T
    truth = affine_of(direction * spacing, origin) @ corners
    worst = abs(affine @ corners - truth).max()
    print(f"{path.rsplit('/', 1)[-1]}: {voxels.dtype} {voxels.shape}, positions within {worst:.1e} mm")
    if not worst <= 1e-4:
        fail(f"positions are off by {worst} mm")
