# Several ranks compute the bits of one: walls, ports and Windkessels cut apart, thinning blood,
# precisions, collisions, a beat, a checkpoint.
. "$(dirname "$0")/../check.sh"
needs_mpi
cat >same.py <<'PY'
# same.py A B: two files of one flow differ in what computed it and in how long that took.
import json, struct, sys
def read(path):
    data = open(path, "rb").read()
    length = struct.unpack("<Q", data[8:16])[0]
    head = json.loads(data[16:16 + length])
    for key in ("seconds", "mflups", "coarse_seconds", "device"):
        head.pop(key, None)
    return head, data[16 + length:-32]
sys.exit(read(sys.argv[1]) != read(sys.argv[2]))
PY
# by_mpirun CODE RANKS ARGUMENTS...: where a rank fails, the others are ended at once, not after 1 s.
export OMPI_MCA_odls_base_sigkill_timeout=0
quiet=--quiet
! mpirun --version | grep -q "Open MPI) 5" || quiet= # it has no such option
by_mpirun() {
  local wanted=$1 n=$2 got=0
  shift 2
  timeout -s KILL 900 mpirun $quiet --oversubscribe -n "$n" "$HEMOTILE" "$@" >stdout 2>stderr || got=$?
  [ $got = "$wanted" ] || fail "$n ranks, $*: exit code $got, expected $wanted"
}
# same_on CODE CASE RANKS OPTIONS...: exit code and bits of one rank, on so many.
same_on() {
  local code=$1 case=$2 ranks=$3 n file
  shift 3
  rm -rf on1 && cp -r "$case" on1
  expect "$code" solve on1 --device cpu --quiet "$@"
  for n in $ranks; do
    rm -rf on && cp -r "$case" on
    by_mpirun "$code" "$n" solve on --device cpu --quiet "$@"
    for file in flow.bin flow_phase.bin; do
      [ ! -e on1/$file ] || "$PYTHON" same.py on1/$file on/$file ||
        fail "$case, $*: $file of $n ranks is not that of one"
    done
    [ ! -e on1/beat.bin ] || cmp on1/beat.bin on/beat.bin || fail "$case: beat.bin of $n ranks"
  done
  grep -q "ranks" on/flow.bin || fail "$case: not computed by ranks"
}
"$PYTHON" "$here/make_nifti.py" fork fork.nii
short="extensions: {inlet_diameters: 0.5, outlet_diameters: 0.5}"
cat >steady.yaml <<C
mask: fork.nii
lattice: {spacing_mm: 0.5}
$short
flow: {inlet_flow_ml_s: 0.8}
blood: {model: carreau-yasuda}
outlets: {model: murray}
C
expect 0 import steady.yaml -o steady
expect 0 segment steady
same_on 0 steady "2 4" --steps 80
same_on 0 steady 3 --steps 40 --precision fp16 --collision mrt
same_on 0 steady 3 --steps 40 --precision fp64 --collision cumulant

enough_with_sanitizers

# A beat into Windkessels.
cat >beat.yaml <<C
mask: fork.nii
lattice: {spacing_mm: 0.75}
$short
blood: {viscosity_pa_s: 0.05}
flow: {cycles: 1, max_cycles: 1, samples: 8, max_velocity_lu: 0.15, sound_deviation: 1}
patient: {kind: aorta, cardiac_output_l_min: 0.1, heart_rate_per_min: 240, blood_pressure_mmhg: [110, 70], age_years: 8}
C
expect 0 import beat.yaml -o beat
expect 0 segment beat
same_on 32 beat 2 # one beat is not known to be periodic

# A pipe to its steady state, which is found at the same step by --ranks.
expect 0 phantom pipe -o sample --format nifti --spacing 0.4
sed -i "s/flow_ml_s: 1}/flow_ml_s: 0.8}/" sample/case.yaml # low enough for 8 nodes across
echo "flow: {max_velocity_lu: 0.15, steady_tolerance: 2e-3}" >>sample/case.yaml
expect 0 import sample/case.yaml -o pipe
expect 0 segment pipe --nodes-across 8
cp -r pipe one && cp -r pipe two
expect 0 solve one --device cpu
# The memory that is foretold is the most that the program has had.
"$PYTHON" - <<'PY' || fail "the memory that is foretold is not that which is used"
import json, re, sys
number, unit = re.search(r"memory +about ([0-9.]+) ([kMG]B) at most", open("one/hemotile.log").read()).groups()
foretold = float(number) * {"kB": 1e-3, "MB": 1, "GB": 1e3}[unit]
used = json.load(open("one/manifest.json"))["peak_memory_mb"]
print(foretold, used)
sys.exit(not 0.85 < foretold / used < 1.15)
PY
expect 0 solve two --device cpu --ranks 2
"$PYTHON" same.py one/flow.bin two/flow.bin || fail "the pipe of 2 ranks is not that of one"

# Stopped, and on from the checkpoint: by as many ranks, and by no other number.
HEMOTILE_STOP_AT_STEP=200 by_mpirun 130 2 solve pipe --device cpu
says stderr "checkpoint of step 200"
cp -r pipe other
by_mpirun 22 3 solve other --device cpu
says stderr "it was written on 'CPU, 2 ranks"
expect 0 solve pipe --device cpu --ranks 2
says stderr "goes on from the checkpoint of step 200"
"$PYTHON" same.py one/flow.bin pipe/flow.bin || fail "the checkpoint of 2 ranks"

# Refused with a message.
expect 2 solve one --ranks 0
says stderr "--ranks"
by_mpirun 2 2 export one
says stderr "\`hemotile export\` is one process, and mpirun has started 2"
by_mpirun 2 2 solve one --ranks 3
says stderr "--ranks 3, and mpirun has started 2"

expect 2 solve one --ranks 2 --gpus 2
says stderr "give one of them"
CUDA_VISIBLE_DEVICES='' expect 22 solve one --gpus 2
says stderr "--gpus 2: no GPU can be used"

# The benchmark of ranks also compares their flow with that of one.
expect 0 bench vessels-small --size 40 --ranks 2 --device cpu --precision fp64 --seconds 0.001
says stdout "the same bits"
by_mpirun 2 2 bench cavity --device cpu
says stderr "give --gpus 2 or --ranks 2"

# Tasks with a case each, as srun starts them, are no ranks of one flow.
got=0
timeout -s KILL 900 mpirun $quiet --oversubscribe -n 2 bash -c \
  '"$0" solve case$OMPI_COMM_WORLD_RANK --device cpu' "$HEMOTILE" >stdout 2>stderr || got=$?
[ $got = 2 ] || fail "a case for each rank: exit code $got"
says stderr "rank 1 has 'case1' where rank 0 has 'case0'"

no_halves
done_testing
