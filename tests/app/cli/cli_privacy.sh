# The patient's name, number and dates enter no output: not scan, mask, results, pictures' texts,
# record or log, also where the path, the series' description and the case's name hold them.
. "$(dirname "$0")/check.sh"
"$PYTHON" -c "import pydicom" 2>/dev/null || { echo "needs pydicom"; exit 77; }
expect 0 phantom pipe -o sample --format dicom
mkdir -p archive/Plantedname_Hidden/19310407
"$PYTHON" - <<'PY' || fail "could not plant the identity"
import glob, pydicom
for n, path in enumerate(sorted(glob.glob("sample/dicom/*"))):
    d = pydicom.dcmread(path)
    d.PatientName = "PLANTEDNAME^HIDDEN"
    d.PatientID = "QX-4711-Z"
    d.PatientBirthDate = "19310407"
    d.StudyDate = d.SeriesDate = "20190823"
    d.AccessionNumber = "ACC998877"
    d.SeriesDescription = "pipe of Plantedname"
    d.save_as(f"archive/Plantedname_Hidden/19310407/{n}.dcm")
PY
planted='plantedname|hidden|qx-4711|19310407|1931-04-07|20190823|2019-08-23|998877'

# clean FOLDER: no file of it, unpacked where compressed, holds what was planted.
clean() {
  local file
  while IFS= read -r file; do
    if { gzip -cdf <"$file" 2>/dev/null || cat "$file"; } | grep -aiqE "$planted"; then
      fail "$file holds the patient's identity:"
      { gzip -cdf <"$file" 2>/dev/null || cat "$file"; } | grep -aioE ".{0,40}($planted).{0,20}" |
        head -3
    fi
  done < <(find "$1" -type f)
}

cat >case.yaml <<YAML
name: Plantedname, left
scan: archive/Plantedname_Hidden/19310407
lattice: {nodes_across: 8}
flow: {inlet_flow_ml_s: 0.5, steps: 40}
YAML
expect 0 run case.yaml -o result --quiet
clean result
says stderr "the case's name held the patient's: it is \"[removed], left\" now"
there result/summary.json result/hemotile.log result/scan.nii.gz
grep -q 'archive/\[removed\]/\[removed\]' result/manifest.json || fail "the path is not in the record"
hash=$(number result/manifest.json input.patient_hash)
[[ $hash =~ ^[0-9a-f]{64}$ ]] || fail "no hash of the patient: $hash"

# Again into the same folder, whose log is open before the scan is read; and a failure in between.
expect 12 run archive/Plantedname_Hidden/19310407 -o result --series "Plantedname QX-4711-Z" --force
expect 0 run case.yaml -o result --quiet --force
clean result

# The salt is the user's own: the same patient has the same hash, another user another.
[ "$(stat -c %a config/hemotile/salt)" = 600 ] || fail "others can read the salt"
expect 0 import archive/Plantedname_Hidden/19310407 -o again --quiet
[ "$(number again/manifest.json input.patient_hash)" = "$hash" ] || fail "the hash changed"
clean again
XDG_CONFIG_HOME=$work/other expect 0 import archive/Plantedname_Hidden/19310407 -o other --quiet
[ "$(number other/manifest.json input.patient_hash)" != "$hash" ] || fail "the salt is no secret"

# A segmentation or an archive is of a patient, too.
"$PYTHON" -m zipfile -c scan.zip archive/Plantedname_Hidden/19310407/*.dcm
expect 0 import scan.zip -o zipped --quiet
clean zipped
[ "$(number zipped/manifest.json input.patient_hash)" = "$hash" ] || fail "an archive's hash differs"
cp scan.zip Plantedname_Hidden.zip
expect 0 import Plantedname_Hidden.zip -o zipped --quiet --force # its log is open before
expect 12 import Plantedname_Hidden.zip -o zipped --quiet --force --series none
clean zipped
grep -q 'import \[removed\].zip' zipped/hemotile.log || fail "the archive's name is not in the log"

# The name is in the path, and few of the files tell it: the last after many that were made anonymous,
# one of two patients, those behind a disc's programs, those that a DICOMDIR names.
"$PYTHON" - <<'PY' || fail "could not make the folders"
import glob, os, pydicom, zipfile
from pydicom.fileset import FileSet
slices = sorted(glob.glob("sample/dicom/*"))
for name in ("few_Plantedname", "two_Plantedname"):
    os.makedirs(name)
    for n, path in enumerate(slices[:30]):
        d = pydicom.dcmread(path)
        d.PatientName, d.PatientID, d.StudyDate = "", "", ""
        if name[:3] == "two":
            d.PatientName, d.PatientID = "SOMEBODY^ELSE", "4"
        if n >= 29:
            d.PatientName, d.PatientID = "PLANTEDNAME^HIDDEN", "QX-4711-Z"
        d.save_as(f"{name}/{n:02}.dcm")
with zipfile.ZipFile("late_Plantedname.zip", "w") as file:
    for n in range(80):
        file.writestr(f"0viewer/{n}.dll", b"MZ" + bytes(500))
    for path in glob.glob("archive/Plantedname_Hidden/19310407/*.dcm"):
        file.write(path)
disc = FileSet()
for path in glob.glob("archive/Plantedname_Hidden/19310407/*.dcm"):
    disc.add(path)
disc.write("disc_Plantedname")
PY
for path in few_Plantedname two_Plantedname late_Plantedname.zip disc_Plantedname/DICOMDIR; do
  expect 0 import sample/dicom -o early --quiet --force
  expect 12 import $path -o early --quiet --force --series none
  grep -q 'import .*\[removed\]' early/hemotile.log || fail "$path: its name is in the log"
  clean early
  rm -r early
done

# On request all of it is kept.
expect 0 import archive/Plantedname_Hidden/19310407 -o kept --keep-identity --quiet
[ "$(number kept/manifest.json input.patient.name)" = "PLANTEDNAME^HIDDEN" ] || fail "no name"
[ "$(number kept/manifest.json input.patient.birth_date)" = 19310407 ] || fail "no date of birth"
[ "$(number kept/manifest.json input.path)" = archive/Plantedname_Hidden/19310407 ] || fail "no path"
done_testing
