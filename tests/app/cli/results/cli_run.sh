# A small pipe from end to end on the CPU: the files, the same again, and the stages one by one.
. "$(dirname "$0")/../check.sh"
unset HEMOTILE_PANEL_HEIGHT # pictures as a person gets them
expect 0 phantom pipe -o sample --format nifti --seed 3 --spacing 0.4
sed -i "s/flow_ml_s: 1}/flow_ml_s: 0.8}/" sample/case.yaml # low enough for 8 nodes across
there sample/scan.nii.gz sample/case.yaml sample/truth_mask.nii.gz sample/phantom.json
before=$(cksum sample/*)
options=(--nodes-across 8 --steps 40 --device cpu --quiet)
expect 0 run sample/case.yaml -o out "${options[@]}"
says stdout "Not for clinical decisions."
says stdout "inlet"
says stdout "mean m/s"
says stderr "warning: the flow is not steady"
! grep -q "warning:" stdout || fail "with --quiet the warnings are said twice"
export HEMOTILE_PANEL_HEIGHT=100 # once is enough
there out/case.yaml out/scan.nii.gz out/mask.nii.gz out/openings.json out/tiling.json \
  out/velocity.nii.gz out/pressure.nii.gz out/flow.vti out/wall.vtp out/summary.json \
  out/hemotile.log out/manifest.json out/pictures/mask_on_scan.png out/pictures/projection.png out/pictures/straightened.png out/pictures/sections.png \
  out/pictures/velocity.png out/pictures/wall.png out/centreline.csv out/pictures/centreline.png
absent out/waveforms.csv out/beat.bin # the flow is steady
[ "$(number out/summary.json flow.steps)" = 40 ] || fail "not 40 steps"
[ "$(number out/summary.json steady)" = False ] || fail "40 steps cannot be steady"
[ "$(number out/summary.json manifest.input.files)" = 1 ] || fail "not one input file"
sum=$(sha256sum sample/scan.nii.gz | cut -d' ' -f1)
[ "$(number out/summary.json manifest.input.sha256)" = "$sum" ] || fail "another SHA-256"
asked=$(number out/summary.json openings.0.flow_asked_ml_s)
near "$(number out/summary.json openings.0.flow_ml_s)" "$asked" "$asked"
[ "$(cksum sample/*)" = "$before" ] || fail "the input was changed"

# The flow lies on the very voxels of the mask, and nowhere else.
if has nibabel; then
  "$PYTHON" - <<'PY' || fail "the flow's images are not on the mask's voxels"
import nibabel, numpy
mask = nibabel.load("out/mask.nii.gz")
inside = numpy.asarray(mask.dataobj) > 0
assert mask.header["descrip"] == b"hemotile vessel mask", mask.header["descrip"]
for name, about in ("velocity", b"hemotile velocity m/s LPS"), ("pressure", b"hemotile pressure Pa gauge"):
    image = nibabel.load(f"out/{name}.nii.gz")
    assert image.shape[:3] == mask.shape, (name, image.shape, mask.shape)
    assert numpy.array_equal(image.affine, mask.affine), (name, image.affine, mask.affine)
    assert image.header["descrip"] == about, (name, image.header["descrip"])
    assert image.header["intent_name"] == name.encode(), image.header["intent_name"]
    values = numpy.asarray(image.dataobj).reshape(mask.shape + (-1,))
    assert numpy.isfinite(values).all() and (values[inside] != 0).any(), name
    assert not values[~inside].any(), f"{name} outside the vessel"
PY
fi

# The same command again writes the same flow.
cp out/velocity.nii.gz out/mask.nii.gz .
expect 0 run sample/case.yaml -o out "${options[@]}"
cmp out/mask.nii.gz mask.nii.gz || fail "another mask the second time"
for f in velocity.nii.gz out/velocity.nii.gz; do
  gzip -dc "$f" >"$(dirname "$f")/plain" || fail "$f is damaged"
done
cmp plain out/plain || fail "another velocity the second time"
rm out/plain

# The stages one by one give the same files as `run`.
expect 0 import sample/case.yaml -o steps --quiet
expect 0 segment steps --nodes-across 8 --quiet
expect 0 tile steps --quiet
expect 0 solve steps --steps 40 --device cpu --quiet
expect 0 export steps --quiet
for f in mask.nii.gz openings.json tiling.json; do
  cmp out/$f steps/$f || fail "$f differs between run and the stages"
done
gzip -dc steps/velocity.nii.gz | cmp - plain || fail "another velocity from the stages"
expect 0 info steps
says stdout "Not for clinical decisions."

# From its own folder; a changed setting is noticed.
expect 0 run out --quiet
sed -i 's/viscosity_pa_s: 0.0035/viscosity_pa_s: 0.004/' out/case.yaml
expect 3 export out
says stderr "hemotile solve out"
expect 0 solve out --quiet
expect 0 export out --quiet
near "$(number out/summary.json manifest.options.blood.viscosity_pa_s)" 0.004 1e-12

# Given up before the steady state: exported all the same, and marked.
expect 32 run sample/case.yaml -o out --nodes-across 8 --max-steps 30 --device cpu
says stdout "warning: the flow is not steady"
says stderr "steady"
[ "$(number out/summary.json steady)" = False ] || fail "marked as steady"
says stderr "the results are written and marked"
rm out/summary.json
expect 32 export out # the same from the folder
[ "$(number out/summary.json steady)" = False ] || fail "marked as steady by export"
expect 32 solve out --max-steps 30 --device cpu
says stderr "nothing is exported yet"
says stderr 'hemotile export out`'
absent out/summary.json
expect 0 solve out --steps 30 --device cpu # asked for
says stderr "stopped after 30 steps as asked"
expect 0 export out

# A lattice too coarse for the flow: the hint names both ways on, and both work.
expect 30 solve out --flow 400 --device cpu
says stderr 'go on with `hemotile solve out`; or lattice'
says stderr '`hemotile segment out`'
expect 0 segment out --spacing 0.5 --flow 0.8 --quiet
expect 0 solve out --steps 10 --device cpu
no_halves
done_testing
