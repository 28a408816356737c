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
no_halves
done_testing
