# A device that is lost, or out of memory, while the flow is computed: the run ends with its code,
# keeps its checkpoint and says how to go on; a batch goes on with the other cases. The fault is
# asked for at a step (HEMOTILE_STOP_AS), as there may be no GPU here; tests/gpu/ has real ones. An
# input that changes between a kill and the same command is not taken for the one of before. Last, two
# batches on one folder, and a place where nothing can be written.
. "$(dirname "$0")/../check.sh"
expect 0 phantom pipe -o sample --format nifti --spacing 0.4
sed -i "s/flow_ml_s: 1}/flow_ml_s: 0.8}/" sample/case.yaml # low enough for 8 nodes across
echo "flow: {max_velocity_lu: 0.15, steady_tolerance: 1e-6}" >>sample/case.yaml # 2500 steps
run=(run sample/case.yaml -o case --nodes-across 8 --device cpu --quiet)
HEMOTILE_STOP_AT_STEP=500 HEMOTILE_STOP_AS=22 expect 22 "${run[@]}"
says stderr "\`hemotile solve case\` resumes from step 500 when the device works again"
says stderr "\`hemotile solve case --device cpu --restart\`"
there case/checkpoint_1.bin
absent case/flow.bin
HEMOTILE_STOP_AT_STEP=700 HEMOTILE_STOP_AS=20 expect 20 solve case --device cpu --quiet
says stderr "\`hemotile solve case\` resumes from step 700 when there is memory again"
no_halves
cp -r case other
expect 0 solve case --device cpu --quiet
says case/hemotile.log "goes on from the checkpoint of step 700"

# The scan changes before the same command: refused, or read anew, but never half of each.
expect 0 phantom pipe -o changed --format nifti --spacing 0.4 --seed 2
cp changed/scan.nii.gz sample/scan.nii.gz
expect 2 run sample/case.yaml -o other --nodes-across 8 --device cpu --quiet
says stderr "--force"
there other/checkpoint_2.bin
expect 0 run sample/case.yaml -o other --nodes-across 8 --device cpu --quiet --force
[ "$(grep -c "goes on from the checkpoint" other/hemotile.log)" = 1 ] ||
  fail "the flow of another scan went on"

# A scan that changes while it is read is refused; one that changes later is not looked at again.
for _ in $(seq 50); do # a busy machine may touch it too late
  "$HEMOTILE" import sample/case.yaml -o reading --force --quiet >stdout 2>stderr &
  reading=$!
  while kill -0 $reading 2>/dev/null; do touch sample/scan.nii.gz; done
  wait $reading && rm -rf reading && continue
  says stderr "it was changed while it was read"
  break
done
absent reading/scan.nii.gz
few=(--nodes-across 8 --steps 50 --device cpu --quiet)
expect 0 run sample/case.yaml -o before "${few[@]}"
"$HEMOTILE" run sample/case.yaml -o later "${few[@]}" >stdout 2>stderr &
later=$!
until [ -e later/mask.nii.gz ]; do kill -0 $later || break; sleep 0.01; done
head -c 1000 /dev/zero >sample/scan.nii.gz
wait $later || fail "changed after it was read: $(cat stderr)"
cp changed/scan.nii.gz sample/scan.nii.gz
for key in input.sha256 mask_sha256 flow_sha256; do
  [ "$(number later/manifest.json $key)" = "$(number before/manifest.json $key)" ] || fail "another $key"
done

# A batch: the lost one has failed with its reason, the others are done.
cat >base.yaml <<'Y'
name: cohort
lattice: {nodes_across: 8}
flow: {device: cpu, inlet_flow_ml_s: 0.8}
Y
printf 'id,scan,flow.steps\nlong,sample/scan.nii.gz,1000\nshort,sample/scan.nii.gz,300\n' >cohort.csv
for code in 22 20; do
  HEMOTILE_STOP_AT_STEP=500 HEMOTILE_STOP_AS=$code expect 40 batch cohort.csv --base base.yaml \
    -o "out$code" --jobs 2 --quiet
  grep -q "^short,done,0" "out$code/batch.csv" || fail "$(cat "out$code/batch.csv")"
  grep -q "^long,failed,$code,.*failure of the device" "out$code/batch.csv" ||
    fail "$(cat "out$code/batch.csv")"
done
# For want of memory it has run twice, the second time alone.
[ "$(grep ^long out20/batch.csv | cut -d, -f5)" = 2 ] || fail "$(cat out20/batch.csv)"
[ "$(grep ^long out22/batch.csv | cut -d, -f5)" = 1 ] || fail "$(cat out22/batch.csv)"
# When the device is back.
expect 0 batch cohort.csv --base base.yaml -o out22 --retry failed --quiet
says out22/cases/long/hemotile.log "goes on from the checkpoint of step 500"

# Two batches on one folder, and a folder that is read only.
"$HEMOTILE" batch cohort.csv --base base.yaml -o two --jobs 1 --quiet >first 2>&1 &
first=$!
until [ -e two/batch.csv ]; do kill -0 $first || break; sleep 0.01; done
expect 2 batch cohort.csv --base base.yaml -o two --jobs 1 --quiet
says stderr "another hemotile is working in this folder"
wait $first || fail "the first batch: $(cat first)"
if [ "$(id -u)" != 0 ]; then # root may write anywhere
  mkdir closed && chmod 500 closed
  expect 21 batch cohort.csv --base base.yaml -o closed/out --quiet
fi
: >file # no folder can be made in a file, whoever asks
expect 21 batch cohort.csv --base base.yaml -o file/out --quiet

# A disk that is full for each case, then has room.
printf 'id,scan,flow.steps\nx,sample/scan.nii.gz,30\n' >small.csv
(
  ulimit -f 40
  "$HEMOTILE" batch small.csv --base base.yaml -o full --quiet >stdout 2>stderr
)
grep -q "^x,failed,21,.*cannot write" full/batch.csv || fail "$(cat full/batch.csv stderr)"
no_halves
expect 0 batch small.csv --base base.yaml -o full --retry failed --quiet
if grep -q "later date" stderr; then fail "the scan is older than its results"; fi
no_halves

# Done stays done where the scan was replaced: that its numbers are of another scan has to be said.
touch -d '1 hour' sample/scan.nii.gz
expect 0 batch small.csv --base base.yaml -o full --quiet
says stderr "warning: 1 case is done, and the scan has a later date than the results"
done_testing
