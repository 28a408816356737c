# A mask corrected by hand is used, said to be, and never overwritten unasked.
. "$(dirname "$0")/check.sh"
"$PYTHON" -c "import nibabel, numpy" 2>/dev/null || { echo "needs nibabel"; exit 77; }
expect 0 phantom pipe -o sample --format nifti
expect 0 run sample/case.yaml -o out --nodes-across 8 --steps 20 --device cpu --quiet
[ "$(number out/summary.json mask_edited)" = False ] || fail "not edited yet"
"$PYTHON" - <<'PY'
import nibabel, numpy
image = nibabel.load("out/mask.nii.gz")
data = numpy.asarray(image.dataobj).copy()
print(data.shape, int(data.sum()))
inside = numpy.argwhere(data)
x, y, z = (inside.min(0) + inside.max(0)) // 2
data[x, y, z] = 0  # a clot in the middle of the pipe
nibabel.save(nibabel.Nifti1Image(data, image.affine, image.header), "out/mask.nii.gz")
PY
edited=$(sha256sum out/mask.nii.gz)
expect 2 run out
says stderr "was edited by hand"
expect 2 segment out
expect 3 export out
says stderr "hemotile solve out"
expect 0 solve out --steps 20 --quiet
says stderr "was edited by hand"
expect 0 export out --quiet
[ "$(number out/summary.json mask_edited)" = True ] || fail "the summary does not say so"
[ "$(sha256sum out/mask.nii.gz)" = "$edited" ] || fail "the edited mask was overwritten"
expect 0 segment out --force --quiet
there out/mask_edited_1.nii.gz
[ "$(sha256sum <out/mask_edited_1.nii.gz)" = "${edited%% *}  -" ] || fail "the edited mask is lost"
absent out/flow.bin out/summary.json
no_halves
done_testing
