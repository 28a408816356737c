# `hemotile info` says the same of a scan as an import, and recognises a case file.
. "$(dirname "$0")/../check.sh"
"$PYTHON" "$here/make_nifti.py" pipe pipe.nii
expect 0 info pipe.nii
says stdout "24 x 24 x 32 of 0.5"
absent config # a command that reads writes nothing
if grep -q "label" stdout; then fail "a label without a salt"; fi
if grep -qE -- '-0\.00[],]' stdout; then fail "a minus zero"; fi
head -c 5000 pipe.nii >cut.nii
expect 11 info cut.nii
says stdout "cannot be imported: truncated"
gzip -c pipe.nii | head -c 150 >cut.nii.gz
expect 11 info cut.nii.gz
says stdout "cannot be imported: truncated"

expect 0 phantom pipe -o sample --spacing 1 --phase-contrast ge --plane 50 --venc 0.5 --times 3
expect 0 info sample
says stdout "GE, a plane of 24 x 26 x 1 voxels"
says stdout "velocities along [0, 0, -1] (LPS), venc 0.5 m/s, sign by the vendor's fields"
says stdout "3 time points, 0 to 533 ms of a beat of 800 ms"
expect 0 info sample/case.yaml
says stdout "run it with \`hemotile run sample/case.yaml"
# In implicit VR without a dictionary of private elements, these have no representation.
if command -v dcmconv >/dev/null; then
  mkdir implicit
  for file in sample/phase_contrast/*.dcm; do dcmconv +ti "$file" "implicit/$(basename "$file")"; done
  DCMDICTPATH=$(find /usr/share -path '*dcmtk*' -name dicom.dic | head -1) expect 0 info implicit
  says stdout "velocities along [0, 0, -1] (LPS), venc 0.5 m/s, sign by the vendor's fields"
fi

# A measured flow by a file that says what the images mean.
printf 'velocity: sample/phase_contrast\nsign: -1\n' >flow.yaml
expect 0 info flow.yaml --list shown
says stdout "velocities along [0, 0, 1] (LPS), venc 0.5 m/s, sign as given"
there shown/measured_flow.png
"$PYTHON" -m zipfile -c flow.zip sample/phase_contrast/*.dcm
printf 'velocity: flow.zip\nsign: -1\n' >flow.yaml
expect 0 info flow.yaml
says stdout "velocities along [0, 0, 1] (LPS), venc 0.5 m/s, sign as given"
printf 'velocity: sample/phase_contrast\noffset: cubic\n' >flow.yaml
expect 3 info flow.yaml
says stderr "offset needs auto, off, plane or quadratic"
printf '{"velocity": ["pipe.nii", "pipe.nii", "pipe.nii"], "unit": "cm/s", "direction": ["fh", "ap", [1, 0, 0]]}' >flow.json
expect 0 info flow.json
says stdout "velocities along [0, 0, 1] (LPS), sign as given"
says stdout "velocities along [1, 0, 0] (LPS), sign as given"
printf 'velocity: pipe.nii\n' >flow.yaml
expect 3 info flow.yaml
says stderr "unit needs m/s, cm/s, mm/s or radians"
printf 'velocity: pipe.nii\nvenc: 2\n' >flow.yaml
expect 3 info flow.yaml
says stderr "there is no key 'venc'"

cp sample/case.yaml "sample/it's \$5.yaml" # the shell gives the command this very name
expect 0 info "sample/it's \$5.yaml"
says stdout "run it with \`hemotile run 'sample/it'\''s \$5.yaml' -o DIR"
echo "colour: red" >wrong.yaml
expect 3 info wrong.yaml
printf 'scan: pipe.nii\nmask: pipe.nii\n' >both.yaml
expect 3 info both.yaml
says stderr "for the flow in the ready vessel remove the line \`scan:\`"
printf 'scan: pipe.nii\nphantom: pipe\n' >both.yaml
expect 3 info both.yaml
says stderr "more than one of 'scan', 'mask' and 'phantom'"

# No series that can be imported: none is advised.
mkdir -p two/a
cp sample/dicom/slice-0001.dcm two/a
expect 0 phantom pipe -o other --spacing 1 --seed 2
cp other/dicom/slice-0001.dcm two
expect 12 info two
if grep -q -- "--series" stdout; then fail "a series is advised"; fi
cp -r sample/dicom two/b
expect 0 info two
advised=$(grep -oE -- '--series [0-9]+' stdout | tail -1)
# shellcheck disable=SC2086 # two words
expect 0 import two $advised -o out --quiet

# What was printed did not arrive.
if [ -w /dev/full ]; then
  for command in "info pipe.nii" "--help" "--version"; do
    code=0
    # shellcheck disable=SC2086 # several words
    "$HEMOTILE" $command >/dev/full 2>stderr || code=$?
    [ $code = 21 ] || fail "hemotile $command >/dev/full: exit code $code, expected 21"
    says stderr "cannot be written"
  done
fi
"$HEMOTILE" help case | head -1 >stdout
[ "${PIPESTATUS[0]}" = 0 ] || fail "a reader that had enough is no failure"

# With its streams closed it prints nothing, and least of all into a file.
"$HEMOTILE" import pipe.nii -o mute <&- >&- 2>&- || fail "closed streams are no failure"
rm -rf mute
"$HEMOTILE" import pipe.nii -o mute >&- 2>&- || fail "closed streams are no failure"
if grep -v '^[0-9-]*T[0-9:]*Z ' mute/hemotile.log; then fail "the log has what was printed"; fi
done_testing
