# Ctrl-C while the flow is computed: exit code 130 within seconds, no half-written files, and the
# earlier stages are there to go on from.
. "$(dirname "$0")/../check.sh"
expect 0 phantom pipe -o sample --format nifti --spacing 0.4
sed -i "s/flow_ml_s: 1}/flow_ml_s: 0.8}/" sample/case.yaml # low enough for 8 nodes across
cat >stop.py <<'PY'
import os, resource, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)  # a script in the background ignores it
number = getattr(signal, sys.argv[1])
run = subprocess.Popen(
    [os.environ["HEMOTILE"], "run", "sample/case.yaml", "-o", "out", "--nodes-across", "8",
     "--steps", "100000000", "--within", "no", "--device", "cpu"], stderr=open("stderr", "w"))
while run.poll() is None and not os.path.exists("out/tiling.json"):
    time.sleep(0.05)
time.sleep(0.5)
# Seconds of its processor, not of the clock: the machine may have other work.
ticks = sum(map(int, open(f"/proc/{run.pid}/stat").read().rsplit(")", 1)[1].split()[11:13]))
run.send_signal(number)
code = run.wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
took = used.ru_utime + used.ru_stime - ticks / os.sysconf("SC_CLK_TCK")
print(f"exit code {code} after {took:.1f} s")
sys.exit(not (code == 130 and took < 10))
PY
for number in SIGINT SIGTERM; do
  rm -rf out
  HEMOTILE=$HEMOTILE "$PYTHON" stop.py $number || fail "not ended by $number"
  no_halves
  there out/mask.nii.gz out/tiling.json
  absent out/summary.json out/flow.bin
done
expect 0 solve out --steps 5 --quiet
expect 0 export out --quiet

# A solve that is refused leaves the results with the openings and tiles that they are of.
stored() { cksum out/openings.json out/openings.mrk.json out/tiling.json out/case.yaml out/summary.json; }
before=$(stored)
expect 30 solve out --flow 500 --quiet
[ "$(stored)" = "$before" ] || fail "a refused solve changed what lies beside the results"
sed 's/"flow_ml_s": [0-9.]*/"flow_ml_s": 50/' out/openings.json >stale.json
mv stale.json out/openings.json # as a solve that was killed left it
expect 0 export out --quiet
[ "$(cksum <out/openings.json)" != "$(sed 's/"flow_ml_s": [0-9.]*/"flow_ml_s": 50/' out/openings.json | cksum)" ] ||
  fail "the openings beside the results are of another flow"

# Killed between the mask and the record that knows of it: the mask is no edited one.
rm -rf before half && cp -r out before
expect 0 segment out --nodes-across 10 --quiet
halfway() { # FILES...: of `out`, in place; the record is the one before
  rm -rf half && cp -r before half
  rm half/flow.bin half/summary.json
  for file; do
    cp "out/$file" half/
    sha256sum <"out/$file" | cut -c-64 >>half/.hemotile.next
  done
}
halfway mask.nii.gz
expect 0 info half
if grep -q "edited since" stdout; then fail "the mask of a killed segmentation passes for edited"; fi
expect 3 solve half --device cpu
says stderr "did not finish"
says stderr "hemotile segment half"
expect 0 segment half --quiet
absent half/.hemotile.next half/mask_edited_1.nii.gz
expect 0 solve half --steps 5 --device cpu --quiet
halfway mask.nii.gz
expect 0 run half --steps 5 --device cpu --quiet
absent half/mask_edited_1.nii.gz
halfway # killed before the mask: the one before is whole
sha256sum <out/mask.nii.gz | cut -c-64 >half/.hemotile.next
expect 0 solve half --steps 5 --device cpu --quiet
halfway case.yaml # a case that hemotile wrote is none that was edited
expect 0 import sample/case.yaml -o half --quiet
absent half/case_edited_1.yaml
halfway && cp out/mask.nii.gz half/ # that one nobody announced
expect 2 segment half
says stderr "was edited by hand"

# A record that is damaged or lost: nothing of a person's is overwritten, and --force begins anew.
cp -r before half-record && head -c 700 before/manifest.json >half-record/manifest.json
mask=$(cksum <before/mask.nii.gz)
expect 11 run half-record
says stderr "manifest.json"
says stderr "--force"
expect 0 run half-record --force --steps 5 --device cpu --quiet
says stderr "manifest_damaged_1.json"
[ "$(cksum <half-record/mask_edited_1.nii.gz)" = "$mask" ] || fail "the mask without a record is lost"
cmp -s half-record/manifest_damaged_1.json <(head -c 700 before/manifest.json) || fail "the damaged record is lost"
rm before/manifest.json
for command in "run before" "segment before" "run sample/case.yaml -o before"; do
  expect 2 $command
  says stderr "--force"
done
expect 3 solve before
says stderr "this mask is not in the folder's record"
there before/flow.bin
expect 10 export before
says stderr "before/manifest.json is missing"
says stderr "hemotile segment before --force"
expect 10 info before
says stderr "has no record (manifest.json)"
[ "$(cksum <before/mask.nii.gz)" = "$mask" ] || fail "a mask without a record was overwritten"
done_testing
