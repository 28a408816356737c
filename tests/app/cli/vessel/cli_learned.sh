# Where the network that sees vessels changes nothing: a vessel that is clear, several that are alike, points.
. "$(dirname "$0")/../check.sh"
# Three vessels alike, and a single one.
for kind in three pipe; do
  "$PYTHON" "$here/make_nifti.py" $kind $kind.nii
  expect 0 import $kind.nii -o $kind
done
expect 13 segment three --set segment.learned=auto
says stderr "3 vessels could be meant (3 pieces of vessel, of which none stands out)"
expect 0 segment pipe --flow 1
cp pipe/mask.nii.gz pipe/openings.json .
expect 0 segment pipe --flow 1 --set segment.learned=auto
for file in mask.nii.gz openings.json; do
  cmp -s $file pipe/$file || fail "a clear vessel has changed: $file"
done
says stderr "stays: it sees 100 % of it as a vessel"
# Between points the network has nothing to find.
expect 0 segment three --vessel 1 --flow 1 --set segment.learned=only
says stderr "segment.learned has no effect: the case says where the vessel is"
no_halves
done_testing
