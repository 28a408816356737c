"""The files of a beat's samples, as VTK and nibabel read them, against flow_phase.vti and wall.vtp
at the moment that both have.

check_series.py DIR SAMPLES
"""
import json
import os
import sys
import xml.etree.ElementTree as ElementTree

import nibabel
import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLPolyDataReader

folder, samples = sys.argv[1], int(sys.argv[2])
problems = []


def read(kind, name):
    reader = kind()
    reader.AddObserver("ErrorEvent", lambda *_: problems.append(f"{name}: the reader reported an error"))
    reader.SetFileName(os.path.join(folder, name))
    reader.Update()
    data = reader.GetOutput()
    points = data.GetPointData()
    found = {points.GetArrayName(n): vtk_to_numpy(points.GetArray(n)).astype(float)
             for n in range(points.GetNumberOfArrays())}
    return data, found


def listed(stem):
    sets = ElementTree.parse(os.path.join(folder, f"series/{stem}.pvd")).iter("DataSet")
    return [(float(one.get("timestep")), "series/" + one.get("file")) for one in sets]


def near(name, got, wanted):
    """16 bits a component: off by at most 1/65534 of its range, or by float's own rounding."""
    slack = numpy.ptp(wanted, axis=0) / 65534 + 2**-22 * abs(wanted).max()
    if got.shape != wanted.shape or not (abs(got - wanted) <= slack).all():
        problems.append(f"{name} is off by {abs(got - wanted).max()}, allowed is {slack}")


summary = json.load(open(os.path.join(folder, "summary.json")))
phase_s, period_s = summary["flow"]["phase_time_s"], summary["flow"]["period_s"]
flows, walls = listed("flow"), listed("wall")
times = [time for time, _ in flows]
assert len(flows) == samples and [time for time, _ in walls] == times, (flows, walls)
assert numpy.allclose(times, [n * period_s / samples for n in range(samples)], atol=1e-6), times
at = int(numpy.argmin([abs(time - phase_s) for time in times]))
assert abs(times[at] - phase_s) < 1e-6, (times, phase_s)

image, fields = read(vtkXMLImageDataReader, flows[at][1])
phase_image, phase = read(vtkXMLImageDataReader, "flow_phase.vti")
assert image.GetDimensions() == phase_image.GetDimensions()
assert image.GetOrigin() == phase_image.GetOrigin()
assert sorted(fields) == ["mask", "pressure_pa", "velocity_m_s"], sorted(fields)
assert (fields["mask"] == phase["mask"]).all() and fields["mask"].sum() > 0
assert not fields["velocity_m_s"][fields["mask"] == 0].any()
for name in "velocity_m_s", "pressure_pa":
    near(name, fields[name], phase[name])

_, load = read(vtkXMLPolyDataReader, walls[at][1])
_, wall = read(vtkXMLPolyDataReader, "wall.vtp")
assert sorted(load) == ["Normals", "pressure_pa", "wss_magnitude_pa", "wss_pa"], sorted(load)
near("wss_pa", load["wss_pa"], wall["wss_peak_pa"])
near("pressure_pa", load["pressure_pa"], wall["pressure_peak_pa"])
assert numpy.allclose(load["wss_magnitude_pa"], numpy.linalg.norm(load["wss_pa"], axis=1), rtol=1e-5)

# The samples differ, and their mean is that of the summary's flow.
velocity = nibabel.load(os.path.join(folder, "series/velocity.nii.gz"))
pressure = nibabel.load(os.path.join(folder, "series/pressure.nii.gz"))
mean = nibabel.load(os.path.join(folder, "velocity.nii.gz"))
dim = tuple(image.GetDimensions())
assert velocity.shape == dim + (samples, 3) and pressure.shape == dim + (samples,), velocity.shape
assert velocity.header.get_xyzt_units() == ("mm", "sec"), velocity.header.get_xyzt_units()
assert abs(velocity.header.get_zooms()[3] - period_s / samples) < 1e-6, velocity.header.get_zooms()
assert numpy.array_equal(velocity.affine, mean.affine)
moving, pushing = numpy.asarray(velocity.dataobj), numpy.asarray(pressure.dataobj)
for n, (_, name) in enumerate(flows):
    _, one = read(vtkXMLImageDataReader, name)
    assert numpy.array_equal(moving[:, :, :, n].transpose(2, 1, 0, 3).reshape(-1, 3), one["velocity_m_s"])
    assert numpy.array_equal(pushing[:, :, :, n].transpose(2, 1, 0).ravel(), one["pressure_pa"])
slack = numpy.ptp(moving) / 65534 + 1e-6 * abs(moving).max()
assert abs(moving.mean(axis=3) - numpy.asarray(mean.dataobj)[:, :, :, 0]).max() <= slack
sys.exit("\n".join(problems) or None)
