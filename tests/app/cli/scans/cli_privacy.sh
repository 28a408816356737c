# The patient's name, number and dates enter no output: not scan, mask, results, pictures' texts,
# record or log, also where the path, the series' description and the case's name hold them.
. "$(dirname "$0")/../check.sh"
needs pydicom
expect 0 phantom pipe -o sample --format dicom --spacing 0.5
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
planted='plantedname|hidden|qx-4711|19310407|1931-04-07|20190823|2019-08-23|acc998877|\b0*998877\b'

# plain FILE: what it holds, unpacked where compressed. Of a page what it says of the case: without
# its code, which has words like "hidden", and without pictures and blocks of numbers in base64.
plain() {
  case $1 in
  *.html) sed -E '/^<style>$/,/^<\/style>$/d; /^<script>$/,/^<\/script>$/d; s/base64,[^"]*//g
    s/(<script type="application\/octet-stream"[^>]*>)[^<]*/\1/g' "$1" ;;
  *) gzip -cdf <"$1" 2>/dev/null || cat "$1" ;;
  esac
}

# headers FOLDER: its DICOM files without their pixels, whose grey values may be letters by chance. Into
# a file, in which pydicom goes back.
headers() {
  "$PYTHON" - "$1" <<'PY'
import glob, pydicom, sys
for path in glob.glob(f"{sys.argv[1]}/dicom/*.dcm"):
    data = pydicom.dcmread(path)
    for name in "PixelData", "FloatPixelData":
        if name in data:
            del data[name]
    pydicom.dcmwrite(sys.stdout.buffer, data)
PY
}

# look NAME: its input has nothing of what was planted.
look() {
  local found
  found=$(grep -aioE ".{0,40}($planted).{0,20}" | head -3 | tr -d '\0')
  [ -z "$found" ] || fail "$1 holds the patient's identity:" "$found"
}

# clean FOLDER: no file of it, unpacked where compressed, holds what was planted.
clean() {
  local file
  while IFS= read -r file; do
    look "$file" < <(plain "$file")
  done < <(find "$1" -type f ! -name "*.dcm")
  [ -d "$1/dicom" ] || return 0
  headers "$1" >headers && [ -s headers ] || fail "$1/dicom could not be read"
  look "$1/dicom" <headers
}

cat >case.yaml <<YAML
name: Plantedname, left
scan: archive/Plantedname_Hidden/19310407
lattice: {nodes_across: 8}
flow: {inlet_flow_ml_s: 0.5, steps: 5}
YAML
expect 0 run case.yaml -o result --quiet --dicom
clean result
there result/dicom/speed.dcm
says stderr 'the name "Plantedname, left" of the case may hold the patient'"'"'s'
says result/hemotile.log 'the name "[removed]" of the case may hold'
there result/summary.json result/hemotile.log result/scan.nii.gz
[[ $(number result/manifest.json input.path) =~ ^folder-[0-9a-f]{12}$ ]] || fail "the scan has no label"
hash=$(number result/manifest.json input.patient_hash)
[[ $hash =~ ^[0-9a-f]{64}$ ]] || fail "no hash of the patient: $hash"

# Again into the same folder, whose log is open before the scan is read; and a failure in between.
expect 12 run archive/Plantedname_Hidden/19310407 -o result --series "Plantedname QX-4711-Z" --force
expect 0 import case.yaml -o result --quiet --force
clean result

# The salt is the user's own: the same patient has the same hash, another user another.
[ "$(stat -c %a config/hemotile/salt)" = 600 ] || fail "others can read the salt"
expect 0 import archive/Plantedname_Hidden/19310407 -o again --quiet
[ "$(number again/manifest.json input.patient_hash)" = "$hash" ] || fail "the hash changed"
clean again
XDG_CONFIG_HOME=$work/other expect 0 import archive/Plantedname_Hidden/19310407 -o other --quiet
[ "$(number other/manifest.json input.patient_hash)" != "$hash" ] || fail "the salt is no secret"

# Another patient's scan is recognised as such, also at the same path (a disc in the same drive).
mkdir -p disc/DICOM other_patient/DICOM
cp archive/Plantedname_Hidden/19310407/*.dcm disc/DICOM
"$PYTHON" - <<'PY' || fail "could not make another patient"
import glob, os, pydicom
for path in glob.glob("disc/DICOM/*"):
    d = pydicom.dcmread(path)
    d.PatientName, d.PatientID = "SOMEBODY^ELSE", "4712"
    d.save_as(os.path.join("other_patient/DICOM", os.path.basename(path)))
PY
expect 0 import disc/DICOM -o drive --quiet
expect 2 import other_patient/DICOM -o drive
says stderr "other_patient/DICOM (folder-"
says stderr ", of another patient: choose another folder with -o"
rm -r disc && mv other_patient disc
expect 2 import disc/DICOM -o drive
says stderr ", of another patient: choose another folder with -o"
if grep -q "changed since" stderr; then fail "another patient's scan is called changed"; fi

# A segmentation or an archive is of a patient, too.
"$PYTHON" -m zipfile -c scan.zip archive/Plantedname_Hidden/19310407/*.dcm
expect 0 import scan.zip -o zipped --quiet
clean zipped
[ "$(number zipped/manifest.json input.patient_hash)" = "$hash" ] || fail "an archive's hash differs"
cp scan.zip Plantedname_Hidden.zip
expect 0 import Plantedname_Hidden.zip -o zipped --quiet --force # its log is open before
expect 12 import Plantedname_Hidden.zip -o zipped --quiet --force --series none
clean zipped
grep -qE 'import file-[0-9a-f]{12}\.zip -o DIR' zipped/hemotile.log || fail "no archive in the log"

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
expect 0 import sample/dicom -o early --quiet
cp early/scan.nii.gz early.nii.gz
for path in few_Plantedname two_Plantedname late_Plantedname.zip disc_Plantedname/DICOMDIR; do
  expect 0 import sample/dicom -o early --quiet --force
  expect 12 import $path -o early --quiet --force --series none
  grep -qE 'import f(older|ile)-[0-9a-f]{12}(.zip)? -o DIR' early/hemotile.log || fail "$path: no label"
  clean early
  rm -r early
done

# Of no path anything is kept, whoever the header names: not of the scan, of the results, of the case
# file, of what a message names within them.
mkdir -p "Plantedname/Hidden 1931" results/Plantedname
cp early.nii.gz "Plantedname/Hidden 1931/Plantedname 19310407.nii.gz"
printf 'scan: Hidden 1931/Plantedname 19310407.nii.gz\n' >Plantedname/Hidden.yaml
for path in Plantedname/Hidden.yaml "Plantedname/Hidden 1931/Plantedname 19310407.nii.gz"; do
  expect 0 import "$path" -o results/Plantedname --quiet --force
  expect 13 segment results/Plantedname --lower 1e6
  says stderr "results/Plantedname" # on the terminal all paths are as they are
  expect 2 import "$path" -o results/Plantedname --phase 7 --force
  says stderr "Plantedname 19310407.nii.gz"
  clean results
  grep -qE 'import file-[0-9a-f]{12}\.(yaml|nii\.gz) -o DIR' results/Plantedname/hemotile.log ||
    fail "$path: no label in the log"
done

# Names beyond ASCII, in other spellings than the header's, in what is written of the series; a name
# whose kind the file does not tell, and one without its character set.
"$PYTHON" - <<'PY' || fail "could not make the folders"
import glob, os, pydicom
from pydicom.dataelem import RawDataElement
from pydicom.tag import Tag
def make(folder, description, name, change=lambda d: None):
    os.makedirs(folder)
    for n, path in enumerate(sorted(glob.glob("sample/dicom/*"))[:20]):
        d = pydicom.dcmread(path)
        d.SpecificCharacterSet = "ISO_IR 192"
        d.PatientID, d.StudyDate, d.PatientBirthDate = "0000998877", "20190823", "19310407"
        d.PatientName, d.SeriesDescription = name, description
        change(d)
        path = f"{folder}/{n}.dcm"
        d.save_as(path)
        data = open(path, "rb").read() # pydicom writes no byte that its character set has not
        open(path, "wb").write(data.replace(b"M#LLER^J#RGEN", b"M\xdcLLER^J\xdcRGEN"))
def unknown(d):
    d[0x00100010] = RawDataElement(Tag(0x00100010), "UN", 20, b"PLANTEDNAME^HIDDEN  ", 0, False, True)
def latin(d):
    del d.SpecificCharacterSet
make("spelt", "head Mueller 7.4.1931 998877", "MÜLLER^JÜRGEN")
make("joined", "頭部 王小東 23-08-2019", "Wang^XiaoDong=王^小東")
make("unknown", "of Plantedname", "", unknown)
make("latin", "of Mueller", "M#LLER^J#RGEN", latin)
PY
for name in spelt joined unknown latin; do
  expect 12 import $name -o early --quiet --force --series none
  expect 0 import $name -o early --quiet --force
  expect 12 import $name -o early --force --series none
  if grep -riE "mueller|7\.4\.1931|998877|王|小東|23-08-2019|plantedname" early/hemotile.log early/*.json; then
    fail "$name: the identity stays"
  fi
  says early/hemotile.log "[removed]"
done
rm -r early

# A patient who is called as hemotile's own words are: names of files, of lines, of openings that it
# makes stay. A name that a person gave to an opening is the same in all files.
"$PYTHON" - <<'PY' || fail "could not make the folder"
import glob, os, pydicom
os.makedirs("words")
for n, path in enumerate(sorted(glob.glob("sample/dicom/*"))):
    d = pydicom.dcmread(path)
    d.PatientName, d.PatientID, d.AccessionNumber = "INLET^MASK^CASE", "QX-4711-Z", "WARNING"
    d.save_as(f"words/{n}.dcm")
PY
cat >words.yaml <<YAML
scan: words
lattice: {nodes_across: 8}
flow: {steps: 5}
openings:
  - {name: "inlet", role: inlet, near_mm: [0, 0, -11.875], flow_ml_s: 0.5}
  - {name: "QX-4711-Z, left", role: outlet, near_mm: [0, 0, 11.875]}
YAML
expect 0 run words.yaml -o called --quiet
says stderr 'the name "QX-4711-Z, left" of an opening may hold the patient'"'"'s'
says stderr 'it gets a name by its role, as "outlet-1"'
for file in manifest.json:options.openings openings.json:openings summary.json:openings; do
  for n in 0 1; do number "called/${file%:*}" "${file#*:}.$n.name"; done | xargs >names
  [ "$(cat names)" = "inlet outlet-1" ] || fail "$file: $(cat names)"
done
says called/hemotile.log "Z warning: "
expect 0 segment called --force --quiet
sed -i 's/^  lower: auto/  lower: 150/' called/case.yaml
expect 3 solve called
says called/hemotile.log "DIR/case.yaml"
clean called

# After the import nobody knows the name: names in a file of points are not compared with it.
printf 'name,x_mm,y_mm,z_mm\nF-1,0,0,-11\nleft side,0,0,11\n' >named.csv
printf 'x_mm,y_mm,z_mm\n0,0,-11\n0,0,11\n' >plain.csv
expect 0 segment called --points plain.csv --force --quiet
if grep -q "as they are" stderr; then fail "a warning without a name"; fi
expect 0 segment called --points named.csv --force --quiet
says stderr 'names in named.csv, as "left side", go into the results as they are'

# Spellings that no list has, in names, in the series' description, in what is typed: a description is
# kept nowhere, of names whatever is near the identity goes. The series is kept as its number.
"$PYTHON" - <<'PY' || fail "could not make the folders"
import glob, os, pydicom
from pydicom.uid import generate_uid
slices = sorted(glob.glob("sample/dicom/*"))
second = generate_uid()
os.makedirs("exports/Musterman_A")
os.makedirs("exports/Musterman_B")
for n, path in enumerate(slices + slices[:8]):
    d = pydicom.dcmread(path)
    d.SpecificCharacterSet = "ISO_IR 192"
    d.PatientName, d.PatientID, d.PatientBirthDate = "Mustermann^Annemarie", "MRN55667", "19310507"
    d.OtherPatientIDs, d.PatientMotherBirthName, d.SeriesDate = ["OLD1111", "ALT665544"], "Mutterfrau^Eva", "20191204"
    d.SeriesDescription = "head 'AMusterman' \"7. Mai 31\" Anne-Marie 1931\u5e745\u67087\u65e5"
    if n >= len(slices):
        d.SeriesInstanceUID, d.SeriesDescription = second, "legs 'AMusterman'"
        d.SOPInstanceUID = d.file_meta.MediaStorageSOPInstanceUID = generate_uid()
    d.save_as(f"exports/Musterman_A/Musterman {n}.dcm")
    if n < len(slices):
        d.save_as(f"exports/Musterman_B/Musterman {n}.dcm")
cut = "exports/Musterman_B/Musterman 3.dcm"
data = open(cut, "rb").read()
open(cut, "wb").write(data[: len(data) - 100])
PY
planted='musterma|muster-ma|muster ma|anne-?marie|mai 31|1931年|\b070531|\b665544|alt665544|mutterfra|20191204|mrn55667|\b55667\b'
cat >forms.yaml <<'YAML'
name: xMustermannx
scan: exports/Musterman_A
series: "head 'amusterman'"
lattice: {nodes_across: 8}
flow: {steps: 5}
openings:
  - {name: "Muster-mann 7. Mai 31", role: inlet, near_mm: [0, 0, -11.875], flow_ml_s: 0.5}
  - {name: "ALT 665544", role: outlet, near_mm: [0, 0, 11.875]}
YAML
expect 0 run forms.yaml -o forms --quiet --dicom
says stderr 'the name "Muster-mann 7. Mai 31" of an opening'
clean forms
[[ $(number forms/manifest.json input.series) =~ ^[12]$ ]] || fail "the series: $(number forms/manifest.json input.series)"
grep -q "$PWD" forms/hemotile.log && fail "a path in the log"
expect 2 import exports/Musterman_A -o forms --series legs
says stderr "another scan"
expect 12 import exports/Musterman_A -o forms --series "Annemarie 070531"
says stderr "Annemarie 070531"
expect 11 import exports/Musterman_B -o forms --force
says stderr "Musterman 3.dcm"
clean forms
expect 0 run exports/Musterman_A --from-manifest forms/manifest.json -o forms_again
says stderr "the same bits as in the record"
clean forms_again
sed 's/name: "ALT 665544"/name: left ICA/; s/xMustermannx/left neck/' forms.yaml >fine.yaml
expect 0 run fine.yaml -o fine --quiet
[ "$(number fine/summary.json openings.1.name)" = "left ICA" ] || fail "a name without the identity is lost"

# Texts of other files: comments, fields, names of files in a header, also where a library quotes them.
mkdir -p fields && "$PYTHON" - <<'PY' || fail "could not make the images"
import struct
inside = lambda n: (n // 20 % 20 - 10) ** 2 + (n // 400 - 10) ** 2 < 16
voxels = struct.pack("<8000h", *[300 if inside(n) else 40 for n in range(8000)])
nrrd = """NRRD0004
# Mutterfrau
type: short
dimension: 3
space: left-posterior-superior
sizes: 20 20 20
space directions: (0.5,0,0) (0,0.5,0) (0,0,0.5)
kinds: domain domain domain
endian: little
encoding: raw
space origin: (0,0,0)
content: Mutterfrau
PatientName:=Mutterfrau

"""
mha = """ObjectType = Image
Comment = Mutterfrau
NDims = 3
DimSize = 20 20 20
ElementSpacing = 1 1 1
ElementType = MET_SHORT
ElementDataFile = Mutterfrau.raw
"""
open("fields/good.nrrd", "wb").write(nrrd.encode() + voxels)
open("fields/places.nrrd", "wb").write(nrrd.replace("(0.5,0,0)", "(Mutterfrau)").encode() + voxels)
open("fields/coded.nrrd", "wb").write(nrrd.replace("raw", "Mutterfrau").encode() + voxels)
open("fields/beside.mhd", "w").write(mha)
PY
expect 0 import fields/good.nrrd -o fields_out --quiet
for name in places.nrrd coded.nrrd beside.mhd; do
  expect 11 import fields/$name -o fields_out --quiet --force
  says stderr Mutterfrau
done
clean fields_out

# A batch: neither its tables nor its log have names of files or of the series; ids are hashes.
umask 022
expect 40 batch exports -o cohort --quiet
for file in cohort.csv cohort.html batch.csv batch.log methods.txt; do
  look "$file" < <(plain "cohort/$file")
  [ "$(stat -c %a "cohort/$file")" = 600 ] || fail "others can read $file"
done
grep -qE '^folder-[0-9a-f]{12},refused,12,.*\(the scan\): several series' cohort/cohort.csv || fail "$(cat cohort/cohort.csv)"
grep -qE '^folder-[0-9a-f]{12},refused,11,.*truncated' cohort/cohort.csv || fail "$(cat cohort/cohort.csv)"
says cohort/logs/scans.csv "exports/Musterman_A"

# On request all of it is kept.
expect 0 import archive/Plantedname_Hidden/19310407 -o kept --keep-identity --quiet
[ "$(number kept/manifest.json input.patient.name)" = "PLANTEDNAME^HIDDEN" ] || fail "no name"
[ "$(number kept/manifest.json input.patient.birth_date)" = 19310407 ] || fail "no date of birth"
[ "$(number kept/manifest.json input.path)" = archive/Plantedname_Hidden/19310407 ] || fail "no path"
done_testing
