#!/usr/bin/env bash
# A GPU whose memory another process holds, for real: run by hand on a machine with a GPU and nvcc.
#   bash tests/gpu/full_gpu.sh build/bin/hemotile
# 1. A run that does not fit ends with code 20, and says what is needed and what is free.
# 2. A batch of two cases, of which one does not fit: that one runs again alone, and fails with this
#    reason; the other is done.
# 3. The memory is given back: `--retry failed` does the case.
set -u
HEMOTILE=$(realpath "${1:?the path of hemotile}")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
failures=0
holder=
end() {
  exec 9>&-
  [ -z "$holder" ] || wait "$holder"
  rm -rf "$work"
}
trap end EXIT
cd "$work" || exit 1
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
nvcc -o hold "$here/hold_memory.cu" || exit 77
mkfifo stop
./hold "${LEAVE_MB:-1200}" <stop >held &
holder=$!
exec 9>stop # the holder ends when this closes
until [ -s held ]; do kill -0 $holder 2>/dev/null || exit 77; sleep 0.2; done
cat held

"$HEMOTILE" phantom aneurysm -o aneurysm --format nifti -q
printf 'name: cohort\nflow: {device: cuda, steps: 200}\n' >base.yaml
fine=${FINE_NODES:-110} # some 3 GB
"$HEMOTILE" run aneurysm/case.yaml -o alone --device cuda --nodes-across "$fine" --set flow.steps=200 \
  --quiet >stdout 2>stderr
code=$?
cat stderr
[ $code = 20 ] || fail "exit code $code, expected 20"
grep -q "are free" stderr || fail "no word of what is free"
grep -q "needs at least" stderr || fail "no word of what is needed"

printf 'id,scan,flow.inlet_flow_ml_s,lattice.nodes_across\nfine,aneurysm/scan.nii.gz,2,%s\ncoarse,aneurysm/scan.nii.gz,2,16\n' "$fine" >cohort.csv
"$HEMOTILE" batch cohort.csv --base base.yaml -o out --jobs 2 --quiet
cat out/batch.csv
grep -q "^coarse,done" out/batch.csv || fail "the case that fits is not done"
grep -q "^fine,failed,20,.*memory" out/batch.csv || fail "the case that does not fit has no reason"

exec 9>&-
wait $holder
holder=
"$HEMOTILE" batch cohort.csv --base base.yaml -o out --jobs 2 --retry failed --quiet || fail "with a free GPU"
cat out/batch.csv
[ "$(find . -name '*.part*' | wc -l)" = 0 ] || fail "half-written files"
[ $failures = 0 ] && echo "all passed"
exit $((failures > 0))
