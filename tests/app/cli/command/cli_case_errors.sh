# Mistakes in a case file: exit code 3, line and column, the nearest valid key; no results folder.
. "$(dirname "$0")/../check.sh"

# mistake LINE:COLUMN TEXT, the case file on stdin
mistake() {
  cat >case.yaml
  expect 3 run case.yaml -o out
  says stderr "case.yaml:$1:"
  says stderr "$2"
}
mistake 3:3 "did you mean 'viscosity_pa_s'?" <<'Y'
scan: a.nii
blood:
  visocity_pa_s: 0.003
Y
mistake 2:1 "did you mean 'segment'?" <<'Y'
scan: a.nii
segmnet: {lower: 3}
Y
mistake 2:27 "allowed is from 500 to 2000" <<'Y'
scan: a.nii
blood:   {density_kg_m3:  1.06}
Y
mistake 2:1 "directives ('%' at the beginning of a line) are not read" <<'Y'
scan: a.nii
%TAG ! x
Y
printf 'scan: &a a.nii\nname: *a\n' >case.yaml
expect 3 run case.yaml -o out
says stderr "anchors and aliases (&name, *name) are not read"
printf 'scan: a.nii\nname: Gef\344\337\n' >latin
mistake 2:1 "a character that is not UTF-8" <latin
mistake 2:16 "allowed is from 0 to 100" <<'Y'
scan: a.nii
allow_gaps_mm: 200
Y
mistake 3:10 "must be a number, not 'bright'" <<'Y'
scan: a.nii
segment:
  lower: bright
Y
mistake 3:20 "not '2,5': write a decimal point, not a comma" <<'Y'
scan: a.nii
flow:
  inlet_flow_ml_s: 2,5
Y
mistake 2:27 "write a decimal point, not a comma" <<'Y'
scan: a.nii
flow: {inlet_flow_ml_s: 2,5}
Y
mistake 3:20 "not '2.5 mL/s': leave the unit out" <<'Y'
scan: a.nii
flow:
  inlet_flow_ml_s: 2.5 mL/s
Y
mistake 3:3 "with a blank after each colon" <<'Y'
scan: a.nii
flow:
  inlet_flow_ml_s:2.5
Y
mistake 3:29 "three numbers" <<'Y'
scan: a.nii
openings:
  - {role: inlet, near_mm: [1, 2]}
Y
mistake 3:12 "did you mean 'inlet'?" <<'Y'
scan: a.nii
openings:
  - {role: inlt, near_mm: [1, 2, 3]}
Y
mistake 3:6 "either 'near_mm' or 'centre_mm'" <<'Y'
scan: a.nii
openings:
  - {role: inlet}
Y
mistake 4:6 "its compliance times its last resistance, s, is not from 0.001 to 100" <<'Y'
scan: a.nii
outlets: {model: windkessel}
openings:
  - {role: outlet, near_mm: [1, 2, 3], windkessel_mmhg_ml_s: [1.5, 1.0e-9, 18]}
Y
mistake 2:8 "did you mean 'inlet_flow_ml_s'? Write a blank after the colon" <<'Y'
scan: a.nii
flow: {inlet_flow_ml_s:2.5}
Y
mistake 3:1 "(indent with blanks)" < <(printf 'scan: a.nii\nflow:\n\tcycles: 5\n')
mistake 2:13 "(two keys in one line: put the second into braces" <<'Y'
scan: a.nii
flow: cycles: 5
Y
mistake 3:11 "and the keys of one section begin in one column" <<'Y'
scan: a.nii
flow:
  cycles: 5
   samples: 20
Y
mistake 3:1 "(a comma or a closing } or ] is missing, here or before)" <<'Y'
scan: a.nii
flow: {cycles: 5
Y
mistake 1:7 "(a quote is not closed)" <<'Y'
name: "left
scan: a.nii
Y
mistake 3:1 "duplicate key" <<'Y'
scan: a.nii
name: one
name: two
Y
mistake 2:1 "second document" <<'Y'
scan: a.nii
---
scan: b.nii
Y
mistake 1:7 "HEMOTILE_NOT_SET is not set" <<'Y'
scan: ${HEMOTILE_NOT_SET}/a.nii
Y
mistake 2:1 "no value" <<'Y'
scan: a.nii
name:
Y
mistake 3:15 "either spacing_mm or nodes_across" <<'Y'
scan: a.nii
lattice:
  spacing_mm: 0.2
  nodes_across: 30
Y
printf 'scan: a.nii\nmask: b.nii\n' >case.yaml
expect 3 run case.yaml -o out
says stderr "exactly one is needed"
printf 'name: nothing\n' >case.yaml
expect 3 run case.yaml -o out
says stderr "exactly one is needed"
: >case.yaml
expect 3 run case.yaml -o out
head -c 1000 "$HEMOTILE" >case.yaml
expect 3 run case.yaml -o out
says stderr "not a text file"
printf 'phantom: banana\n' >case.yaml
expect 3 run case.yaml -o out
says stderr "banana"
printf 'scan: sub/a.nii\n' >case.yaml # relative to the case file
mkdir elsewhere && mv case.yaml elsewhere
expect 10 run elsewhere/case.yaml -o out
says stderr "elsewhere/sub/a.nii"

# Of a path or a file of 3D Slicer nothing is said that a terminal obeys, or that makes a line in the
# log.
escape=$(printf '\033[2J')
expect 10 run "a${escape}b.nii" -o out
says stderr 'a\x1b[2Jb.nii'
if grep -qF "$escape" stderr; then fail "the terminal gets an escape"; fi
"$PYTHON" - <<'PY'
import json
json.dump({"markups": [{"type": "Fiducial", "coordinateSystem": "LPS", "controlPoints": [
    {"label": "a\x1b[2J", "position": [1, 2, 3]}]}]}, open("points.mrk.json", "w"))
PY
printf 'phantom: pipe\nopenings: points.mrk.json\n' >case.yaml
expect 3 run case.yaml -o out
says stderr "control character"
absent out
printf 'phantom: pipe\nphantom_spacing_mm: 1\n' >case.yaml
expect 0 import case.yaml -o "$(printf 'out\n2000-01-01T00:00:00Z forged')" --keep-identity
if grep -q '^2000' out*/hemotile.log; then fail "a path makes a line of the log"; fi
done_testing
