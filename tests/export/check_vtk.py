"""Reads a .vti or .vtp with VTK's own reader and compares it with what was put in.

check_vtk.py FILE NAME=RAW:DTYPE ...: RAW holds the values of the array NAME in its order; the
names "points" and "polys" are the geometry. For a .vti FILE.grid holds dimensions, spacing, origin
and direction (LPS).
"""
import sys

import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLPolyDataReader

path = sys.argv[1]
problems = []


def fail(what):
    sys.exit(f"{path}: {what}")


def read(reader):
    reader.AddObserver("ErrorEvent", lambda *_: problems.append("the reader reported an error"))
    reader.AddObserver("WarningEvent", lambda *_: problems.append("the reader warned"))
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def check_grid(image):
    numbers = [float(n) for n in open(path + ".grid").read().split()]
    found = (list(image.GetDimensions()) + list(image.GetSpacing()) + list(image.GetOrigin()) +
             [image.GetDirectionMatrix().GetElement(r, a) for r in range(3) for a in range(3)])
    if not numpy.allclose(found, numbers, rtol=1e-15, atol=1e-15):
        fail(f"grid {found}, expected {numbers}")
    last = [int(n) - 1 for n in numbers[:3]]  # VTK's own idea of where the last voxel is
    point = numpy.array(image.GetPoint(image.GetNumberOfPoints() - 1))
    truth = numpy.array(numbers[6:9]) + numpy.array(numbers[9:]).reshape(3, 3) @ (
        numpy.array(last) * numbers[3:6])
    if not numpy.allclose(point, truth, rtol=0, atol=1e-9):
        fail(f"last voxel at {point}, expected {truth}")


data = read(vtkXMLImageDataReader() if path.endswith(".vti") else vtkXMLPolyDataReader())
if path.endswith(".vti"):
    check_grid(data)
arrays = {data.GetPointData().GetArrayName(n): data.GetPointData().GetArray(n)
          for n in range(data.GetPointData().GetNumberOfArrays())}
wanted = dict(argument.split("=") for argument in sys.argv[2:])
if sorted(arrays) != sorted(set(wanted) - {"points", "polys"}):
    fail(f"arrays {sorted(arrays)}, expected {sorted(wanted)}")
if path.endswith(".vtp"):
    arrays["points"] = data.GetPoints().GetData()
    arrays["polys"] = data.GetPolys().GetConnectivityArray()
    offsets = vtk_to_numpy(data.GetPolys().GetOffsetsArray())
    if not numpy.array_equal(offsets, 3 * numpy.arange(data.GetNumberOfPolys() + 1)):
        fail("the cells are not triangles")
for name, source in wanted.items():
    raw, dtype = source.split(":")
    expected, found = numpy.fromfile(raw, dtype), vtk_to_numpy(arrays[name]).ravel()
    if name != "polys" and found.dtype != expected.dtype:
        fail(f"{name}: {found.dtype}, expected {expected.dtype}")
    if found.size != expected.size or not numpy.array_equal(found, expected):
        fail(f"{name}: {found.size} values differ from the {expected.size} expected")
    if not numpy.isfinite(found).all():
        fail(f"{name}: not finite")
if problems:
    fail(problems[0])
print(f"{path.rsplit('/', 1)[-1]}: {data.GetNumberOfPoints()} points, {sorted(wanted)} as put in")
