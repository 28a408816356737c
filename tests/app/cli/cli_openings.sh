# Masks whose openings do not make a flow: exit code 14, and the mask stays to be looked at.
. "$(dirname "$0")/check.sh"
for kind in ball two pipe empty; do
  "$PYTHON" "$here/make_nifti.py" $kind $kind.nii
  printf 'mask: %s.nii\nlattice: {spacing_mm: 0.5}\n' $kind >$kind.yaml
done
expect 14 run ball.yaml -o "a ball" --flow 2
says stderr "look at a ball/pictures/mask_on_scan.png"
says stderr "in a ball/case.yaml"
says stderr "hemotile segment 'a ball'"
mv "a ball" ball
says stderr "no opening"
expect 3 tile ball # `info` says that the segmentation is not done
says stderr "did not come to its end"
expect 0 info ball
says stdout "segment  not done"
there ball/mask.nii.gz ball/pictures/mask_on_scan.png ball/hemotile.log
absent ball/summary.json ball/flow.bin
grep -q "no opening" ball/hemotile.log || fail "the log does not say why"
expect 13 run empty.yaml -o empty --flow 2
absent empty

# Two stumps: whichever piece is kept has one opening only.
expect 14 run two.yaml -o two --flow 2
says stderr "the mask has 2 separate pieces: one is kept"
absent two/summary.json

cat >far.yaml <<'Y'
mask: pipe.nii
lattice: {spacing_mm: 0.5}
openings:
  - {role: inlet, near_mm: [100, 0, 0], flow_ml_s: 2}
Y
expect 14 run far.yaml -o far
says stderr "far.yaml:4:6"
says stderr "near_mm: ["
no_halves
done_testing
