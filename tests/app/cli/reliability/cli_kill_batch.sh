# `hemotile batch` killed (SIGKILL) at random moments, and the same command again: each case is bit
# for bit that of a batch that nobody killed, and no temporary file is left. KILLS and SEED as in
# kills.sh.
. "$(dirname "$0")/../check.sh"
. "$here/reliability/kills.sh"
expect 0 phantom pipe -o pipe --format nifti --spacing 0.6
cat >base.yaml <<'Y'
name: cohort
lattice: {nodes_across: 8}
flow: {device: cpu, steps: 300, checkpoint_minutes: 0.0005}
Y
printf 'id,scan,flow.inlet_flow_ml_s\na,pipe/scan.nii.gz,0.5\nb,pipe/scan.nii.gz,0.6\nc,pipe/scan.nii.gz,0.7\n' >cohort.csv
start() { "$HEMOTILE" batch cohort.csv --base base.yaml -o "$1" --jobs 2 --quiet >stdout 2>stderr; }
begun=$(milliseconds)
start whole || fail "$(cat stderr)"
says whole/cases/a/pictures/colours.json '"complete": true'
took=$(($(milliseconds) - begun))
start_and_kill() {
  kill_after "$1" "$HEMOTILE" batch cohort.csv --base base.yaml -o killed --jobs 2 --quiet
  grep ",done," killed/batch.csv >now 2>/dev/null
  for id in $(cut -d, -f1 finished); do
    cmp -s <(grep "^$id," finished) <(grep "^$id," now) || fail "$id was done and ran again"
  done
  mv now finished
}
to_the_end() {
  start killed || fail "after $hit kills: $(cat stderr)"
  for id in a b c; do
    "$PYTHON" "$here/same_results.py" whole/cases/$id killed/cases/$id || fail "$id after $hit kills"
    for picture in colours.json velocity.png wall.png; do
      cmp -s {whole,killed}/cases/$id/pictures/$picture || fail "$picture of $id after $hit kills"
    done
  done
  if grep -E "damaged|edited since" killed/cases/*/hemotile.log; then fail "a half-written file was read"; fi
  no_halves
  rm -rf killed
  : >finished
}
: >finished
kill_often $took
[ "$failures" = 0 ] && echo "$hit kills; no case lost or run twice; 0 bits differ"
done_testing
