# Input that is no scan: its own exit code, a reason, and no results folder.
. "$(dirname "$0")/../check.sh"
expect 10 run nowhere.nii -o out
says stderr "nowhere.nii"
expect 10 run nowhere.yaml -o out
expect 10 info nowhere
expect 10 segment nowhere
expect 10 solve nowhere
mkdir empty
expect 11 run empty -o out
says stderr "empty"
expect 10 segment empty
says stderr "hemotile import"
"$PYTHON" "$here/make_nifti.py" pipe pipe.nii
head -c 5000 pipe.nii >"it's truncated.nii"
expect 11 run "it's truncated.nii" -o out
says stderr "it's truncated.nii"
says stderr "\`hemotile info \"it's truncated.nii\"\`"
gzip -c pipe.nii | head -c 150 >truncated.nii.gz
expect 11 run truncated.nii.gz -o out
# Too few voxels for the filters that find a vessel, as a scan and as a region of one.
for size in "2 2 2" "24 24 3"; do
  # shellcheck disable=SC2086 # three numbers
  "$PYTHON" -c "import math, struct, sys
dim = [int(n) for n in sys.argv[1:]]
raw = bytearray(open('pipe.nii', 'rb').read())
struct.pack_into('<3h', raw, 42, *dim)
open('few.nii', 'wb').write(raw[:352 + math.prod(dim) * struct.unpack_from('<h', raw, 72)[0] // 8])" $size
  expect 11 run few.nii -o out
  says stderr "few.nii: it has ${size// / x } voxels, and to find a vessel at least 4"
done
expect 3 run pipe.nii -o thin --flow 1 --set segment.method=vesselness \
  --set region.min_mm=-50,-50,0 --set region.max_mm=50,50,1
says stderr "vesselness needs at least 4 along each axis"
# Slices several pixels apart are told at once: if the vessel breaks, nothing later says why.
"$PYTHON" -c "import struct
raw = bytearray(open('pipe.nii', 'rb').read())
struct.pack_into('<f', raw, 88, 4.0)
open('thick.nii', 'wb').write(raw)"
expect 0 import thick.nii -o thick
says stderr "thick slices: they are 4 mm apart, 8 times the size of a pixel"
mkdir texts
echo "this is no DICOM file" >texts/letter.dcm
expect 11 run texts/letter.dcm -o out
expect 11 run texts -o out
tar czf texts.tar.gz texts
expect 11 run texts.tar.gz -o out
says stderr "of archives only zip is read: unpack it"
expect 11 info texts
# Memory: refused before it is spent, by what is free and by --max-memory; here the first 352 bytes are
# all of the header, and the voxels of the large file are a hole.
"$PYTHON" - <<'PY'
import gzip, struct
def header(nx, ny, nz):
    raw = bytearray(352)
    struct.pack_into("<i", raw, 0, 348)
    struct.pack_into("<8h", raw, 40, 3, nx, ny, nz, 1, 1, 1, 1)
    struct.pack_into("<hh", raw, 70, 2, 8)
    struct.pack_into("<8f", raw, 76, 1, 0.5, 0.5, 0.5, 0, 0, 0, 0)
    struct.pack_into("<2f", raw, 108, 352, 1)
    struct.pack_into("<h", raw, 252, 1)
    raw[344:348] = b"n+1\0"
    return bytes(raw)
with gzip.open("small.nii.gz", "wb", 1) as file:
    file.write(header(300, 300, 300) + bytes(13500000) + b"\1" * 400 + bytes(13499600))
with open("huge.nii", "wb") as file:
    file.write(header(5900, 5900, 5900))
    try:
        file.truncate(352 + 5900 ** 3)
    except OSError:  # no file of 205 GB may be here, not even an empty one
        file.truncate(0)
PY
if [ -s huge.nii ] && awk '/^MemAvailable/ {exit $2 > 1.1e9}' /proc/meminfo; then
  expect 20 import huge.nii -o out
  says stderr "huge.nii: not enough memory: a scan of 5900 x 5900 x 5900 voxels needs 1232 GB, and there are"
fi
expect 20 import small.nii.gz -o out --max-memory 0.1
says stderr "small.nii.gz: not enough memory: a scan of 300 x 300 x 300 voxels needs 162 MB, and there are"
says stderr "MB left of --max-memory (max_memory_gb: give more); crop it to the vessel or resample it"
expect 2 import small.nii.gz -o out --max-memory 0
absent out
expect 0 import small.nii.gz -o small --max-memory 4 --quiet
grep -q "^max_memory_gb: 4 " small/case.yaml || fail "the limit is not in case.yaml"
expect 20 segment small --max-memory 0.2
if ! sanitized; then
  says stderr "finding the vessel in 300 x 300 x 300 voxels needs 216 MB, and there are"
  says stderr 'set a smaller `region` around the vessel'
fi
absent out
no_halves
done_testing
