"""The DICOM series that hemotile writes, read by pydicom: every attribute that a reader needs, and
the values within the rounding of their slope.

    check_dicom_series.py WRITE_SERIES        (exit code 77: no pydicom here)
"""
import os
import re
import subprocess
import sys
import tempfile

try:
    import numpy
    import pydicom
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

checks = 0


def check(fact, what):
    global checks
    checks += 1
    if not fact:
        sys.exit(f"failed: {what}")


def near(got, expected, tolerance, what):
    off = numpy.max(numpy.abs(numpy.asarray(got, float) - numpy.asarray(expected, float)))
    check(off <= tolerance, f"{what}: got {got}, expected {expected} within {tolerance}")


def expected_of(folder, name):
    lines = open(f"{folder}/{name}.txt").read().splitlines()
    rows = [[float(x) for x in line.split()] for line in lines[1:]]
    dim = [int(x) for x in rows[0]]
    values = numpy.fromfile(f"{folder}/{name}.f32", "<f4").reshape(dim[::-1])
    return lines[0], dim, rows[1], rows[2], numpy.array(rows[3:6]), values


def check_slice(name, k, image, expected):
    modality, dim, spacing, origin, direction, values = expected
    here = f"{name}, slice {k}"
    check(image.Modality == modality, f"{here}: modality {image.Modality}")
    storage = {"CT": "1.2.840.10008.5.1.4.1.1.2", "MR": "1.2.840.10008.5.1.4.1.1.4"}[modality]
    check(image.SOPClassUID == storage, f"{here}: SOP class")
    check(image.file_meta.MediaStorageSOPInstanceUID == image.SOPInstanceUID, f"{here}: file meta")
    check(image.file_meta.TransferSyntaxUID.is_little_endian, f"{here}: byte order")
    check(not image.file_meta.TransferSyntaxUID.is_compressed, f"{here}: compressed")
    check((image.Columns, image.Rows) == (dim[0], dim[1]), f"{here}: size")
    layout = (image.BitsAllocated, image.BitsStored, image.HighBit, image.SamplesPerPixel)
    check(layout == (16, 16, 15, 1), f"{here}: bits {layout}")
    check(image.PixelRepresentation == 1, f"{here}: not signed")
    check(image.PhotometricInterpretation == "MONOCHROME2", f"{here}: photometric")
    check(image.InstanceNumber == k + 1, f"{here}: instance number")
    # A decimal string has 16 characters.
    near(image.PixelSpacing, [spacing[1], spacing[0]], 1e-12, f"{here}: pixel spacing (row, column)")
    near(image.SliceThickness, spacing[2], 1e-12, f"{here}: thickness")
    near(image.SpacingBetweenSlices, spacing[2], 1e-12, f"{here}: between slices")
    position = numpy.array(origin) + direction[:, 2] * spacing[2] * k
    near(image.ImagePositionPatient, position, 1e-9, f"{here}: position")
    axes = numpy.concatenate([direction[:, 0], direction[:, 1]])
    near(image.ImageOrientationPatient, axes, 1e-12, f"{here}: orientation")
    near(image.SliceLocation, position @ direction[:, 2], 1e-9, f"{here}: location")
    slope, intercept = float(image.RescaleSlope), float(image.RescaleIntercept)
    check(slope > 0, f"{here}: slope {slope}")
    got = image.pixel_array.astype(float) * slope + intercept
    # Half a slope, and the float32 rounding of the values themselves.
    slack = 0.5 * slope * (1 + 1e-6) + 1e-7 * numpy.max(numpy.abs(values))
    whole = bool(numpy.all(values == numpy.rint(values)))
    near(got, values[k], 0 if whole else slack, f"{here}: values")
    if modality == "CT":
        check((slope, intercept) == (1, -1024), f"{here}: {slope}, {intercept}")
    for element in image:
        if element.VR == "DS":
            for text in element.value if element.VM > 1 else [element.value]:
                check(len(str(text)) <= 16, f"{here}: {element.keyword} is longer than 16")


def check_identity(name, images):
    for keyword in ("StudyInstanceUID", "SeriesInstanceUID", "FrameOfReferenceUID", "PatientID"):
        check(len({str(i[keyword].value) for i in images}) == 1, f"{name}: {keyword} differs")
    uids = {i.SOPInstanceUID for i in images}
    check(len(uids) == len(images), f"{name}: SOP instance UIDs are not unique")
    for uid in uids | {images[0].StudyInstanceUID, images[0].SeriesInstanceUID}:
        check(re.fullmatch(r"2\.25\.[1-9]\d*", uid) and len(uid) <= 64, f"{name}: UID {uid}")
    check(str(images[0].PatientName) == "PHANTOM^ANEURYSM", f"{name}: {images[0].PatientName}")
    check("no patient" in images[0].ImageComments, f"{name}: does not say that it is simulated")


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, folder], check=True)
        series = set()
        for name in ("phantom", "fractions", "wide", "constant"):
            expected = expected_of(folder, name)
            files = sorted(os.listdir(f"{folder}/{name}"))
            check(len(files) == expected[1][2], f"{name}: {len(files)} files")
            images = [pydicom.dcmread(f"{folder}/{name}/{file}") for file in files]
            for k, image in enumerate(images):
                check_slice(name, k, image, expected)
            check_identity(name, images)
            series.add(images[0].SeriesInstanceUID)
        check(len(series) == 4, "series share a UID")
    print(f"{checks} checks passed")


main(sys.argv[1])
