# What may be written where.
. "$(dirname "$0")/check.sh"
mkdir scans photos
"$PYTHON" "$here/make_nifti.py" pipe scans/pipe.nii
touch photos/cat.jpg
before=$(ls -l scans photos)
expect 2 run scans/pipe.nii -o scans
says stderr "never changed"
expect 2 run scans/pipe.nii -o photos
says stderr "holds other files"
expect 2 run scans/pipe.nii -o scans/pipe.nii
says stderr "wants a folder"
expect 2 run scans -o scans/result
says stderr "never changed"
expect 2 phantom pipe -o photos
[ "$(ls -l scans photos)" = "$before" ] || fail "something was written"
mkdir closed && chmod 500 closed
if [ ! -w closed ]; then # root may write everywhere
  expect 21 import scans/pipe.nii -o closed/result
  says stderr "closed/result"
fi
mkdir result # empty: welcome
expect 0 import scans/pipe.nii -o result
says stdout "result"
there result/scan.nii.gz result/case.yaml result/manifest.json
expect 0 import scans/pipe.nii -o result # again: its own

# The case of another scan is not replaced unasked, nor by a run that then fails.
"$PYTHON" "$here/make_nifti.py" ball scans/ball.nii
before=$(cksum result/scan.nii.gz result/case.yaml result/manifest.json)
label=$(number result/manifest.json input.path)
[[ $label =~ ^file-[0-9a-f]{12}\.nii$ ]] || fail "the scan is called $label"
expect 0 info scans/pipe.nii
says stdout "\"of $label\"" # by this the user finds the scan of a case
expect 0 info result
says stdout "case folder of $label"
for command in run import; do
  expect 2 $command scans/ball.nii -o result
  says stderr "another scan ($label), and this is scans/ball.nii (file-"
  says stderr "--force"
done
printf 'mask: scans/pipe.nii\n' >mask.yaml # the same file, but not as a scan
expect 2 import mask.yaml -o result
says stderr "scans/pipe.nii ($label), which has changed since or is read as another kind"
[ "$(cksum result/scan.nii.gz result/case.yaml result/manifest.json)" = "$before" ] ||
  fail "the case of another scan was changed"
expect 0 import scans/ball.nii -o result --force
[ "$(number result/manifest.json input.path)" != "$label" ] || fail "not replaced"

# Settings that were edited in the folder are kept where a run brings others.
expect 0 import scans/ball.nii -o result --quiet
absent result/case_edited_1.yaml
sed -i 's/^  lower: auto/  lower: 0.5/' result/case.yaml
cp result/case.yaml edited.yaml
expect 0 import scans/ball.nii -o result --quiet
says stderr "case_edited_1.yaml"
cmp edited.yaml result/case_edited_1.yaml || fail "the edited case is lost"
no_halves
done_testing
