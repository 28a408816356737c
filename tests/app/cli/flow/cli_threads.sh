# --threads is for the whole program: the other stages take no more than the solver does.
. "$(dirname "$0")/../check.sh"
expect 0 phantom pipe -o sample --format nifti --spacing 0.4
sed -i "s/flow_ml_s: 1}/flow_ml_s: 0.8}/" sample/case.yaml # low enough for 8 nodes across
cat >count.py <<'PY'
import os, subprocess, sys, time
given = dict(os.environ, OMP_NUM_THREADS="6")
given.pop("ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS", None)
run = subprocess.Popen(
    [os.environ["HEMOTILE"], "run", "sample/case.yaml", "-o", "out" + sys.argv[1], "--quiet",
     "--nodes-across", "8", "--steps", "30", "--device", "cpu", "--threads", sys.argv[1]],
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=given)
most = least = 0
while run.poll() is None:
    try:
        tasks = [int(task) for task in os.listdir(f"/proc/{run.pid}/task")]
        most = max(most, len(tasks))
        if len(tasks) >= 4:  # it has started itself again
            least = min(len(os.sched_getaffinity(task)) for task in tasks)
    except OSError:
        pass
    time.sleep(0.002)  # they stay till the end
found = most if len(sys.argv) < 3 else f"{least} of {len(os.sched_getaffinity(0))}"
print(found if run.returncode == 0 else -1)
PY
[ -d /proc/self/task ] || exit 77
one=$(HEMOTILE=$HEMOTILE "$PYTHON" count.py 1)
four=$(HEMOTILE=$HEMOTILE "$PYTHON" count.py 4)
echo "threads at most: $one with --threads 1, $four with --threads 4"
# Beside the main one there is one that waits for Ctrl-C; ITK has a pool of its own.
[ "$one" -ge 1 ] && [ "$one" -le 3 ] || fail "--threads 1: $one threads"
[ "$four" -ge 5 ] && [ "$four" -le 9 ] || fail "--threads 4: $four threads"

# Threads bound to processors, as clusters set them: every thread has all processors.
bound=$(HEMOTILE=$HEMOTILE OMP_PROC_BIND=true "$PYTHON" count.py 2 processors)
echo "OMP_PROC_BIND: each thread has $bound processors"
all=$(env -u OMP_NUM_THREADS nproc)
[ "$bound" = "$all of $all" ] || fail "OMP_PROC_BIND: a thread has $bound processors"

# Files and pictures are made side by side: the same bytes, however many at a time.
compared=0
# Not what the run took: speed and time.
for folder in out1 out4; do
  "$PYTHON" - $folder/summary.csv >$folder/flow.csv <<'PY' || fail "$folder/summary.csv"
import csv, sys
names, row = csv.reader(open(sys.argv[1]))
for name, value in zip(names, row):
    if not name.startswith(("speed.", "time.")):
        print(name, value, sep=",")
PY
  rm $folder/summary.csv
done
for file in out1/*.nii.gz out1/*.vt? out1/*.csv out1/*.stl out1/pictures/*.png out1/openings.json; do
  cmp "$file" "out4/${file#out1/}" || fail "$file depends on the number of threads"
  compared=$((compared + 1))
done
[ "$compared" -ge 12 ] || fail "only $compared files were compared"

# A small stack, or little memory, as clusters set them: results, or a message and code 20; never a
# crash. (With too little the program's libraries are not even loaded: 127.)
(ulimit -s 64 && exec "$HEMOTILE" run sample/case.yaml -o small --quiet --nodes-across 8 --steps 5 \
  --device cpu) >stdout 2>stderr || fail "a stack of 64 KB: $(tail -n 2 stderr)"
if (ulimit -v 400000 && exec "$HEMOTILE" --version) >stdout 2>stderr; then # not with a sanitizer
  given=(
    "info sample/scan.nii.gz" "import sample/scan.nii.gz -o little/import" "phantom pipe -o little/phantom"
    "run sample/case.yaml -o little/run --nodes-across 8 --steps 5 --device cpu")
  codes=
  for megabytes in 92 100 120 160; do
    for arguments in "${given[@]}"; do
      rm -rf little && mkdir little
      # shellcheck disable=SC2086 # words
      (ulimit -v $((1000 * megabytes)) && exec "$HEMOTILE" $arguments --quiet) >stdout 2>stderr
      code=$?
      codes="$codes $code"
      case $code in
      0 | 20 | 127) ;;
      *) fail "$arguments in $megabytes MB: exit code $code: $(tail -n 2 stderr)" ;;
      esac
    done
  done
  echo "exit codes in little memory:$codes"
  # A control group ends what takes more than its limit: code 20 comes before that. Only where this
  # test may make a group (as root).
  group=/sys/fs/cgroup/memory/hemotile-test-$$ limit=memory.limit_in_bytes
  [ -d /sys/fs/cgroup/memory ] || { group=/sys/fs/cgroup/hemotile-test-$$ limit=memory.max; }
  if mkdir $group 2>/dev/null && echo 25000000 2>/dev/null >$group/$limit; then
    (echo "$BASHPID" >$group/cgroup.procs &&
      exec "$HEMOTILE" run sample/case.yaml -o grouped --nodes-across 8 --steps 5 --device cpu --quiet) \
      >stdout 2>stderr
    code=$?
    [ $code = 20 ] || fail "25 MB in a control group: exit code $code: $(tail -n 2 stderr)"
    says stderr "left to this container (control group)"
  fi
  [ ! -d $group ] || rmdir $group
  # OpenMP ends the program by itself where it has no room for a stack.
  got=0
  (ulimit -v 400000 && export OMP_STACKSIZE=300M OMP_NUM_THREADS=2 &&
    exec "$HEMOTILE" import sample/scan.nii.gz -o no_stack --quiet) >stdout 2>stderr || got=$?
  [ $got = 20 ] || fail "no room for the stack of a thread: exit code $got"
  says stderr "not enough memory for work on several threads"
fi
done_testing
