# Results as DICOM files: as pydicom and dciodvfy read them they are those of the NIfTI and VTK
# files, at the same places; in the scan's study only with --keep-identity.
. "$(dirname "$0")/../check.sh"
needs nibabel numpy pydicom
expect 0 phantom pipe -o sample --format dicom --spacing 0.4
"$PYTHON" - <<'PY' || fail "could not plant the identity"
import glob, pydicom
for path in glob.glob("sample/dicom/*"):
    d = pydicom.dcmread(path)
    d.PatientName, d.PatientID, d.PatientBirthDate = "D\u00d6E^JANE", "4711", "19310407"
    d.StudyDate, d.StudyTime, d.StudyID, d.AccessionNumber = "20190823", "101112", "7", "998877"
    d.SpecificCharacterSet = "ISO_IR 100"
    d.save_as(path)
PY
options=(--nodes-across 8 --flow 0.8 --steps 5 --device cpu --quiet)
expect 0 run sample/case.yaml -o out "${options[@]}" --keep-identity --dicom
read_back() { "$PYTHON" "$here/check_dicom_case.py" "$@" || fail "$*: see above"; }
there out/dicom/{segmentation,speed,wall_shear_stress,picture_velocity,picture_mask_on_scan,report}.dcm
absent out/dicom/tawss.dcm
read_back out kept sample/dicom

# hemotile reads its own segmentation as a ready mask.
expect 0 import out/dicom/segmentation.dcm -o back --quiet
"$PYTHON" - <<'PY' || fail "another mask came back"
import nibabel, numpy
wrote, read = nibabel.load("out/mask.nii.gz"), nibabel.load("back/mask_drawn.nii.gz")
assert abs(wrote.affine - read.affine).max() < 1e-4, (wrote.affine, read.affine)
assert numpy.array_equal(numpy.asarray(wrote.dataobj), numpy.asarray(read.dataobj))
PY

# Without the identity: another study, the same each time, and new series.
cp -r out/dicom kept
sed -i 's/keep_identity: yes/keep_identity: no/' out/case.yaml
expect 0 export out
says stderr 'in a study of its own, of the patient "hemotile-'
cp -r out/dicom first
expect 0 export out --quiet
"$PYTHON" - <<'PY' || fail "UIDs of two exports"
import pydicom
read = lambda folder: pydicom.dcmread(f"{folder}/speed.dcm", stop_before_pixels=True)
kept, first, second = read("kept"), read("first"), read("out/dicom")
assert first.StudyInstanceUID == second.StudyInstanceUID != kept.StudyInstanceUID
assert first.FrameOfReferenceUID == second.FrameOfReferenceUID != kept.FrameOfReferenceUID
assert first.PatientID == second.PatientID
assert len({d.SeriesInstanceUID for d in (kept, first, second)}) == 3
assert len({d.SOPInstanceUID for d in (kept, first, second)}) == 3
PY
# The page report.html, where there is one and a browser: then the files are read back with that.
if browser=$(find_browser); then
  [ -e out/report.html ] || echo "<h1>Not for clinical decisions.</h1>" >out/report.html
  HEMOTILE_BROWSER=$browser expect 0 export out --quiet
  grep -qa "Skia/PDF" out/dicom/report.dcm || fail "the report was not printed by $browser"
fi
read_back out pseudonymous sample/dicom
enough_with_sanitizers
[ -e out/report.html ] || echo "<h1>page</h1>" >out/report.html
HEMOTILE_BROWSER=/bin/false expect 0 export out
says stderr "dicom/report.dcm is plain, not report.html: the browser failed"
grep -qa "Haru" out/dicom/report.dcm || fail "no plain report"

# Without DCMTK's dictionary the message says what to do, wherever DICOM is read or written.
for command in "info sample/dicom" "import sample/dicom -o none" "phantom pipe -o none" "export out"; do
  DCMDICTPATH=/nowhere/dicom.dic expect 22 $command
  says stderr "was not found at DCMDICTPATH=/nowhere/dicom.dic: let the environment variable"
done
absent none/dicom
DCMDICTPATH=/nowhere/dicom.dic expect 0 phantom pipe -o none --spacing 0.6 --format nifti

# A full disk: no halves, and nothing of the export before.
(
  ulimit -f 40
  "$HEMOTILE" export out >stdout 2>stderr
)
[ $? = 21 ] || fail "a full disk: not 21"
no_halves
# A link or a file in place of the folder.
rm -rf out/dicom && mkdir elsewhere && ln -s ../elsewhere out/dicom
expect 2 export out
says stderr "out/dicom: this is a link"
[ -z "$(ls elsewhere)" ] || fail "written through a link"
rm out/dicom && echo mine >out/dicom
expect 21 export out
says stderr "out/dicom"
rm out/dicom
expect 0 export out --quiet
there out/dicom/speed.dcm

# Not asked for any more: gone.
sed -i 's/dicom: yes/dicom: no/' out/case.yaml
expect 0 export out --quiet
absent out/dicom

# A beat has the TAWSS, too.
pulse=(--set flow.waveform=carotid --set flow.period_s=0.02 --set flow.samples=3 --set flow.cycles=1 --set flow.sound_deviation=1)
expect 32 run sample/case.yaml -o beat "${options[@]:0:4}" "${pulse[@]}" --set flow.max_cycles=0 \
  --device cpu --quiet --dicom
there beat/dicom/tawss.dcm
read_back beat pseudonymous sample/dicom

# An image without a study gets one of its own, the same each time.
mkdir nifti && cp out/scan.nii.gz nifti
expect 0 run nifti/scan.nii.gz -o plain "${options[@]}" --dicom --keep-identity
read_back plain pseudonymous sample/dicom
no_halves
done_testing
