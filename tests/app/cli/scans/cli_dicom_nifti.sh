# The same scan as a DICOM series and as NIfTI: the same volume (values and positions), the same mask.
. "$(dirname "$0")/../check.sh"
needs nibabel numpy
expect 0 phantom pipe-oblique -o sample --format dicom --seed 5
expect 0 import sample/case.yaml -o from_dicom --quiet
sed 's|^scan:.*|scan: ../from_dicom/scan.nii.gz|' sample/case.yaml >sample/nifti.yaml
expect 0 import sample/nifti.yaml -o from_nifti --quiet
"$PYTHON" - <<'PY' || fail "the volumes differ"
import nibabel, numpy, sys
a, b = (nibabel.load(f"from_{kind}/scan.nii.gz") for kind in ("dicom", "nifti"))
same = numpy.array_equal(a.get_fdata(), b.get_fdata()) and a.get_fdata().std() > 0
corners = numpy.array([[i, j, k, 1] for i in (0, a.shape[0]) for j in (0, a.shape[1])
                       for k in (0, a.shape[2])])
off = abs(corners @ a.affine.T - corners @ b.affine.T).max()
print(f"values equal: {same}; positions differ by {off:.1e} mm at most")
sys.exit(not (same and off < 1e-4))
PY
for kind in dicom nifti; do expect 0 segment from_$kind --nodes-across 10 --quiet; done
"$PYTHON" - <<'PY' || fail "the masks differ"
import nibabel, numpy, sys
a, b = (numpy.asarray(nibabel.load(f"from_{kind}/mask.nii.gz").dataobj)
        for kind in ("dicom", "nifti"))
print(a.shape, b.shape, a.sum(), (a != b).sum() if a.shape == b.shape else "other size")
sys.exit(not (a.shape == b.shape and a.sum() > 0 and (a == b).all()))
PY
# One run from the DICOM series finds the vessel that the stages do.
expect 0 run sample/case.yaml -o from_run --nodes-across 10 --steps 1 --device cpu --quiet
cmp from_run/mask.nii.gz from_dicom/mask.nii.gz || fail "run and segment differ"
done_testing
