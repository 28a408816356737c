"""The files of a case as VTK, nibabel and a reader of tables see them, against each other: the same
numbers, with their units, at the same places.

check_files.py CASE
"""
import csv
import json
import os
import sys

import nibabel
import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkFiltersCore import vtkMassProperties
from vtkmodules.vtkIOGeometry import vtkSTLReader
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLPolyDataReader

case = sys.argv[1]
summary = json.load(open(f"{case}/summary.json"))
LPS = numpy.diag([-1, -1, 1, 1])  # NIfTI's axes are RAS


def fail(what):
    sys.exit(f"{case}: {what}")


def read(reader, name):
    reader.AddObserver("ErrorEvent", lambda *_: fail(f"{name}: the reader reported an error"))
    reader.SetFileName(f"{case}/{name}")
    reader.Update()
    return reader.GetOutput()


def arrays(data):
    points = data.GetPointData()
    return {points.GetArrayName(n): vtk_to_numpy(points.GetArray(n)).astype(float)
            for n in range(points.GetNumberOfArrays())}


def corners(data):
    """[triangles][3][3]"""
    points = vtk_to_numpy(data.GetPoints().GetData())
    return points[vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)]


def area_of(data):
    mass = vtkMassProperties()
    mass.SetInputData(data)
    return mass.GetSurfaceArea()


def read_stl(name):
    reader = vtkSTLReader()
    reader.MergingOff()
    data = read(reader, name)
    if b"SPACE=LPS; UNIT=mm" not in open(f"{case}/{name}", "rb").read(80):
        fail(f"{name} does not tell its axes and unit")
    return data


def near(what, got, wanted, relative=1e-5, absolute=0.0):
    got, wanted = numpy.asarray(got, float), numpy.asarray(wanted, float)
    if got.shape != wanted.shape or not numpy.allclose(got, wanted, rtol=relative, atol=absolute):
        fail(f"{what}: {got} and {wanted}")


# ---- the wall: as a mesh for VTK, as STL, as a table ----

wall = read(vtkXMLPolyDataReader(), "wall.vtp")
values, points = arrays(wall), vtk_to_numpy(wall.GetPoints().GetData()).astype(float)
if not numpy.array_equal(corners(read_stl("wall.stl")), corners(wall)):
    fail("wall.stl has other triangles than wall.vtp")
table = {name: numpy.array([float(row[name]) for row in rows]) for rows in
         [list(csv.DictReader(open(f"{case}/wall.csv")))] for name in rows[0]}
columns = {"wss_pa": "wss_magnitude_pa"}  # wall.csv: wall.vtp, where the names differ
numbers = set(table) - {"x_mm", "y_mm", "z_mm", "area_mm2", "in_sac"}
scalars = {name for name, value in values.items() if value.ndim == 1}
if {columns.get(name, name) for name in numbers} != scalars:
    fail(f"wall.csv has {sorted(numbers)}, wall.vtp {sorted(scalars)}")
for name in numbers:  # six digits
    near(f"{name} of wall.csv", table[name], values[columns.get(name, name)], absolute=1e-12)
near("points of wall.csv", numpy.stack([table[c + "_mm"] for c in "xyz"], 1), points, absolute=1e-5)
near("area", [table["area_mm2"].sum(), summary["wall"]["area_mm2"]], 2 * [area_of(wall)], 1e-4)
mean = (table["area_mm2"] * table["wss_pa"]).sum() / table["area_mm2"].sum()
near("mean of the wall shear stress", mean, summary["wall"]["wss_mean_pa"], 1e-4)
cycle = summary["wall"].get("cycle")
if cycle:
    mean = (table["area_mm2"] * table["tawss_pa"]).sum() / table["area_mm2"].sum()
    near("mean of the TAWSS", mean, cycle["tawss_mean_pa"], 1e-4)

# ---- the wall as an image: the number of the point that is nearest to a voxel ----

mask = nibabel.load(f"{case}/mask.nii.gz")
inside = numpy.asarray(mask.dataobj) > 0
spacing = numpy.linalg.norm(mask.affine[:3, 0])
images = {"wall_tawss": ("tawss_pa", b" Pa"), "wall_osi": ("osi", b" no unit")}
if not cycle:
    images = {"wall_shear_stress": ("wss_magnitude_pa", b" Pa")}
for name, (array, unit) in images.items():
    image = nibabel.load(f"{case}/{name}.nii.gz")
    if not image.header["descrip"].item().endswith(unit) or not image.header["intent_name"].item():
        fail(f"{name}.nii.gz says {image.header['descrip']}, {image.header['intent_name']}")
    near(f"place of {name}.nii.gz", image.affine, mask.affine, absolute=1e-6)
    found = numpy.asarray(image.dataobj, float)
    if found[~inside].any():
        fail(f"{name}.nii.gz has values outside of the vessel")
    filled = numpy.argwhere(found != 0)
    for at in filled[:: 1 + len(filled) // 500]:
        away = numpy.linalg.norm(points - (LPS @ mask.affine @ (*at, 1))[:3], axis=1)
        if away.min() > 1.5 * spacing:
            continue  # at an opening's rim the nearest may lie beyond the 27 voxels
        if not numpy.isclose(values[array][away < away.min() + 1e-4], found[tuple(at)], 1e-6, 0).any():
            fail(f"{name}.nii.gz: {found[tuple(at)]} at {at}, {values[array][away.argmin()]} in wall.vtp")
    loaded = points[values[array] != 0]
    index = numpy.linalg.inv(LPS @ mask.affine) @ numpy.hstack([loaded, numpy.ones((len(loaded), 1))]).T
    cut = numpy.unique(numpy.rint(index[:3]).astype(int), axis=1)
    cut = cut[:, ((cut >= 0) & (cut < numpy.array(mask.shape)[:, None])).all(axis=0)]
    own = inside[tuple(cut)].sum()  # voxels of the vessel with a point in them
    if len(filled) < 0.9 * own:
        fail(f"{name}.nii.gz: only {len(filled)} voxels have a value, {own} a point")

# ---- the flow: as VTK's image and as NIfTI ----

image = read(vtkXMLImageDataReader(), "flow.vti")
field, dim = arrays(image), image.GetDimensions()
near("size of flow.vti", dim, mask.shape)
for corner in (0, image.GetNumberOfPoints() - 1):
    at = [corner % dim[0], corner // dim[0] % dim[1], corner // dim[0] // dim[1], 1]
    near("place of flow.vti", image.GetPoint(corner), (LPS @ mask.affine @ at)[:3], absolute=1e-4)
for name, array in (("velocity", "velocity_m_s"), ("pressure", "pressure_pa")):
    nifti = nibabel.load(f"{case}/{name}.nii.gz")
    dense = numpy.asarray(nifti.dataobj).reshape(mask.shape + (-1,))
    if not numpy.array_equal(dense.transpose(2, 1, 0, 3).reshape(field[array].shape), field[array]):
        fail(f"{name}.nii.gz and flow.vti differ")
if not numpy.array_equal(field["mask"] > 0, inside.T.ravel()):
    fail("the mask of flow.vti is another one")

# ---- along the vessel ----

rows = list(csv.DictReader(open(f"{case}/centreline.csv")))
place = numpy.array([[float(row[c + "_mm"]) for c in "xyz"] for row in rows])
along = numpy.array([float(row["position_mm"]) for row in rows])
near("position_mm", numpy.diff(along), numpy.linalg.norm(numpy.diff(place, axis=0), axis=1), 0.02, 1e-3)
for row in rows:
    if row["place"] == "vessel":
        near("diameter_mm", float(row["diameter_mm"]), 2 * (float(row["area_mm2"]) / numpy.pi) ** 0.5)

# ---- the sac ----

if os.path.exists(f"{case}/sac.stl"):
    sac, told = read_stl("sac.stl"), summary["sac"]
    near("area of the sac", area_of(sac), told["wall_area_mm2"], 1e-4)
    own = {tuple(p) for p in points[table["in_sac"] == 1].astype(numpy.float32)}
    rim = [p for p in corners(sac).reshape(-1, 3) if tuple(p) not in own]
    height = (numpy.array(rim) - told["neck_mm"]) @ told["neck_normal"]
    near("the rim of sac.stl", height, numpy.zeros(len(rim)), absolute=1e-3)
print(f"{case}: {len(points)} points, {inside.sum()} voxels, {len(rows)} sections, the same in all files")
