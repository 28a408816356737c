"""Reads a DICOM object as the public does (pydicom; dciodvfy, where it is there) and compares it
with what was put in.

check_dicom.py KIND FILE: KIND is segmentation, speed, wall, capture or document. FILE.grid holds
dimensions, spacing, origin and direction (LPS), FILE.raw the values as [nz][ny][nx]; of a picture
FILE.raw is its RGB, of a document FILE.pdf the document.
"""
import shutil
import subprocess
import sys

import numpy
import pydicom

UNITS = {"speed": "m/s", "wall": "Pa"}
SERIES = {"segmentation": "SEG", "speed": "OT", "wall": "OT", "capture": "OT", "document": "DOC"}


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{path}: {what} is {found!r}, expected {wanted!r}")


def read_grid():
    """dim, and the 4 x 4 matrix from (i, j, k) to LPS mm."""
    numbers = open(path + ".grid").read().split()
    values = [float(n) for n in numbers[3:]]
    spacing, origin = values[0:3], values[3:6]
    matrix = numpy.eye(4)
    matrix[:3, :3] = numpy.array(values[6:15]).reshape(3, 3) * spacing
    matrix[:3, 3] = origin
    return [int(n) for n in numbers[:3]], matrix


def check_places(data):
    dim, matrix = read_grid()
    expect("rows, columns, frames", (data.Columns, data.Rows, int(data.NumberOfFrames)), tuple(dim))
    shared = data.SharedFunctionalGroupsSequence[0]
    axes = numpy.array(shared.PlaneOrientationSequence[0].ImageOrientationPatient, float)
    spacing = [float(s) for s in shared.PixelMeasuresSequence[0].PixelSpacing]
    for k, frame in enumerate(data.PerFrameFunctionalGroupsSequence):
        at = numpy.array(frame.PlanePositionSequence[0].ImagePositionPatient, float)
        for i, j in ((0, 0), (dim[0] - 1, 0), (0, dim[1] - 1), (dim[0] - 1, dim[1] - 1)):
            # PS3.3 C.7.6.2.1.1: the first spacing is that of rows.
            found = at + axes[:3] * spacing[1] * i + axes[3:] * spacing[0] * j
            off = abs(found - (matrix @ (i, j, k, 1))[:3]).max()
            if not off < 1e-6:
                sys.exit(f"{path}: voxel {i}, {j}, {k} is {off} mm off")
        index = frame.FrameContentSequence[0].DimensionIndexValues
        expect("plane", numpy.atleast_1d(index)[-1], k + 1)
    expect("frame of reference", data.FrameOfReferenceUID, "1.2.3.5")
    return dim


def check_segmentation(data):
    dim = check_places(data)
    wanted = numpy.fromfile(path + ".raw", numpy.uint8).reshape(dim[::-1]) > 0
    expect("bits", data.BitsAllocated, 1)
    if not numpy.array_equal(data.pixel_array.reshape(wanted.shape) > 0, wanted):
        sys.exit(f"{path}: other voxels")
    one = data.SegmentSequence[0]
    expect("algorithm", (one.SegmentAlgorithmType, one.SegmentAlgorithmName), ("AUTOMATIC", "hemotile"))
    expect("type", one.SegmentedPropertyTypeCodeSequence[0].CodeValue, "59820001")
    for frame in data.PerFrameFunctionalGroupsSequence:
        expect("segment", frame.SegmentIdentificationSequence[0].ReferencedSegmentNumber, 1)


def check_map(data):
    dim = check_places(data)
    wanted = numpy.fromfile(path + ".raw", numpy.float32).reshape(dim[::-1])
    found = numpy.frombuffer(data[0x7FE00008].value, numpy.float32).reshape(wanted.shape)
    if not numpy.array_equal(found, wanted):
        sys.exit(f"{path}: other values")
    real = data.SharedFunctionalGroupsSequence[0].RealWorldValueMappingSequence[0]
    code = real.MeasurementUnitsCodeSequence[0]
    expect("unit", (code.CodeValue, code.CodingSchemeDesignator), (UNITS[kind], "UCUM"))
    expect("slope", (real.RealWorldValueSlope, real.RealWorldValueIntercept), (1, 0))
    expect("padding", data.FloatPixelPaddingValue, -1 if kind == "wall" else 0)
    inside = found[found != data.FloatPixelPaddingValue]
    expect("largest value", real.DoubleFloatRealWorldValueLastValueMapped, inside.max())


def check_capture(data):
    wanted = numpy.fromfile(path + ".raw", numpy.uint8).reshape(data.Rows, data.Columns, 3)
    if not numpy.array_equal(data.pixel_array, wanted):
        sys.exit(f"{path}: another picture")
    expect("burned in", data.BurnedInAnnotation, "YES")


def check_document(data):
    wanted = open(path + ".pdf", "rb").read()
    expect("length", data.get("EncapsulatedDocumentLength", len(wanted)), len(wanted))
    expect("document", data.EncapsulatedDocument[:len(wanted)], wanted)
    expect("type", data.MIMETypeOfEncapsulatedDocument, "application/pdf")


def check_identity(data):
    expect("name", str(data.PatientName), "D\u00d6E^JANE")
    expect("patient", (data.PatientID, data.PatientBirthDate, data.PatientSex), ("4711", "19310407", "F"))
    expect("study", (data.StudyInstanceUID, data.StudyDate, data.StudyTime, data.StudyID), ("1.2.3.4", "20190823", "101112", "7"))
    expect("accession", data.AccessionNumber, "998877")
    expect("modality", data.Modality, SERIES[kind])
    for uid in (data.SOPInstanceUID, data.SeriesInstanceUID):
        if not uid.startswith("2.25.") or not uid.is_valid:
            sys.exit(f"{path}: the UID {uid}")
    if "PatientIdentityRemoved" in data:
        sys.exit(f"{path}: claims to be pseudonymous")


def check_standard():
    if not shutil.which("dciodvfy"):
        print("dciodvfy (dicom3tools) is not installed: the standard is not checked")
        return
    told = subprocess.run(["dciodvfy", path], capture_output=True, text=True, errors="replace")
    wrong = [line for line in (told.stdout + told.stderr).splitlines() if line.startswith("Error")]
    if wrong:
        sys.exit(f"{path}: " + "\n".join(wrong))


kind, path = sys.argv[1:3]
dataset = pydicom.dcmread(path)
check_identity(dataset)
{"segmentation": check_segmentation, "speed": check_map, "wall": check_map,
 "capture": check_capture, "document": check_document}[kind](dataset)
check_standard()
