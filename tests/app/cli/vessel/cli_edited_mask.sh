# A mask corrected by hand is used, with a message, and never overwritten unasked.
. "$(dirname "$0")/../check.sh"
needs nibabel numpy
expect 0 phantom pipe -o sample --format nifti --spacing 0.4
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
expect 0 info out
says stdout "mask.nii.gz was edited since"
before=$(number out/summary.json manifest.segment.volume_ml)
expect 2 run out
says stderr "was edited by hand"
expect 2 segment out
expect 3 export out
says stderr "hemotile solve out"
expect 0 solve out --steps 20 --quiet
says stderr "was edited by hand"
expect 0 export out --quiet
expect 0 info out
if grep -q "was edited since" stdout; then fail "the flow is that of the edited mask"; fi
"$PYTHON" - "$before" <<'PY' || fail "the volume is not that of the edited mask"
import json, sys
s = json.load(open("out/summary.json"))
voxel_ml = s["flow"]["spacing_mm"] ** 3 / 1000
lost = (float(sys.argv[1]) - s["manifest"]["segment"]["volume_ml"]) / voxel_ml
sys.exit(not abs(lost - 1) < 0.01)
PY
[ "$(number out/summary.json mask_edited)" = True ] || fail "the summary does not say so"
[ "$(sha256sum out/mask.nii.gz)" = "$edited" ] || fail "the edited mask was overwritten"

# Saved in another place it is refused before anything is computed; resampled in place it is not.
cp out/mask.nii.gz edited.nii.gz
"$PYTHON" - <<'PY' || fail "the masks could not be written"
import nibabel, numpy
image = nibabel.load("edited.nii.gz")
drawn = numpy.asarray(image.dataobj)
for how in ("identity", "shifted", "one-off", "less-one", "less-two", "less-last", "half-spacing",
            "empty"):
    data, affine = drawn, image.affine.copy()
    if how == "identity":
        affine = numpy.eye(4)
    if how == "shifted":
        affine[0, 3] += 50
    if how == "one-off":  # by one voxel
        affine[:3, 3] += affine[:3, 2]
    if how == "less-one":  # a plane is gone, and the affine was kept
        data = data[1:]
    if how == "less-two":
        data = data[:, 2:]
    if how == "less-last":
        data = data[:, :, :-1]
    if how == "half-spacing":  # each voxel is eight
        data = data.repeat(2, 0).repeat(2, 1).repeat(2, 2)
        affine[:3, 3] -= affine[:3, :3] @ [0.25, 0.25, 0.25]
        affine[:3, :3] /= 2
    if how == "empty":
        data = numpy.zeros(data.shape, "uint8")
    nibabel.save(nibabel.Nifti1Image(data, affine), how + ".nii.gz")
PY
for how in identity shifted one-off less-one less-two less-last; do
  cp $how.nii.gz out/mask.nii.gz
  for stage in tile solve; do
    expect 11 $stage out --quiet
    says stderr "does not lie where"
    says stderr "affine"
  done
done
cp half-spacing.nii.gz out/mask.nii.gz
expect 0 tile out --quiet
half=$("$PYTHON" -c "print($(number out/manifest.json segment.spacing_mm) / 2)")
near "$(number out/tiling.json spacing_mm)" "$half" 1e-4
cp edited.nii.gz out/mask.nii.gz
expect 0 segment out --force --quiet
there out/mask_edited_1.nii.gz
[ "$(sha256sum <out/mask_edited_1.nii.gz)" = "${edited%% *}  -" ] || fail "the edited mask is lost"
absent out/flow.bin out/summary.json

# An empty mask: the message says what to do, and --force restores hemotile's own mask.
cp empty.nii.gz out/mask.nii.gz
expect 13 solve out --device cpu --steps 1
says stderr "the edited mask is empty"
says stderr "hemotile segment out --force"
expect 0 segment out --force --quiet
expect 0 solve out --device cpu --steps 1 --quiet
says out/hemotile.log "stopped after 1 step as asked"
expect 0 export out --quiet
says stderr "it was stopped after 1 step,"

# Two labels, as 3D Slicer saves two segments: all of them are the vessel, and the results say so.
"$PYTHON" - <<'PY'
import nibabel, numpy
image = nibabel.load("out/mask.nii.gz")
data = numpy.asarray(image.dataobj).copy()
data[:, :, data.shape[2] // 2:] *= 2
nibabel.save(nibabel.Nifti1Image(data, image.affine, image.header), "out/mask.nii.gz")
PY
expect 0 tile out
says stderr "warning: out/mask.nii.gz: the mask has 2 labels (1 to 2)"

# One opening more than before is an error, not a warning: the case has to list it.
expect 0 run sample/scan.nii.gz -o guessed --nodes-across 8 --steps 5 --flow 0.5 --device cpu
says stderr "roles were guessed"
grep -q "roles were guessed" guessed/summary.json || fail "summary.json does not say so"
cp -r guessed more
"$PYTHON" - <<'PY'
import json, nibabel, numpy
image = nibabel.load("more/mask.nii.gz")
data = numpy.asarray(image.dataobj).repeat(2, 0).repeat(2, 1).repeat(2, 2)
affine = image.affine.copy()
affine[:3, 3] -= affine[:3, :3] @ [0.25, 0.25, 0.25]
affine[:3, :3] /= 2
nibabel.save(nibabel.Nifti1Image(data, affine), "more/mask.nii.gz")
known = json.load(open("more/openings.json"))
known["openings"] = [o for o in known["openings"] if o["role"] == "inlet"]
json.dump(known, open("more/openings.json", "w"))  # as if it had ended in a dome
PY
for stage in tile solve; do
  expect 14 $stage more --quiet
  says stderr "was not there before"
  says stderr "role: wall"
done
sed 's/.*`\(- {[^`]*}\)`.*/  \1/;t;d' stderr >>more/case.yaml
expect 0 tile more --quiet

# An edit that turns in- and outlet round does not do so silently; the tiles are those of the edit.
nodes=$(number guessed/tiling.json fluid_nodes)
"$PYTHON" - <<'PY'
import json, nibabel, numpy
image = nibabel.load("guessed/mask.nii.gz")
data = numpy.asarray(image.dataobj).copy()
inlet = [o for o in json.load(open("guessed/openings.json"))["openings"] if o["role"] == "inlet"][0]
ras = numpy.array([-inlet["centre_mm"][0], -inlet["centre_mm"][1], inlet["centre_mm"][2]])
k = (numpy.linalg.inv(image.affine) @ numpy.append(ras, 1))[2]
end = slice(0, 6) if k < data.shape[2] / 2 else slice(-6, None)
middle = (numpy.argwhere(data).min(0) + numpy.argwhere(data).max(0)) / 2
x, y = numpy.indices(data.shape[:2])
data[(x - middle[0]) ** 2 + (y - middle[1]) ** 2 > 3**2, end] = 0  # a narrow end
nibabel.save(nibabel.Nifti1Image(data, image.affine, image.header), "guessed/mask.nii.gz")
PY
expect 0 solve guessed --steps 5 --device cpu
says stderr "and is now 'inlet', inlet"
says stderr "and is now 'outlet-1', outlet"
says stderr "inlet  radius"
[ "$(number guessed/tiling.json fluid_nodes)" != "$nodes" ] || fail "tiling.json is of the old mask"
no_halves
done_testing
