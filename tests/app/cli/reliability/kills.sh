# Sourced by the tests that kill (SIGKILL) at random moments. KILLS is the number of kills (4 without
# it), SEED that of their moments. Between two runs to the end there are 4 kills.
kills=${KILLS:-4}
RANDOM=${SEED:-22}
hit=0
milliseconds() { echo $(($(date +%s%N) / 1000000)); }

# kill_after MILLISECONDS COMMAND...: in the background, with the number of the process itself.
kill_after() {
  local moment=$1
  shift
  "$@" >stdout 2>stderr &
  local number=$!
  sleep "$(printf '%d.%03d' $((moment / 1000)) $((moment % 1000)))" &
  local moments=$!
  wait -n $number $moments 2>/dev/null # not longer than the command takes
  kill -9 $number 2>/dev/null && hit=$((hit + 1))
  kill $moments 2>/dev/null
  wait $number $moments 2>/dev/null
}

# kill_often MILLISECONDS: calls start_and_kill with moments below that, and to_the_end. A run that has
# ended before its moment makes the later moments earlier, by a half at most: the machine may have been
# busier when the time was taken.
kill_often() {
  local took=$1 k moment before
  while [ $hit -lt "$kills" ]; do
    for ((k = 0; k < 4 && hit < kills; k++)); do
      moment=$(((RANDOM * 32768 + RANDOM) % took))
      before=$hit
      start_and_kill $moment 2>/dev/null
      [ $hit -gt "$before" ] || took=$((moment > took / 2 ? moment : took / 2 + 1))
    done
    to_the_end
  done
}
