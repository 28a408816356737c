# Ctrl-C while the flow is computed: exit code 130 within seconds, no half-written files, and the
# earlier stages are there to go on from.
. "$(dirname "$0")/check.sh"
expect 0 phantom pipe -o sample --format nifti
cat >stop.py <<'PY'
import os, signal, subprocess, sys, time
number = getattr(signal, sys.argv[1])
run = subprocess.Popen(
    [os.environ["HEMOTILE"], "run", "sample/case.yaml", "-o", "out", "--nodes-across", "8",
     "--steps", "100000000", "--device", "cpu"], stderr=open("stderr", "w"))
until = time.time() + 60
while time.time() < until and not os.path.exists("out/tiling.json"):
    time.sleep(0.05)
time.sleep(0.5)
asked = time.time()
run.send_signal(number)
code = run.wait()
took = time.time() - asked
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
expect 0 solve out --steps 10 --quiet
done_testing
