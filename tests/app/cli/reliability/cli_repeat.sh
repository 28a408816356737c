# `hemotile run --from-manifest`: a run repeated from its record has the same bits; what cannot be
# repeated is refused.
. "$(dirname "$0")/../check.sh"
few='--nodes-across 8 --steps 20 --device cpu --quiet'

# The numbers of a summary without those of the clock; the values of flow.bin without its header.
numbers() {
  "$PYTHON" - "$@" <<'PY'
import json, sys
def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()
                if k not in ("speed", "time", "written", "stages", "seconds", "peak_memory_mb", "case_sha256",
                             "device", "options", "coarse_seconds", "name", "threads")}
    return [plain(v) for v in value] if isinstance(value, list) else value
a, b = (plain(json.load(open(f"{case}/summary.json"))) for case in sys.argv[1:])
assert a["flow"]["fluid_nodes"] > 100
for key in sorted(set(a) | set(b)):
    if a.get(key) != b.get(key):
        sys.exit(f"summary.json: {key}: {a.get(key)}, then {b.get(key)}")
def values(case):
    bytes = open(f"{case}/flow.bin", "rb").read()
    return bytes[16 + int.from_bytes(bytes[8:16], "little"):-32]
if values(sys.argv[1]) != values(sys.argv[2]):
    sys.exit("flow.bin has other values")
PY
}
# same CASE AGAIN: after a run with --from-manifest.
same() {
  says stderr "the same bits as in the record: the mask and the flow at every node"
  grep -q 'warning: .*record' stderr && fail "a warning without a difference: $(cat stderr)"
  for file in mask.nii.gz wall.vtp; do cmp "$1/$file" "$2/$file" || fail "$file of $2"; done
  numbers "$1" "$2" || fail "$2"
}

expect 0 phantom pipe -o sample --spacing 0.5
# shellcheck disable=SC2086
expect 0 run sample/case.yaml -o first $few --precision fp64
# The second time the wall and the ways are made beside the flow, as with a GPU.
HEMOTILE_IDLE_CORES=1 expect 0 run sample/dicom --from-manifest first/manifest.json -o again
same first again
[ "$(number again/manifest.json flow_sha256)" = "$(number first/manifest.json flow_sha256)" ] ||
  fail "another hash of the flow"

# What is refused, and says what to do.
expect 2 run --from-manifest first/manifest.json -o x
says stderr "give the scan, too"
expect 2 run sample/dicom --from-manifest first/manifest.json
says stderr "give -o DIR"
expect 2 run sample/dicom --from-manifest first/manifest.json -o first
says stderr "give another folder with -o"
expect 2 run sample/dicom --from-manifest first/manifest.json -o x --flow 3
says stderr "leave --flow out"
expect 2 run sample/dicom --from-manifest first/manifest.json -o x --set flow.cycles=5
says stderr "leave --set out"
expect 10 run sample/dicom --from-manifest nowhere.json -o x
echo '{"hemotile": "0.2.0"}' >empty.json
expect 11 run sample/dicom --from-manifest empty.json -o x
says stderr "no settings"
expect 0 phantom pipe -o other --spacing 0.5 --seed 2
expect 2 run other/dicom --from-manifest first/manifest.json -o x
says stderr "these are not the files of the record"
absent x
sed 's/"flow_sha256": "./"flow_sha256": "_/' first/manifest.json >wrong.json
expect 33 run sample/dicom --from-manifest wrong.json -o wrong
says stderr "the flow has other bits than in the record"
sed 's/"hemotile": "[0-9.]*"/"hemotile": "0.0.1"/' first/manifest.json >older.json
sed 's/"flow_sha256": "./"flow_sha256": "_/' older.json >wrong.json
expect 0 run sample/dicom --from-manifest wrong.json -o wrong2
says stderr "the flow has other bits than in the record; the mask has the same: hemotile 0.0.1 there"
sed 's/"mask_edited": false/"mask_edited": true/' first/manifest.json >edited.json
expect 2 run sample/dicom --from-manifest edited.json -o x
says stderr "edited by hand"
if [ "$("$HEMOTILE" --version | grep -c '^no GPU')" = 1 ]; then
  sed 's/"device": "cpu"/"device": "cuda"/' first/manifest.json >gpu.json
  expect 22 run sample/dicom --from-manifest gpu.json -o x
  says stderr "with --device cpu the run goes on"
  absent x
  # As a GPU machine writes it: what differs is named, and the numbers are the CPU's.
  sed -i 's/"device_name": "[^"]*"/"device_name": "NVIDIA H200"/' gpu.json
  expect 22 run sample/dicom --from-manifest gpu.json -o x
  says stderr "the record is of a run on NVIDIA H200"
fi
enough_with_sanitizers
if [ -e gpu.json ]; then
  expect 0 run sample/dicom --from-manifest gpu.json -o on_cpu --device cpu
  says stderr "device NVIDIA H200 there, CPU"
  [ "$(number on_cpu/manifest.json machine.device)" = cpu ] || fail "the device of the record"
fi
expect 0 run sample/dicom --from-manifest older.json -o older
says stderr "hemotile 0.0.1 there, "
says stderr "the same bits"

# A phantom is made anew; a surface has a voxel size and planes of the import's; a waveform lies
# beside the record; points; a stage that ran again, without the settings for reading.
echo 'phantom: pipe
phantom_seed: 3
phantom_spacing_mm: 0.5' >phantom.yaml
# shellcheck disable=SC2086
expect 0 run phantom.yaml -o made $few
expect 0 solve made --quiet
expect 0 export made --quiet
expect 0 run --from-manifest made/manifest.json -o made2
same made made2
expect 2 run sample/dicom --from-manifest made/manifest.json -o x
says stderr "the record of a phantom"
expect 0 export made --quiet
# shellcheck disable=SC2086
expect 0 run sample/dicom --from 0,0,-10 --to 0,0,10 --keep-identity --flow 1 -o points $few
expect 0 run --from-manifest points/manifest.json -o points2 --threads 1 # the path is in the record
same points points2
printf 'time_s,flow_ml_s\n0,0.1\n0.01,0.2\n0.02,0.15\n0.03,0.12\n0.04,0.1\n' >pulse.csv
"$PYTHON" "$here/make_stl.py" sac vessel.stl 24 1 1.5 2
echo 'mask: vessel.stl
surface_spacing_mm: 0.15
flow: {waveform: pulse.csv, cycles: 2, max_cycles: 0, samples: 4}
lattice: {spacing_mm: 0.3}' >surface.yaml
"$HEMOTILE" run surface.yaml -o surface --device cpu --quiet >stdout 2>stderr
code=$?
[ $code = 0 ] || [ $code = 32 ] || { fail "code $code"; cat stderr; } # 32: two beats may not repeat each other
rm pulse.csv
expect $code run vessel.stl --from-manifest surface/manifest.json -o surface2
same surface surface2
sed -i 's/^0.02,0.15/0.02,0.16/' surface/waveform.csv
expect 2 run vessel.stl --from-manifest surface/manifest.json -o x
says stderr "this is not the waveform of the record"
done_testing
