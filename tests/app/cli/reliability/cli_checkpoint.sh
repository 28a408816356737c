# A solve that is stopped goes on from its checkpoint, and gives the same bits; and what becomes of
# a checkpoint that is damaged, or of another case.
. "$(dirname "$0")/../check.sh"
expect 0 phantom pipe -o sample --format nifti --spacing 0.4
sed -i "s/flow_ml_s: 1}/flow_ml_s: 0.8}/" sample/case.yaml # low enough for 8 nodes across
echo "flow: {max_velocity_lu: 0.15, steady_tolerance: 1e-6}" >>sample/case.yaml # 2500 steps
cat >same.py <<'PY'
# same.py A B: two files of one flow differ in the seconds that they took, and so in the checksum.
import json, struct, sys
def read(path):
    data = open(path, "rb").read()
    length = struct.unpack("<Q", data[8:16])[0]
    head = json.loads(data[16:16 + length])
    for key in ("seconds", "mflups", "coarse_seconds"):
        head.pop(key)
    return head, data[16 + length:-32]
a, b = read(sys.argv[1]), read(sys.argv[2])
sys.exit(a != b)
PY
same_flow() { "$PYTHON" same.py "$1" "$2" || fail "$1 and $2 differ"; }
stopped() { # STEP FOLDER OPTIONS...
  local step=$1 folder=$2
  shift 2
  HEMOTILE_STOP_AT_STEP=$step expect 130 solve "$folder" --device cpu "$@"
  says stderr "checkpoint of step $step"
  says stderr "\`hemotile solve $folder\` resumes from step $step"
  no_halves
}
whole() { # CODE FOLDER
  rm -rf whole && cp -r "$2" whole
  expect "$1" solve whole --device cpu
}

# A pipe in the place of a checkpoint is not waited for.
expect 0 import sample/case.yaml -o piped
expect 0 segment piped --nodes-across 8
mkfifo piped/checkpoint_1.bin piped/flow.bin
timeout 200 "$HEMOTILE" solve piped --device cpu --steps 5 --quiet >stdout 2>stderr
code=$?
[ $code = 11 ] || fail "a pipe named checkpoint_1.bin: exit code $code: $(tail -n 2 stderr)"
says stderr "checkpoint_1.bin: cannot open: it is a pipe, a socket or a device"
expect 0 solve piped --device cpu --steps 5 --quiet --restart

# A steady flow: stopped twice, the second time with both checkpoints there.
expect 0 import sample/case.yaml -o case
expect 0 segment case --nodes-across 8
whole 0 case
stopped 700 case
stopped 1800 case
says stderr "goes on from the checkpoint of step 700"
there case/checkpoint_1.bin case/checkpoint_2.bin
rm -rf kept && cp -r case kept
expect 0 solve case --device cpu
says stderr "goes on from the checkpoint of step 1800"
same_flow whole/flow.bin case/flow.bin
absent case/checkpoint_1.bin case/checkpoint_2.bin

again() { rm -rf case && cp -r kept case; }
# Cut anywhere, or with a flipped bit, the newer one gives way to the older.
newer=checkpoint_2.bin
size=$(stat -c %s kept/$newer)
for bytes in 0 $((size / 4)) $((size / 2)) $((3 * size / 4)) $((size - 1)); do
  again
  truncate -s "$bytes" case/$newer
  stopped 900 case
  says stderr "case/$newer is damaged"
  says stderr "goes on from the checkpoint of step 700"
done
flip() { # FILE PLACE
  "$PYTHON" - "$1" "$2" <<'PY'
import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(int(sys.argv[2]))
    byte = file.read(1)[0]
    file.seek(int(sys.argv[2]))
    file.write(bytes([byte ^ 16]))
PY
}
again
flip case/$newer $((size / 3))
expect 0 solve case --device cpu
says stderr "case/$newer is damaged"
says stderr "goes on from the checkpoint of step 700"
same_flow whole/flow.bin case/flow.bin

# Both damaged: nothing begins by itself.
again
flip case/checkpoint_1.bin 5
flip case/checkpoint_2.bin $((size - 5))
expect 11 solve case --device cpu
says stderr "no checkpoint in case is whole"
says stderr "--restart"
there case/checkpoint_1.bin
expect 0 solve case --device cpu --restart
same_flow whole/flow.bin case/flow.bin

# Of other settings, or another mask: set aside. Without checkpoints: none.
again
expect 0 solve case --device cpu --steps 300
says stderr "is of other settings"
absent case/checkpoint_1.bin
again
expect 0 segment case --nodes-across 9 --force
there case/checkpoint_1.bin
expect 0 solve case --device cpu --steps 300
says stderr "is of another mask"
again
sed -i 's/checkpoint_minutes: .*/checkpoint_minutes: 0/' case/case.yaml
HEMOTILE_STOP_AT_STEP=900 expect 0 solve case --device cpu
same_flow whole/flow.bin case/flow.bin

# Written by another program.
again
"$PYTHON" - case/checkpoint_1.bin case/checkpoint_2.bin <<'PY'
import hashlib, sys
for path in sys.argv[1:]:
    data = open(path, "rb").read()[:-32]
    at = data.index(b'"hemotile": "') + 13
    data = data[:at] + b"9" + data[at + 1:]
    open(path, "wb").write(data + hashlib.sha256(data).digest())
PY
expect 3 solve case --device cpu
says stderr "was written by hemotile 9"
says stderr "--restart"
there case/checkpoint_1.bin

# A full disk costs the checkpoint, not the run, and never the one before.
again
(
  ulimit -f 100
  HEMOTILE_STOP_AT_STEP=1900 "$HEMOTILE" solve case --device cpu >stdout 2>stderr
)
says stderr "a checkpoint could not be written"
cmp -s case/checkpoint_1.bin kept/checkpoint_1.bin || fail "the older checkpoint is gone"
cmp -s case/checkpoint_2.bin kept/checkpoint_2.bin || fail "the newer checkpoint is gone"
no_halves

# A pulse with Windkessels: everything that is recorded of its beats.
sed -i '/^flow:/d' sample/case.yaml
cat >>sample/case.yaml <<'Y'
flow: {waveform: carotid, period_s: 0.2, cycles: 3, max_cycles: 3, samples: 10, max_velocity_lu: 0.1, sound_deviation: 1}
outlets: {model: windkessel, mean_pressure_mmhg: 90, compliance_ml_mmhg: 0.02, wave_speed_m_s: 5}
export: {beat_files: nifti}
Y
expect 0 import sample/case.yaml -o pulse
expect 0 segment pulse --nodes-across 8
whole 32 pulse # its beats have not come to repeat
steps=$("$PYTHON" - whole/flow.bin <<'PY'
import json, struct, sys
data = open(sys.argv[1], "rb").read()
print(json.loads(data[16:16 + struct.unpack("<Q", data[8:16])[0]])["steps"])
PY
)
export HEMOTILE_IDLE_CORES=1 # the way is found beside the flow, as with a GPU
for part in 45 71 88; do
  stopped $((steps * part / 100)) pulse
done
expect 32 solve pulse --device cpu
unset HEMOTILE_IDLE_CORES
for name in flow.bin flow_phase.bin; do same_flow whole/$name pulse/$name; done
for name in wall_cycle.bin wall_moments.bin beat.bin series.bin; do
  cmp -s whole/$name pulse/$name || fail "$name is not that of the whole run"
done

# Killed at any moment: what there is, is whole.
expect 0 import sample/case.yaml -o killed
expect 0 segment killed --nodes-across 8
sed -i 's/cycles: 3/cycles: 16/' killed/case.yaml
sed -i 's/checkpoint_minutes: .*/checkpoint_minutes: 0.0001/' killed/case.yaml
for wait in 0.1 0.3 0.2 0.4; do
  "$HEMOTILE" solve killed --device cpu --quiet >stdout 2>stderr &
  number=$!
  until [ -e killed/checkpoint_1.bin ] || ! kill -0 $number 2>/dev/null; do sleep 0.05; done
  sleep $wait
  # The last one has kept a state, also on a busy machine.
  while [ $wait = 0.4 ] && [ ! -e killed/checkpoint_1.bin ] && kill -0 $number 2>/dev/null; do sleep 0.1; done
  kill -9 $number 2>/dev/null
  wait $number 2>/dev/null
done
expect 0 solve killed --device cpu --quiet
says killed/hemotile.log "goes on from the checkpoint of step"
if grep -q "is damaged" killed/hemotile.log; then fail "a killed run left a damaged checkpoint"; fi
no_halves
absent killed/checkpoint_1.bin killed/checkpoint_2.bin
done_testing
