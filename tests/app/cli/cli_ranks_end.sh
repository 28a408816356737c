# Several ranks: signals, and a rank that dies. mpirun takes its time: 7 to 10 s for each.
. "$(dirname "$0")/check.sh"
"$HEMOTILE" --version | grep -q "MPI: yes" || { echo "built without MPI"; exit 77; }
command -v mpirun >/dev/null || { echo "needs mpirun"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMP_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=0 # of MPI's own
expect 0 phantom pipe -o sample --format nifti --spacing 0.4
sed -i "s/flow_ml_s: 1}/flow_ml_s: 0.8}/" sample/case.yaml # low enough for 8 nodes across
expect 0 import sample/case.yaml -o one
expect 0 segment one --nodes-across 8
# A signal to mpirun, or to a rank beside rank 0, ends all with a checkpoint; a rank that is killed
# ends the others.
begin_long() { # sets all, and rank 1 to victim
  local i ranks
  rm -rf long && cp -r one long
  timeout -s KILL 120 "$HEMOTILE" solve long --device cpu --ranks 3 --steps 100000000 >stdout 2>stderr &
  killer=$!
  all=
  for i in $(seq 300); do
    sleep 0.1
    all=$(ps -o pid= --ppid $killer | tr -d ' ')
    [ -n "$all" ] || continue
    ranks=($(ps -o pid= --ppid "$all"))
    victim=${ranks[1]:-}
    [ ${#ranks[@]} != 3 ] || ! grep -q "warning: this run takes" stderr || { sleep 1; return 0; }
  done
  fail "3 ranks did not begin"
}
all_end() {
  local since=$SECONDS
  wait $killer && fail "$1: the run says that all is well"
  [ $((SECONDS - since)) -le 30 ] || fail "$1: the others went on for $((SECONDS - since)) s"
  ps -o stat= -p $victim | grep -qv Z && fail "$1: rank 1 goes on"
  no_halves
}
begin_long
kill -TERM "$all"
all_end "SIGTERM to mpirun"
says stderr "goes on from step"
there long/checkpoint_1.bin
begin_long
kill -TERM "$victim"
all_end "SIGTERM to rank 1"
says stderr "goes on from step"
begin_long
kill -KILL "$victim"
all_end "SIGKILL to rank 1"
says stderr "exited on signal 9"
done_testing
