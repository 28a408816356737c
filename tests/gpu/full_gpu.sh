#!/usr/bin/env bash
# A GPU whose memory another process holds, for real: run by hand on a machine with a GPU and nvcc
# (or HOLD: hold_memory.cu, compiled). It takes half a minute.
#   bash tests/gpu/full_gpu.sh build/bin/hemotile
# 1. A GPU too full for a program to begin: code 20, and nothing is left half-written.
# 2. A batch of three cases at a time, of which one does not fit: it runs again alone, and fails with
#    what is needed and what is free; those that fit are done, also where they did not fit together.
# 3. The memory is given back: `--retry failed` does the case.
set -u
HEMOTILE=$(realpath "${1:?the path of hemotile}")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
failures=0
holder=
let_go() {
  exec 9>&- # the holder ends
  [ -z "$holder" ] || wait "$holder"
  holder=
}
trap 'let_go; rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
HOLD=$(realpath -m "${HOLD:-hold}")
[ -x "$HOLD" ] || nvcc -o "$HOLD" "$here/hold_memory.cu" || exit 77
hold() { # so many MB are left beside what a program takes to begin
  rm -f stop held
  mkfifo stop
  "$HOLD" "$1" <stop >held &
  holder=$!
  exec 9>stop
  until [ -s held ]; do kill -0 $holder 2>/dev/null || exit 77; sleep 0.2; done
  cat held
}
state() { cut -d, -f1-5,8- out/batch.csv; }

"$HEMOTILE" phantom aneurysm -o aneurysm --format nifti -q >stdout
hold -300
"$HEMOTILE" run aneurysm/case.yaml -o none --device cuda --nodes-across 12 --quiet >stdout 2>stderr
code=$?
cat stderr
[ $code = 20 ] || fail "exit code $code, expected 20"
grep -q "out of memory\|not enough memory" stderr || fail "no word of memory"
let_go

hold "${LEAVE_MB:-150}"
printf 'name: cohort\nflow: {device: cuda, precision: fp64, steps: 2000}\nsac: {find: no}\n' >base.yaml
fine=${FINE_NODES:-44} # 1 million nodes
{
  echo 'id,scan,flow.inlet_flow_ml_s,lattice.nodes_across'
  echo "fine,aneurysm/scan.nii.gz,2,$fine"
  echo 'a,aneurysm/scan.nii.gz,2,16'
  echo 'b,aneurysm/scan.nii.gz,1.9,16'
} >cohort.csv
"$HEMOTILE" batch cohort.csv --base base.yaml -o out --jobs 3 --quiet >stdout 2>stderr
code=$?
[ $code = 40 ] || fail "exit code $code, expected 40: $(cat stderr)"
state
for id in a b; do
  grep -q "^$id,done" out/batch.csv || fail "$id fits, and is not done: $(tail -3 out/logs/$id.txt)"
done
grep -q "^fine,failed,20,.*needs at least.*are free" out/batch.csv || fail "no word of what is needed and free"
[ "$(grep ^fine out/batch.csv | cut -d, -f5)" = 2 ] || fail "it did not run again alone"
let_go

"$HEMOTILE" batch cohort.csv --base base.yaml -o out --jobs 3 --retry failed --quiet >stdout 2>stderr ||
  fail "with a free GPU: $(cat stderr)"
state
[ "$(find . -name '*.part*' | wc -l)" = 0 ] || fail "half-written files"
[ $failures = 0 ] && echo "all passed"
exit $((failures > 0))
