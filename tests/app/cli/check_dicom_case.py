"""Reads the DICOM files of a case as the public does, and compares them with its NIfTI and VTK files.

check_dicom_case.py CASE kept|pseudonymous SCAN: SCAN is the folder of the DICOM scan, whose
identity the files have or must not have.
"""
import glob
import io
import os
import shutil
import subprocess
import sys

import nibabel
import numpy
import pydicom

case, identity, scan = sys.argv[1:4]
LPS = numpy.diag([-1, -1, 1, 1])  # NIfTI's axes are RAS


def fail(what):
    sys.exit(f"{case}: {what}")


def load(name):
    return nibabel.load(f"{case}/{name}.nii.gz")


def read(name):
    return pydicom.dcmread(f"{case}/dicom/{name}.dcm")


def check_place(name, data, image):
    """Each corner of each frame lies where NIfTI has it."""
    shared = data.SharedFunctionalGroupsSequence[0]
    axes = numpy.array(shared.PlaneOrientationSequence[0].ImageOrientationPatient, float)
    rows, columns = (float(s) for s in shared.PixelMeasuresSequence[0].PixelSpacing)
    if image.shape != (data.Columns, data.Rows, int(data.NumberOfFrames)):
        fail(f"{name}: {data.Columns} x {data.Rows} x {data.NumberOfFrames}, not {image.shape}")
    matrix = LPS @ image.affine
    for k, frame in enumerate(data.PerFrameFunctionalGroupsSequence):
        at = numpy.array(frame.PlanePositionSequence[0].ImagePositionPatient, float)
        for i, j in ((0, 0), (data.Columns - 1, 0), (0, data.Rows - 1)):
            off = abs(at + axes[:3] * columns * i + axes[3:] * rows * j - (matrix @ (i, j, k, 1))[:3])
            if off.max() > 1e-4:  # NIfTI's sform is float32
                fail(f"{name}: voxel {i}, {j}, {k} is {off.max()} mm off")


def values(data):
    """[i][j][k], as NIfTI."""
    shape = int(data.NumberOfFrames), data.Rows, data.Columns
    return numpy.frombuffer(data[0x7FE00008].value, numpy.float32).reshape(shape).T


def unit(data):
    real = data.SharedFunctionalGroupsSequence[0].RealWorldValueMappingSequence[0]
    code = real.MeasurementUnitsCodeSequence[0]
    return f"{code.CodingSchemeDesignator} {code.CodeValue}"


def check_segmentation(mask):
    data = read("segmentation")
    check_place("segmentation", data, mask)
    found = data.pixel_array.reshape(int(data.NumberOfFrames), data.Rows, data.Columns).T
    if not numpy.array_equal(found > 0, numpy.asarray(mask.dataobj) > 0):
        fail("segmentation: other voxels than mask.nii.gz")


def check_speed(mask):
    data = read("speed")
    check_place("speed", data, mask)
    velocity = numpy.asarray(load("velocity").dataobj).reshape(mask.shape + (3,)).astype(float)
    # Sum and root of three float32.
    if not numpy.allclose(values(data), numpy.sqrt((velocity ** 2).sum(-1)), rtol=1e-6, atol=1e-18):
        fail("speed: not that of velocity.nii.gz")
    if unit(data) != "UCUM m/s":
        fail(f"speed: in {unit(data)}")


def check_wall(mask, name, array):
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(f"{case}/wall.vtp")
    reader.Update()
    surface = reader.GetOutput()
    points = vtk_to_numpy(surface.GetPoints().GetData()).astype(float)
    load_pa = vtk_to_numpy(surface.GetPointData().GetArray(array))
    data = read(name)
    check_place(name, data, mask)
    found = values(data)
    has = found != data.FloatPixelPaddingValue
    if data.FloatPixelPaddingValue != -1 or not has.any() or found[has].min() < 0:
        fail(f"{name}: padding")
    if (has & ~(numpy.asarray(mask.dataobj) > 0)).any():
        fail(f"{name}: a value outside the vessel")
    for voxel in numpy.argwhere(has):
        at = (LPS @ mask.affine @ (*voxel, 1))[:3]
        away = numpy.sqrt(((points - at) ** 2).sum(-1))
        nearest = away.min()
        if nearest > 1.5 * abs(mask.affine[:3, 0]).max():
            continue  # at an opening's rim the nearest may lie beyond the 27 voxels
        if found[tuple(voxel)] not in load_pa[away < nearest + 1e-4]:  # of single precision
            fail(f"{name}: {found[tuple(voxel)]} Pa at {voxel}, "
                 f"{load_pa[away.argmin()]} Pa in wall.vtp")
    if unit(data) != "UCUM Pa":
        fail(f"{name}: in {unit(data)}")


def check_picture():
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    reader = vtk.vtkPNGReader()
    reader.SetFileName(f"{case}/pictures/velocity.png")
    reader.Update()
    image = reader.GetOutput()
    width, height, _ = image.GetDimensions()
    wanted = vtk_to_numpy(image.GetPointData().GetScalars()).reshape(height, width, -1)[::-1, :, :3]
    if not numpy.array_equal(read("picture_velocity").pixel_array, wanted):
        fail("picture_velocity: not that of pictures/velocity.png")


def check_report():
    data = read("report")
    pdf = data.EncapsulatedDocument[:data.EncapsulatedDocumentLength]
    if not pdf.startswith(b"%PDF-") or b"%%EOF" not in pdf[-32:]:
        fail("report: no whole PDF")
    if shutil.which("pdftotext"):
        text = subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, check=True)
        if b"Not for clinical decisions." not in text.stdout:
            fail("report: without its numbers")


def check_identity(path, data):
    source = pydicom.dcmread(glob.glob(f"{scan}/*")[0], stop_before_pixels=True)
    names = ("PatientID", "PatientBirthDate", "StudyInstanceUID", "StudyDate", "StudyTime", "StudyID",
             "AccessionNumber")
    for name in names:
        if identity == "kept" and data.get(name) != source.get(name):
            fail(f"{path}: {name} is {data.get(name)}, in the scan {source.get(name)}")
        if identity != "kept" and data.get(name) == source.get(name):
            fail(f"{path}: {name} is that of the scan")
    frame = data.get("FrameOfReferenceUID")  # pictures have none
    if frame and (frame == source.FrameOfReferenceUID) != (identity == "kept"):
        fail(f"{path}: the frame of reference {frame}")
    if (str(data.PatientName) == str(source.PatientName)) != (identity == "kept"):
        fail(f"{path}: the patient {data.PatientName}")
    if data.SeriesInstanceUID == source.SeriesInstanceUID:
        fail(f"{path}: the scan's series")
    if (data.get("PatientIdentityRemoved") == "YES") != (identity != "kept"):
        fail(f"{path}: PatientIdentityRemoved {data.get('PatientIdentityRemoved')}")
    if identity != "kept":
        for name in ("PixelData", "FloatPixelData"):  # grey values may be letters by chance
            if name in data:
                del data[name]
        header = io.BytesIO()
        pydicom.dcmwrite(header, data)
        for word in ("JANE", "19310407", "20190823", "998877", source.StudyInstanceUID):
            if word.encode() in header.getvalue():
                fail(f"{path} has {word}")


def check_standard(path):
    if not shutil.which("dciodvfy"):
        return "dciodvfy (dicom3tools) is not installed: the standard is not checked"
    told = subprocess.run(["dciodvfy", path], capture_output=True, text=True, errors="replace")
    wrong = [line for line in (told.stdout + told.stderr).splitlines() if line.startswith("Error")]
    if wrong:
        fail(f"{path}: " + "\n".join(wrong))
    return ""


said = ""
for file in sorted(glob.glob(f"{case}/dicom/*.dcm")):
    if os.stat(file).st_mode & 0o077:
        fail(f"{file}: others can read it")
    check_identity(file, pydicom.dcmread(file))
    said = check_standard(file)
if said:
    print(said)
vessel = load("mask")
check_segmentation(vessel)
check_speed(vessel)
check_wall(vessel, "wall_shear_stress", "wss_magnitude_pa")
if os.path.exists(f"{case}/dicom/tawss.dcm"):
    check_wall(vessel, "tawss", "tawss_pa")
check_picture()
check_report()
