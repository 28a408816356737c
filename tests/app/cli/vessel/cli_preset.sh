# `preset: auto`: chosen by the tags of a DICOM series, said, recorded, and overruled. The tags are
# planted in a phantom's series, whose own choose none.
. "$(dirname "$0")/../check.sh"
needs pydicom
expect 0 phantom pipe -o sample --format dicom --spacing 0.6
"$PYTHON" - <<'PY' || fail "could not plant the tags"
import glob, os, pydicom
os.makedirs("tof")
for n, path in enumerate(sorted(glob.glob("sample/dicom/*"))):
    d = pydicom.dcmread(path)
    d.Modality, d.MRAcquisitionType, d.ScanningSequence, d.AngioFlag = "MR", "3D", "GR", "Y"
    d.SeriesDescription = "Smith TOF_3D Kopf"
    d.save_as(f"tof/{n}.dcm")
PY
expect 0 import tof -o out
[ "$(number out/manifest.json input.signs)" = "head, time of flight, angiography, 3D, gradient echo" ] ||
  fail "other signs: $(number out/manifest.json input.signs)"
grep -q Smith out/manifest.json && fail "the record has the series' description"
expect 0 segment out --flow 0.5 --nodes-across 6
says stderr "preset tof-mra: method levelset, bias n4"
says stderr "chosen because the scan's tags say MR, head, time of flight"
says stderr "(--preset none switches it off)"
says out/case.yaml "preset: auto"
says out/manifest.json '"preset_why": "tof-mra: the scan'
expect 0 segment out --preset none --force
if grep -q preset stderr; then fail "a preset after --preset none"; fi
if grep -q preset_why out/manifest.json; then fail "a choice after --preset none"; fi
says out/case.yaml "preset: none"

# A folder of an earlier version has neither the key nor the signs.
sed -i '/^  preset: /d' out/case.yaml
"$PYTHON" - <<'PY'
import json
record = json.load(open("out/manifest.json"))
del record["input"]["signs"]
json.dump(record, open("out/manifest.json", "w"))
PY
expect 0 segment out --force
if grep -q "^preset" stderr; then fail "a preset without signs"; fi
says out/manifest.json "none: the scan's tags say MR; they do not say"

no_halves
done_testing
