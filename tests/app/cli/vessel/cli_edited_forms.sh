# mask.nii.gz lies where the scan's vessel is, as nibabel reads it; and in whatever form a person's
# program saves it again, the next solve goes on from it and says so.
. "$(dirname "$0")/../check.sh"
needs nibabel numpy
expect 0 phantom pipe-oblique -o sample --format nifti --spacing 0.4
expect 0 run sample/case.yaml -o out --nodes-across 8 --steps 5 --device cpu --quiet
"$PYTHON" - <<'PY' || fail "the mask does not lie where the vessel is"
import nibabel, numpy
mask, truth = nibabel.load("out/mask.nii.gz"), nibabel.load("sample/truth_mask.nii.gz")
assert mask.header["sform_code"] > 0 and mask.header["qform_code"] > 0
assert mask.header["xyzt_units"] & 7 == 2, "mm"
corner = numpy.append(mask.shape, 1)
for at in (numpy.zeros(4) + [0, 0, 0, 1], corner):  # the two ways to say it agree
    assert numpy.abs(mask.get_sform() @ at - mask.get_qform() @ at).max() < 0.02
inside = numpy.argwhere(numpy.asarray(mask.dataobj))
at = nibabel.affines.apply_affine(numpy.linalg.inv(truth.affine) @ mask.affine, inside)
at = numpy.clip(numpy.rint(at).astype(int), 0, numpy.array(truth.shape) - 1)
found = numpy.asarray(truth.dataobj)[tuple(at.T)].mean()
assert found > 0.93, found  # the rest: nodes of the wall beside a coarser voxel
PY
cp out/mask.nii.gz written.nii.gz
voxels=$("$PYTHON" -c "import nibabel; print(int(nibabel.load('written.nii.gz').get_fdata().sum()))")

forms="uint8 int16 labels float scaled big-endian canonical turned sform-only qform-only"
"$PYTHON" - $forms <<'PY' || fail "the masks could not be written"
import gzip, nibabel, numpy, sys
image = nibabel.load("written.nii.gz")
drawn = numpy.asarray(image.dataobj).copy()
inside = numpy.argwhere(drawn)
x, y, z = (inside.min(0) + inside.max(0)) // 2
drawn[x, y, z] = 0  # the edit: a clot
for how in sys.argv[1:]:
    data = drawn.copy()
    new = nibabel.Nifti1Image(data, image.affine)
    if how == "int16":
        new = nibabel.Nifti1Image(data.astype("int16"), image.affine)
    if how == "labels":  # ITK-SNAP: several labels in one file
        data = data.astype("int32")
        data[..., : data.shape[2] // 2] *= 2
        new = nibabel.Nifti1Image(data, image.affine)
    if how == "float":
        new = nibabel.Nifti1Image(data.astype("float32"), image.affine)
    if how == "scaled":  # stored as 0 and 100, with a slope
        new = nibabel.Nifti1Image(data, image.affine)
        new.header.set_slope_inter(0.01, 0)
    if how == "big-endian":
        new = nibabel.Nifti1Image(data, image.affine, nibabel.Nifti1Header(endianness=">"))
    if how == "canonical":  # other order of the axes in the file, the same place
        new = nibabel.as_closest_canonical(new)
    if how == "turned":
        new = nibabel.Nifti1Image(data.transpose(2, 0, 1)[::-1], image.affine @ numpy.array(
            [[0, 1, 0, 0], [0, 0, 1, 0], [-1, 0, 0, data.shape[2] - 1], [0, 0, 0, 1.0]]))
    if how == "sform-only":
        new.set_qform(None, 0)
    if how == "qform-only":
        new.set_qform(image.affine, 1)
        new.set_sform(None, 0)
    nibabel.save(new, "edited.nii")
    with open("edited.nii", "rb") as file, gzip.open(how + ".nii.gz", "wb", compresslevel=1) as to:
        to.write(file.read())
PY
for how in $forms; do
  cp $how.nii.gz out/mask.nii.gz
  sum=$(sha256sum <out/mask.nii.gz)
  expect 0 tile out
  says stderr "was edited by hand"
  says stderr "$((voxels - 1)) voxels drawn, $((voxels - 1)) used"
  [ "$(number out/manifest.json mask_edited)" = True ] || fail "$how: the manifest does not say so"
  [ "$(number out/manifest.json mask_edited_sha256)" = "${sum%% *}" ] || fail "$how: not its hash"
  [ "$(number out/openings.json openings.1.at_border)" = True ] || fail "$how: other openings"
  [ "$(sha256sum <out/mask.nii.gz)" = "$sum" ] || fail "$how: the edited mask was changed"
done
enough_with_sanitizers

expect 0 solve out --steps 5 --device cpu
says stderr "was edited by hand"
expect 0 export out
[ "$(number out/summary.json mask_edited)" = True ] || fail "the summary does not say so"

# Erased at one end, the vessel ends inside: the opening is found there.
"$PYTHON" - <<'PY'
import nibabel, numpy
image = nibabel.load("written.nii.gz")
data = numpy.asarray(image.dataobj).copy()
data[:, :, -8:] = 0
nibabel.save(nibabel.Nifti1Image(data, image.affine), "out/mask.nii.gz")
PY
expect 0 solve out --steps 5 --device cpu
"$PYTHON" - <<'PY' || fail "the new end is not found"
import json
openings = json.load(open("out/openings.json"))["openings"]
assert len(openings) == 2 and sum(o["at_border"] for o in openings) == 1, openings
a, b = (o["radius_mm"] for o in openings)
assert abs(a / b - 1) < 0.06, (a, b)
PY
no_halves
done_testing
