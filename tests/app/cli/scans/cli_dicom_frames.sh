# DICOM forms made by public tools, each read as pydicom reads it or refused: dicom_formats.py.
. "$(dirname "$0")/../check.sh"
dicom_formats frames
