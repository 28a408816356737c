# Input that is no scan: its own exit code, a reason, and no results folder.
. "$(dirname "$0")/check.sh"
expect 10 run nowhere.nii -o out
says stderr "nowhere.nii"
expect 10 run nowhere.yaml -o out
expect 10 info nowhere
expect 10 segment nowhere
expect 10 solve nowhere
mkdir empty
expect 11 run empty -o out
says stderr "empty"
expect 10 segment empty
says stderr "hemotile import"
"$PYTHON" "$here/make_nifti.py" pipe pipe.nii
head -c 5000 pipe.nii >truncated.nii
expect 11 run truncated.nii -o out
says stderr "truncated.nii"
says stderr '`hemotile info truncated.nii`'
gzip -c pipe.nii | head -c 150 >truncated.nii.gz
expect 11 run truncated.nii.gz -o out
mkdir texts
echo "this is no DICOM file" >texts/letter.dcm
expect 11 run texts/letter.dcm -o out
expect 11 run texts -o out
expect 11 info texts
absent out
no_halves
done_testing
