# `hemotile run` killed (SIGKILL) at random moments, from the import to the report, and the same
# command again: the results are bit for bit those of a run that nobody killed, and nothing else is
# left. KILLS and SEED as in kills.sh:
#   KILLS=50 HEMOTILE=$PWD/build/bin/hemotile PYTHON=python3 bash tests/app/cli/reliability/cli_kill.sh
. "$(dirname "$0")/../check.sh"
. "$here/reliability/kills.sh"
expect 0 phantom pipe -o sample --format nifti --spacing 0.4
sed -i "s/flow_ml_s: 1}/flow_ml_s: 0.8}/" sample/case.yaml # low enough for 8 nodes across
cat >>sample/case.yaml <<'Y'
lattice: {nodes_across: 8}
flow: {device: cpu, waveform: carotid, period_s: 0.2, cycles: 3, max_cycles: 3, samples: 10,
  max_velocity_lu: 0.1, sound_deviation: 1, checkpoint_minutes: 0.0003}
outlets: {model: windkessel, mean_pressure_mmhg: 90, compliance_ml_mmhg: 0.02, wave_speed_m_s: 5}
Y
start() { "$HEMOTILE" run sample/case.yaml -o "$1" --quiet >stdout 2>stderr; }
begun=$(milliseconds)
start whole
code=$?
took=$(($(milliseconds) - begun))
case $code in 0 | 32) ;; *) fail "exit code $code: $(cat stderr)" ;; esac
[ "$(grep -c "checkpoint of step" whole/hemotile.log)" -gt 2 ] || fail "too few checkpoints"

start_and_kill() { kill_after "$1" "$HEMOTILE" run sample/case.yaml -o killed --quiet; }
to_the_end() {
  local got=0
  start killed || got=$?
  [ $got = $code ] || fail "exit code $got after $hit kills, expected $code: $(cat stderr)"
  "$PYTHON" "$here/same_results.py" whole killed || fail "after $hit kills"
  if grep -E "damaged|edited since" killed/hemotile.log; then fail "a half-written file was read"; fi
  resumed=$((resumed + $(grep -c "goes on from the checkpoint" killed/hemotile.log)))
  no_halves
  rm -rf killed
}
resumed=0
kill_often $took
[ "$failures" = 0 ] && echo "$hit kills; $resumed times the flow went on from a checkpoint; 0 bits differ"
done_testing
