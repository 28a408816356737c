# Several ranks: a signal to mpirun, or to a rank beside rank 0, ends all with a checkpoint; a rank
# that is killed ends the others. Side by side, as mpirun waits for its ranks after a signal.
. "$(dirname "$0")/../check.sh"
needs_mpi
expect 0 phantom pipe -o sample --format nifti --spacing 0.8
sed -i "s/flow_ml_s: 1}/flow_ml_s: 0.8}/" sample/case.yaml # low enough for 4 nodes across
expect 0 import sample/case.yaml -o one
expect 0 segment one --nodes-across 4
# begin NAME COMMAND...: 3 ranks, in case NAME, that step without end. Each mpirun has its own folder
# for its session: one that ends removes the common one while another begins there.
begin() {
  local name=$1
  shift
  cp -r one "$name"
  OMPI_MCA_orte_tmpdir_base=$work/$name.mpi timeout -s KILL 900 "$@" >"$name.out" 2>"$name.err" &
  killer[$name]=$!
}
# Rank 0 says how long it takes when all ranks have their parts.
await() {
  local ranks
  while kill -0 "${killer[$1]}" 2>/dev/null && ! grep -q "^time" "$1.err"; do sleep 0.1; done
  launcher[$1]=$(ps -o pid= --ppid "${killer[$1]}" | tr -d ' ')
  ranks=(${launcher[$1]:+$(ps -o pid= --ppid "${launcher[$1]}")})
  if [ ${#ranks[@]} != 3 ]; then
    fail "$1: 3 ranks did not begin"
    sed 's/^/    /' "$1.err"
    done_testing
  fi
  all[$1]=${ranks[*]}
  victim[$1]=${ranks[1]}
}
ended() {
  wait "${killer[$1]}" && fail "$1: the run says that all is well"
  for _ in $(seq 3000); do # a process that was killed still has to leave
    ps -o stat= -p "${all[$1]// /,}" | grep -qv Z || break
    sleep 0.1
  done
  ps -o stat= -p "${all[$1]// /,}" | grep -qv Z && fail "$1: ranks go on"
  tr '\n' ' ' <"$1.err" >"$1.line" # Open MPI 5 breaks its lines
  says "$1.line" "$2"
}
declare -A killer launcher all victim
forever=(--device cpu --steps 1000000000 --within no)
at_once=(mpirun --oversubscribe --mca odls_base_sigkill_timeout 0 -n 3 "$HEMOTILE")
export OMPI_MCA_odls_base_sigkill_timeout=3
begin signal_to_mpirun "$HEMOTILE" solve signal_to_mpirun --ranks 3 "${forever[@]}"
begin signal_to_rank "${at_once[@]}" solve signal_to_rank "${forever[@]}"
begin killed_rank mpirun --oversubscribe -n 3 "$HEMOTILE" solve killed_rank "${forever[@]}"
for name in signal_to_mpirun signal_to_rank killed_rank; do await $name; done
kill -TERM "${launcher[signal_to_mpirun]}"
kill -TERM "${victim[signal_to_rank]}"
kill -KILL "${victim[killed_rank]}"
ended signal_to_rank "resumes from step"
ended killed_rank "exited on signal 9"
# Open MPI 5 kills the ranks at once (docs/cluster.md), so that none of them can write or say anything.
if mpirun --version | grep -q "Open MPI) 5"; then
  ended signal_to_mpirun ""
else
  says killed_rank.err "\`hemotile solve killed_rank\` with as many ranks then resumes"
  ended signal_to_mpirun "resumes from step"
  there signal_to_mpirun/checkpoint_1.bin
fi
there signal_to_rank/checkpoint_1.bin
no_halves
done_testing
