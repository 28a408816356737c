# Every command and every kind of input, flow and result once, each on the smallest case that has
# it. With the sanitizers this is the run through the stages; what their numbers and words have to
# be is checked by the scripts that only the release build runs.
. "$(dirname "$0")/../check.sh"
needs pydicom
for kind in pipe ball; do "$PYTHON" "$here/make_nifti.py" $kind $kind.nii; done
"$PYTHON" "$here/make_stl.py" sac sac.stl 16 1 2 3
short=(--steps 4 --device cpu --quiet)

# edit_mask MASK [all]: clears its middle voxel, or all of them, as a person may in an editor.
edit_mask() {
  "$PYTHON" - "$1" "${2:-one}" <<'PY' || fail "the mask could not be edited"
import gzip, struct, sys
data = bytearray(gzip.open(sys.argv[1]).read())
start = int(struct.unpack_from("<f", data, 108)[0])
inside = [i for i in range(start, len(data)) if data[i]]
for i in [inside[len(inside) // 2]] if sys.argv[2] == "one" else inside:
    data[i] = 0
gzip.open(sys.argv[1], "wb").write(data)
PY
}

# ---- a DICOM series: what it is, from it to the results, and nothing of the patient in them ----
expect 0 phantom pipe -o sample --spacing 0.6 --seed 3
"$PYTHON" - <<'PY' || fail "could not plant the identity"
import glob, pydicom
for path in glob.glob("sample/dicom/*"):
    d = pydicom.dcmread(path)
    d.PatientName, d.PatientID, d.StudyDate = "PLANTEDNAME^HIDDEN", "QX-4711-Z", "20190823"
    d.SeriesDescription = "pipe of Plantedname"
    d.save_as(path)
PY
cat >dicom.yaml <<'Y'
name: Plantedname, left
scan: sample/dicom
lattice: {nodes_across: 8}
segment: {preset: 3dra}
flow: {inlet_flow_ml_s: 0.5}
openings:
  - {name: "of QX-4711-Z", role: inlet, near_mm: [0, 0, -11.9]}
  - {name: out, role: outlet, centre_mm: [0, 0, 6], normal: [0, 0, 1]}
Y
expect 0 info sample/dicom
expect 0 info dicom.yaml
HEMOTILE_PANEL_HEIGHT= expect 0 run dicom.yaml -o dicom "${short[@]}" # pictures in full
says stderr 'the name "Plantedname, left" of the case may hold the patient'
there dicom/summary.json dicom/flow.vti dicom/wall.vtp dicom/velocity.nii.gz dicom/pressure.nii.gz \
  dicom/pictures/{mask_on_scan,projection,straightened,sections,velocity,wall,tiles}.png
if grep -rilE "plantedname|qx-4711" dicom; then fail "the patient's identity stays"; fi
expect 0 import sample/dicom -o kept --keep-identity --quiet
[ "$(number kept/manifest.json input.patient.name)" = "PLANTEDNAME^HIDDEN" ] || fail "no name"

# ---- a mask, stage by stage; again, edited, with moved openings, damaged ----
cat >mask.yaml <<'Y'
mask: pipe.nii
lattice: {spacing_mm: 0.75}
flow: {inlet_flow_ml_s: 0.5, walls: half-way, precision: fp64}
Y
expect 0 import mask.yaml -o steps --quiet
expect 0 segment steps --quiet
expect 0 tile steps --quiet
expect 0 solve steps "${short[@]}"
"$PYTHON" - <<'PY' || fail "the planes could not be moved"
import json
file = json.load(open("steps/openings.mrk.json"))
p = file["markups"][0]
p["center"] = [c - 2 * n for c, n in zip(p["center"], p["normal"])]
p["controlPoints"][0]["position"] = p["center"]
json.dump(file, open("moved.mrk.json", "w"))
PY
expect 0 segment steps --openings moved.mrk.json --quiet
[ "$(number steps/openings.json openings.0.at_border)" = False ] || fail "the opening was not moved"
edit_mask steps/mask.nii.gz
expect 2 segment steps
says stderr "was edited by hand"
expect 0 solve steps "${short[@]}"
expect 0 export steps --quiet
[ "$(number steps/summary.json mask_edited)" = True ] || fail "the edit was not seen"
expect 0 info steps
says stdout "Not for clinical decisions."
edit_mask steps/mask.nii.gz all
expect 13 solve steps "${short[@]}"
expect 0 segment steps --force --quiet
there steps/mask_edited_1.nii.gz
expect 0 solve steps "${short[@]}"
expect 2 run dicom.yaml -o steps # the folder of another scan
expect 30 solve steps --flow 500 --quiet
expect 0 export steps --sensitivity --quiet
[ "$(number steps/summary.json sensitivity.thicker.done)" = True ] || fail "no thicker vessel"
expect 32 solve steps --max-steps 4 --device cpu --quiet
says stderr "steady"
head -c 500 steps/manifest.json >half && mv half steps/manifest.json
expect 11 run steps
expect 0 import mask.yaml -o steps --force --quiet
says stderr "manifest_damaged_1.json"

# ---- a beat, with each model that a beat can have ----
printf 'time_ms;flow_ml_min\n0;20\n2;50\n5;40\n8;30\n10;20\n' >flow.csv
cat >beat.yaml <<'Y'
mask: pipe.nii
lattice: {spacing_mm: 1}
blood: {model: carreau-yasuda}
flow: {waveform: flow.csv, cycles: 2, max_cycles: 2, samples: 3, walls: interpolated, collision: mrt,
  fluid: quasi-compressible, precision: fp16, eddies: 0.1, max_velocity_lu: 0.1}
outlets: {model: windkessel}
openings:
  - {role: inlet, near_mm: [-6, -6, 0]}
  - {role: outlet, near_mm: [-6, -6, 16], windkessel_mmhg_ml_s: [0.5, 0.002, 5]}
Y
expect 32 run beat.yaml -o beat --device cpu --quiet
says stderr "periodic"
[ "$(number beat/summary.json flow.collision)" = mrt ] || fail "not mrt"
[ "$(number beat/summary.json steady)" = False ] || fail "two beats cannot be periodic"

# ---- other sources: a phantom within the case, a surface; where no flow is possible ----
cat >coarse.yaml <<'Y'
phantom: aneurysm
phantom_spacing_mm: 0.8
lattice: {nodes_across: 8}
blood: {model: casson}
flow: {inlet_flow_ml_s: 0.5}
outlets: {model: murray}
openings: [{role: inlet, near_mm: [-3.0, 8.6, -13.3]}]
Y
expect 0 run mask.yaml --nodes-across 9 -o looked --device cpu --no-pictures --quiet --first-look only
there looked/first_look/first_look_velocity.nii.gz
expect 0 run coarse.yaml -o coarse "${short[@]}"
sed -i 's/^sac:/sac:\n  neck_mm: [0.5, -6.5, 0.2]\n  neck_normal: [0, 1, 0]/' coarse/case.yaml
expect 0 export coarse --quiet
[ "$(number coarse/summary.json sac.neck_from)" = case ] || fail "the neck's plane is not that given"
expect 0 run sac.stl -o sac --flow 0.1 --surface-spacing 0.3 --nodes-across 8 "${short[@]}"
printf 'scan: ball.nii\nsegment: {bias: n4}\n' >ball.yaml
expect 14 run ball.yaml -o ball --flow 1 --quiet
says stderr "no opening"
head -c 5000 pipe.nii >cut.nii
expect 11 info cut.nii
expect 11 run cut.nii -o cut
says stderr "truncated"
for method in vesselness levelset; do
  printf 'scan: pipe.nii\nsegment: {method: %s, gap_mm: 1, bone: 5}\n' $method >$method.yaml
  printf 'region: {centre_mm: [-5.75, -5.75, 8], radius_mm: 7}\n' >>$method.yaml
  expect 0 import $method.yaml -o $method --quiet
  expect 0 segment $method --flow 1 --quiet
done

# ---- three lattices; and without a case ----
expect 0 converge mask.yaml -o study --ratio 1.1 --spacing 1.1 "${short[@]}"
there study/convergence.csv study/convergence.png study/lattices.csv
expect 0 bench --table 5 --size 8 --device cpu --copy-mib 1 --seconds 0.001 --csv rows.csv \
  --json rows.json
there rows.csv rows.json
expect 0 bench --mask pipe.nii --device cpu --copy-mib 1 --seconds 0.001 --precision fp16
expect 0 validate channel --nodes-across 16 --device cpu --threads 1 -o channel
there channel/channel.csv
expect 0 help case
expect 2 runn
no_halves
done_testing
