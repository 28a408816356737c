# A series with a gantry tilt of 14 degrees: what `import` leaves has, at every place, the value that
# pydicom reads of the slice there (linear between its pixels).
. "$(dirname "$0")/../check.sh"
scan=${HEMOTILE_DATA:-}/dicom-hard/gantrytilting/001
[ -d "$scan" ] || { echo "no real scans in HEMOTILE_DATA"; exit 77; }
needs nibabel numpy pydicom
expect 0 import "$scan" -o tilt
says stderr "note: a gantry tilt of 14.00 degrees was sheared back (resampled)"
"$PYTHON" - "$scan" <<'PY' || fail "the import differs from pydicom's slices"
import glob, sys
import nibabel, numpy as np, pydicom
image = nibabel.load("tilt/scan.nii.gz")
voxels = np.asarray(image.dataobj, float)
places = seen = worst = 0
for path in glob.glob(sys.argv[1] + "/*.dcm"):
    d = pydicom.dcmread(path)
    pixels = d.pixel_array * float(d.RescaleSlope) + float(d.RescaleIntercept)
    first = np.array(d.ImagePositionPatient, float)
    a, b = np.array(d.ImageOrientationPatient, float).reshape(2, 3)
    size = float(d.PixelSpacing[0])
    for i in (100, 256, 400):
        for j in range(60, 470, 7):
            for k in range(voxels.shape[2]):
                at = (image.affine @ [i, j, k, 1])[:3] * [-1, -1, 1] - first
                places += 1
                if abs(at @ np.cross(a, b)) > 1e-3:
                    continue
                column, row = at @ a / size, at @ b / size
                low = int(np.floor(row + 1e-9))
                part = row - low
                assert abs(column - round(column)) < 2e-3
                value = (1 - part) * pixels[low, round(column)] + part * pixels[low + 1, round(column)]
                worst = max(worst, abs(value - voxels[i, j, k]))
                seen += 1
print(f"{seen} of {places} places in the plane of a slice; largest difference {worst:.3f} HU")
sys.exit(not (seen == places // 4 and worst < 0.1))
PY
done_testing
