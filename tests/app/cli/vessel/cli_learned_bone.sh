# The network that sees vessels finds one beside bone, also with the scan's axes flipped and exchanged.
. "$(dirname "$0")/../check.sh"
needs numpy
expect 0 phantom scene --seed 307 -o scene --format nifti
expect 0 import scene/scan.nii.gz -o bone
expect 14 segment bone
says stderr 'or let a network look for the vessel: `hemotile segment bone --set segment.learned=auto`'
expect 0 segment bone --set segment.learned=auto
says stderr "it sees arteries (segment.learned: auto)"
says bone/case.yaml "learned: auto"

# The same scan with two axes flipped and two exchanged.
cat >turn.py <<'PY'
import gzip, struct, numpy
data = gzip.open("scene/scan.nii.gz").read()
head, size = bytearray(data[:352]), struct.unpack("<3h", data[42:48])
kind = {2: "u1", 4: "<i2", 8: "<i4", 16: "<f4"}[struct.unpack("<h", data[70:72])[0]]
values = numpy.frombuffer(data, kind, -1, 352).reshape(size[::-1])  # [z, y, x]
to = numpy.array(struct.unpack("<12f", data[280:328])).reshape(3, 4)
turned = numpy.ascontiguousarray(values[::-1, :, ::-1].transpose(1, 0, 2))  # [y, -z, -x]
x, y, z = to[:, 0], to[:, 1], to[:, 2]
start = to[:, 3] + x * (size[0] - 1) + z * (size[2] - 1)
struct.pack_into("<3h", head, 42, *turned.shape[::-1])
spacing = struct.unpack("<3f", data[80:92])
struct.pack_into("<3f", head, 80, spacing[0], spacing[2], spacing[1])
struct.pack_into("<h", head, 252, 0)
struct.pack_into("<12f", head, 280, *numpy.stack([-x, -z, y, start], 1).ravel())
open("turned.nii", "wb").write(head + turned.tobytes())
PY
"$PYTHON" turn.py
expect 0 import turned.nii -o turned
expect 0 segment turned --set segment.learned=auto
"$PYTHON" - "$here/../../measure" <<'PY' || fail "the vessel found is not that of the scene"
import json, sys
sys.path.insert(0, sys.argv[1])
from measure_segmentation import dice_of, read_mask
truth = read_mask("scene/truth_mask.nii.gz")
dice = [dice_of(truth, read_mask(case + "/mask.nii.gz")) for case in ("bone", "turned")]
ml = [json.load(open(case + "/manifest.json"))["segment"]["volume_ml"] for case in ("bone", "turned")]
print(dice, ml)
assert min(dice) > 0.95 and abs(ml[0] / ml[1] - 1) < 1e-3
PY
no_halves
done_testing
