# hemotile batch: a table of cases, one of them broken; killed half way, and again.
. "$(dirname "$0")/../check.sh"
expect 0 phantom pipe -o pipe --format nifti --spacing 0.6
head -c 3000 pipe/scan.nii.gz >broken.nii.gz
cat >base.yaml <<'Y'
lattice: {nodes_across: 8}
flow: {max_steps: 20, device: cpu}
patient: {kind: head}
Y
cat >cohort.csv <<'CSV'
id,scan,age,flow.inlet_flow_ml_s,flow.collision
first,pipe/scan.nii.gz,34,,
bad,broken.nii.gz,61,0.5,
last,pipe/scan.nii.gz,28,0.6,cumulant
CSV
umask 022
TMPDIR=$work expect 0 batch cohort.csv --base base.yaml -o out --dry-run
says stdout "flow.inlet_flow_ml_s=0.6"
says stderr "warning: bad cannot be run (11): (the scan): truncated or damaged"
grep -qE "^a case: about [0-9]+ (s|minutes), [0-9.]+ MB of memory \(.*: first, last\)" stdout || fail "$(cat stdout)"
grep -qE "^all 3: about [0-9]+ (s|minutes)" stdout || fail "$(cat stdout)"
grep -qE "^pictures: of at most 3 cases drawn at the end, .*, about [0-9]+ (s|minutes)$" stdout || fail "$(cat stdout)"
absent out
[ -z "$(ls -d hemotile-dry-* 2>/dev/null)" ] || fail "the temporary folder is left"

# 20 steps are no steady flow: the numbers are there, and the case has failed.
if command -v script >/dev/null; then # on a terminal: a line for each running case
  TERM=xterm script -qec "$HEMOTILE batch cohort.csv --base base.yaml -o out --jobs 1" terminal >/dev/null
  [ $? = 40 ] || fail "another exit code"
  grep -qE "  (first|last) +0:0[0-9]  " terminal || fail "no line for a running case: $(cat -v terminal)"
  grep -qE "cases: [01] of 3 done, 1 running" terminal || fail "no count"
  cp terminal stderr
else
  expect 40 batch cohort.csv --base base.yaml -o out
fi
says stderr "the reasons are in out/cohort.csv"
there out/cases/first/report.html out/logs/bad.txt out/cohort.html out/methods.txt
# Only the user can read them, as single cases; on request a group can.
[ -z "$(find out -perm /077)" ] || fail "others can read:" "$(find out -perm /077 | head -3)"
printf 'id,scan\nbad,broken.nii.gz\n' >shared.csv
expect 40 batch shared.csv --follow-umask -o shared
[ "$(stat -c %a shared shared/logs shared/logs/bad.txt shared/cohort.csv shared/batch.log | xargs)" = "755 755 644 644 644" ] ||
  fail "not readable as the umask says: $(stat -c '%a %n' shared shared/*)"
# Numbers of flows that are not steady are in the table, and no dot among the others.
if browser=$(find_browser); then
  timeout 120 "$browser" --headless --no-sandbox --user-data-dir="$work/profile" --virtual-time-budget=5000 \
    --dump-dom "file://$work/out/cohort.html" >dom 2>/dev/null
  says dom "3 cases: 2 failed, 1 refused"
  grep -q '<circle' dom && fail "a failed case has a dot"
fi
# Each case is drawn once, by the report. The colours mean the same in both, also in the report's view; the same command draws nothing.
says out/logs/last.txt "left out (--no-pictures): \`hemotile report out/cases/last\` makes them"
[ "$(cat out/cases/*/hemotile.log | grep -c "Z hemotile report DIR")" = 2 ] || fail "not one report a case"
cmp -s out/cases/{first,last}/pictures/colours.json || fail "other colours in two cases"
says out/cases/last/pictures/colours.json '"complete": true'
wss=$(grep -o '"wss_colours_to_pa": [0-9.]*' out/cases/last/pictures/colours.json | cut -d' ' -f2)
grep -q "\"bar_high\": *$wss\b" out/cases/last/report.html || fail "the view of the report ends elsewhere than at $wss Pa"
"$PYTHON" - <<'PY' || fail "cohort.csv"
import csv
rows = {row["id"]: row for row in csv.DictReader(open("out/cohort.csv"))}
states = [rows[i]["state"] for i in ("first", "bad", "last")]
assert states == ["failed", "refused", "failed"], states
assert rows["bad"]["exit_code"] == "11" and "truncated or damaged" in rows["bad"]["message"]
assert rows["first"]["exit_code"] == "32" and rows["first"]["age"] == "34"
assert float(rows["last"]["openings.inlet.flow_asked_ml_s"]) == 0.6
assert rows["bad"]["flow.max_velocity_m_s"] == "" and float(rows["first"]["flow.max_velocity_m_s"]) > 0
PY
says out/methods.txt "lattice.nodes_across: 8"
says out/methods.txt "extensions.inlet_diameters: "
# The models that ran, not those that were asked for; where the flow is from.
says out/methods.txt "in 2 of 3 cases; in 2 of them it did not become steady"
says out/methods.txt "quasi-compressible in 1 (the cumulant operator is quasi-compressible"
says out/methods.txt "In 1 case the flow into an inlet was not measured"
says out/methods.txt "Cases without results: 1 refused."
expect 2 run pipe/case.yaml -o out/cases/first --dry-run
says stderr "has a flow already"
there out/cases/first/flow.bin
# A case that another version computed is told: here its record is changed, and the table made anew.
sed -i 's/"hemotile": "[0-9.]*"/"hemotile": "0.0.1"/' out/cases/last/manifest.json
drawn=$(stat -c %Y.%i out/cases/*/pictures/wall.png)
expect 40 batch cohort.csv --base base.yaml -o out
[ "$(stat -c %Y.%i out/cases/*/pictures/wall.png)" = "$drawn" ] || fail "pictures were drawn without need"
# Other colours in the base file: only pictures are to be drawn, as the dry run counts.
cp base.yaml blue.yaml
echo 'export: {speed_colours_to_m_s: 3}' >>blue.yaml
expect 0 batch cohort.csv --base blue.yaml -o out --dry-run
says stderr "cases    3: 0 to run"
says stdout "pictures: of 2 cases drawn at the end"
grep -qE "several versions of hemotile \(0\.[0-9.]+ \(commit [^)]*\) in 1, 0\.0\.1 \(commit [^)]*\) in 1\) in 2 of 3" out/methods.txt ||
  fail "$(head -c 200 out/methods.txt)"
enough_with_sanitizers

# A second one on the same folder, another folder's files, a table with a mistake.
expect 2 batch cohort.csv -o pipe
says stderr "holds other files and no batch"
printf 'id,scan,flow.cycels\nx,pipe/scan.nii.gz,3\n' >wrong.csv
expect 3 batch wrong.csv -o wrong
says stderr "did you mean 'flow.cycles'?"
absent wrong

# stop_when STATE SIGNAL: begins the batch, and stops it when batch.csv has a line that begins so.
sed -i 's/max_steps: 20, //' base.yaml
stop_when() {
  "$HEMOTILE" batch cohort.csv --base base.yaml -o killed --jobs 1 >log 2>&1 &
  local batch=$!
  while ! grep -q "^$1" killed/batch.csv 2>/dev/null; do
    kill -0 $batch 2>/dev/null || { fail "the batch ended: $(cat log)"; break; }
    sleep 0.05
  done
  kill -"$2" $batch
  wait $batch 2>/dev/null
}
# Stopped before its end: the pictures are missing, which log and page say.
stop_when first,done TERM
says log "the same command continues with the other cases and the pictures that are missing"
absent killed/cases/first/report.html
grep -q '"drawn": false' killed/cohort.html || fail "cohort.html does not say that pictures are missing"
# Killed without a chance to write: what was done stays, the others run, none twice.
stop_when last,running 9
before=$(grep "^first," killed/batch.csv)
# The running case is ended with the batch; until then its folder is locked.
for _ in $(seq 600); do
  expect 40 batch cohort.csv --base base.yaml -o killed --retry all --jobs 1
  grep -q "works in" killed/cohort.csv || break
  sleep 0.1
done
[ "$(grep "^first," killed/batch.csv)" = "$before" ] || fail "a case that was done ran again"
grep -q "^last,done" killed/batch.csv || fail "$(cat killed/batch.csv)"
grep -q "^bad,refused" killed/batch.csv || fail "$(cat killed/batch.csv)"
[ "$(cat killed/cases/*/hemotile.log | grep -c "Z hemotile report DIR")" = 2 ] || fail "not one report a case"
no_halves

# Started by a program that ignores the ends of its children (SIGCHLD): those of the cases are seen.
printf 'id,scan\nbad,broken.nii.gz\n' >bad.csv
timeout 60 "$PYTHON" -c "import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])" "$HEMOTILE" batch bad.csv -o ignored >stdout 2>stderr </dev/null
[ $? = 40 ] || fail "the end of a case is not seen: $(cat stderr)"
done_testing
