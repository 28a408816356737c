# A phantom replaces a phantom, and nothing of the user's.
. "$(dirname "$0")/../check.sh"
make_again() { expect "$1" phantom pipe -o sample "${@:2}"; }
make_again 0 --spacing 1
make_again 0 --spacing 1.5 # fewer slices
[ "$(find sample/dicom -type f | wc -l)" -lt 60 ] || fail "slices of the first one are left"
expect 0 info sample/dicom
# Given the folder in place of its case file, a run would take other flows and say nothing.
expect 0 import sample -o taken
says stderr "warning: the folder has a case.yaml, which is not followed"
make_again 0 --format nifti
absent sample/dicom
make_again 0 --spacing 1.5
absent sample/scan.nii.gz

# A file of the user's in its way: refused, and all stays.
refuses() {
  local before
  before=$(find sample -type f -exec sha256sum {} + | sort)
  make_again 2 --spacing 1
  says stderr "$1"
  make_again 2 --format nifti
  says stderr "$1"
  [ "$(find sample -type f -exec sha256sum {} + | sort)" = "$before" ] || fail "$1: changed"
}
cp sample/dicom/slice-0001.dcm sample/dicom/my-scan.dcm
refuses sample/dicom/my-scan.dcm
rm sample/dicom/my-scan.dcm
cp sample/dicom/slice-0001.dcm sample/dicom/slice-9999.dcm
refuses sample/dicom
rm sample/dicom/slice-9999.dcm
echo mine >sample/scan.nii.gz
refuses sample/scan.nii.gz
rm sample/scan.nii.gz
cp sample/case.yaml kept
echo "flow: {max_steps: 7}" >>sample/case.yaml
refuses sample/case.yaml
cp kept sample/case.yaml
echo mine >sample/notes.txt # not in the way
make_again 0 --spacing 1
there sample/notes.txt

# A full disk keeps no part of a phantom, and the next call begins anew.
rm -r sample
(
  ulimit -f 8
  "$HEMOTILE" phantom pipe -o sample --format nifti >stdout 2>stderr
)
code=$?
[ $code = 21 ] || fail "exit code $code, expected 21"
says stderr "sample/"
[ -z "$(ls -A sample)" ] || fail "left in sample: $(ls -A sample)"
make_again 0 --format nifti

# One that was killed left its mark, and what it had written so far.
sed -i 's/"complete": true/"complete": false/' sample/phantom.json
echo half >sample/truth_mask.nii.gz
make_again 0 --format nifti
no_halves

# A random scene takes its place, and makes room for a phantom again.
expect 0 phantom scene --seed 119 -o sample
says stdout "CTA"
there sample/scan.nii.gz
there sample/truth_distance.nii.gz
absent sample/case.yaml
[ "$(head -1 sample/points.csv)" = name,x_mm,y_mm,z_mm ] || fail "header of points.csv"
[ "$(cut -d, -f1 sample/points.csv | tail -n +2 | paste -sd' ')" = "inlet outlet-1" ] || fail "points"
make_again 0 --spacing 1.5
absent sample/points.csv
done_testing
