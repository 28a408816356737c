"""Uploads the DICOM files of a case to an Orthanc on this machine, and compares what it gives back
with the case's NIfTI files and pictures.

check_orthanc.py PORT PROCESS CASE: PROCESS is Orthanc's number.
"""
import glob
import json
import os
import sys
import time
import urllib.error
import urllib.request

import nibabel
import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy

port, process, case = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def ask(path, data=None):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", data) as answer:
        return answer.read()


def wait_for_server():
    while True:
        try:
            return json.loads(ask("system"))
        except (urllib.error.URLError, ConnectionError):
            os.kill(process, 0)  # it has ended: an error
            time.sleep(0.1)


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found!r}, expected {wanted!r}")


def numbers(text):
    return numpy.array(text.split("\\"), float)


def check_places(name, tags, image):
    matrix = numpy.diag([-1, -1, 1, 1]) @ image.affine  # LPS
    expect(f"{name}: size", (int(tags["Columns"]), int(tags["Rows"]), int(tags["NumberOfFrames"])), image.shape)
    shared = tags["SharedFunctionalGroupsSequence"][0]
    spacing = numbers(shared["PixelMeasuresSequence"][0]["PixelSpacing"])
    axes = numbers(shared["PlaneOrientationSequence"][0]["ImageOrientationPatient"])
    for k, frame in enumerate(tags["PerFrameFunctionalGroupsSequence"]):
        at = numbers(frame["PlanePositionSequence"][0]["ImagePositionPatient"])
        i, j = image.shape[0] - 1, image.shape[1] - 1
        found = at + axes[:3] * spacing[1] * i + axes[3:] * spacing[0] * j
        off = abs(found - (matrix @ (i, j, k, 1))[:3]).max()
        if off > 1e-4:
            sys.exit(f"{name}: plane {k} is {off} mm off")
    return shared


def check_speed(one, tags, mask):
    shared = check_places("speed", tags, mask)
    unit = shared["RealWorldValueMappingSequence"][0]["MeasurementUnitsCodeSequence"][0]
    expect("unit", (unit["CodingSchemeDesignator"], unit["CodeValue"]), ("UCUM", "m/s"))
    values = numpy.frombuffer(ask(f"instances/{one}/content/7fe0-0008"), numpy.float32)
    velocity = numpy.asarray(nibabel.load(f"{case}/velocity.nii.gz").dataobj, float)
    speed = numpy.sqrt((velocity.reshape(mask.shape + (3,)) ** 2).sum(-1))
    if not numpy.allclose(values.reshape(mask.shape[::-1]).T, speed, rtol=1e-6, atol=1e-18):
        sys.exit("speed: other values")


def pixels_of(path):
    reader = vtk.vtkPNGReader()
    reader.SetFileName(path)
    reader.Update()
    image = reader.GetOutput()
    width, height, _ = image.GetDimensions()
    return vtk_to_numpy(image.GetPointData().GetScalars()).reshape(height, width, -1)[..., :3]


def check_picture(one):
    with open("preview.png", "wb") as file:
        file.write(ask(f"instances/{one}/preview"))
    if not numpy.array_equal(pixels_of("preview.png"), pixels_of(f"{case}/pictures/wall.png")):
        sys.exit("Orthanc shows another picture")


wait_for_server()
vessel = nibabel.load(f"{case}/mask.nii.gz")
files = sorted(glob.glob(f"{case}/dicom/*.dcm"))
for file in files:
    content = open(file, "rb").read()
    answer = json.loads(ask("instances", content))
    expect(f"{file}: upload", answer["Status"], "Success")
    instance = answer["ID"]
    expect(f"{file}: what comes back", ask(f"instances/{instance}/file") == content, True)
    kept = json.loads(ask(f"instances/{instance}/simplified-tags"))
    expect(f"{file}: patient", kept["PatientID"].startswith("hemotile-"), True)
    if file.endswith("/speed.dcm"):
        check_speed(instance, kept, vessel)
    elif file.endswith(("/segmentation.dcm", "/wall_shear_stress.dcm")):
        check_places(file, kept, vessel)
    elif file.endswith("/picture_wall.dcm"):
        check_picture(instance)
told = json.loads(ask("statistics"))
expect("patients, studies, instances", (told["CountPatients"], told["CountStudies"], told["CountInstances"]),
       (1, 1, len(files)))
print(f"{len(files)} files, {told['CountSeries']} series")
