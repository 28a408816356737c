# Image files as nibabel and VTK write them: what `import` leaves has the values and positions that nibabel
# reads, to 1e-3 mm. And a surface as a ready vessel.
. "$(dirname "$0")/../check.sh"
needs nibabel numpy vtk
"$PYTHON" - <<'PY' || fail "could not write the images"
import nibabel as nib, numpy as np, struct
rng = np.random.default_rng(1)
voxels = rng.integers(-1000, 3000, (9, 8, 7)).astype(np.int16)
c, s = np.cos(0.4), np.sin(0.4)
turn = np.array([[c, -s * 0.8, s * 0.6], [s, c * 0.8, -c * 0.6], [0, 0.6, 0.8]])
affine = np.eye(4)
affine[:3, :3] = turn * [0.5, 0.7, 1.3]
affine[:3, 3] = [-120.5, 33.25, 871.125]
def save(name, kind, data, sform=1, qform=1, big=False, other=None):
    header = kind.header_class(endianness='>') if big else None
    image = kind(data, affine, header=header)
    image.header.set_xyzt_units('mm')
    image.set_sform(affine, sform)
    image.set_qform(affine if other is None else other, qform)
    nib.save(image, name)
save('one.nii', nib.Nifti1Image, voxels)
save('one.nii.gz', nib.Nifti1Image, voxels)
save('two.nii', nib.Nifti2Image, voxels)
save('two_big.nii.gz', nib.Nifti2Image, voxels, big=True)
save('one_big.nii', nib.Nifti1Image, voxels, big=True)
save('pair.hdr', nib.Nifti1Pair, voxels)
save('pair2.hdr', nib.Nifti2Pair, voxels)
save('qform.nii', nib.Nifti1Image, voxels, sform=0)
save('sform.nii', nib.Nifti2Image, voxels.astype(np.float64) / 4, qform=0)
other = affine.copy()
other[0, 3] += 12
save('conflict.nii', nib.Nifti1Image, voxels, sform=2, qform=2, other=other)
# As nibabel writes a gantry tilt: the qform is the turned box nearest to the sheared sform.
tilted = affine.copy()
tilted[:3, 2] = 1.3 * (np.cos(0.32) * turn[:, 2] + np.sin(0.32) * turn[:, 1])
place = np.indices((20, 20, 20)).reshape(3, -1)
ramp = [0.7, -1.3, 0.9] @ (tilted[:3, :3] @ place + tilted[:3, 3:])
image = nib.Nifti1Image(ramp.reshape(20, 20, 20).astype(np.float32), tilted)
image.set_sform(tilted, 1)
image.set_qform(tilted, 1)
nib.save(image, 'tilt.nii.gz')
save('time.nii.gz', nib.Nifti1Image, np.stack([voxels - 7, voxels, voxels + 7], 3))
# A closed tube with 3 mm radius along z at (10, -5, 40), as 3D Slicer writes it.
n, corners = 90, []
ring = [[[10 + 3 * np.cos(a), -5 + 3 * np.sin(a), z] for a in 2 * np.pi * np.arange(n) / n]
        for z in (30.0, 50.0)]
for i in range(n):
    j = (i + 1) % n
    a, b, c, d = ring[0][i], ring[0][j], ring[1][i], ring[1][j]
    corners += [[a, b, c], [b, d, c], [[10, -5, 30], b, a], [[10, -5, 50], c, d]]
raw = np.array(corners, '<f4').reshape(-1, 9)
with open('tube.stl', 'wb') as file:
    file.write(b'3D Slicer output. SPACE=LPS'.ljust(80, b'\0') + struct.pack('<I', len(raw)))
    for t in raw: file.write(bytes(12) + t.tobytes() + bytes(2))
PY

# same NAME [PHASE]: import gives what nibabel reads.
same() {
  expect 0 import "$1" -o "out_$1" --quiet ${2:+--phase "$2"}
  "$PYTHON" - "$1" "out_$1/scan.nii.gz" "${2:-1}" <<'PY' || fail "$1 differs from nibabel's"
import nibabel as nib, numpy as np, sys
a, b = nib.load(sys.argv[1]), nib.load(sys.argv[2])
values = np.asarray(a.dataobj, float)
if values.ndim == 4: values = values[..., int(sys.argv[3]) - 1]
corners = np.array([[i, j, k, 1] for i in (0, 9) for j in (0, 8) for k in (0, 7)])
off = np.abs(corners @ a.affine.T - corners @ b.affine.T).max()
print(f"{sys.argv[1]}: positions differ by {off:.1e} mm at most")
sys.exit(not (np.array_equal(values, np.asarray(b.dataobj, float)) and off < 1e-3))
PY
}
for name in one.nii one.nii.gz two.nii two_big.nii.gz one_big.nii pair.hdr pair2.hdr qform.nii \
  sform.nii conflict.nii; do
  same "$name"
done
same time.nii.gz 2
expect 0 import tilt.nii.gz -o out_tilt
says stderr "note: a gantry tilt of 18.33 degrees was sheared back"
"$PYTHON" - <<'PY' || fail "the tilted image is not where its sform has it"
import nibabel as nib, numpy as np, sys
image = nib.load("out_tilt/scan.nii.gz")
values = np.asarray(image.dataobj)
place = np.indices(values.shape).reshape(3, -1)
ramp = ([0.7, -1.3, 0.9] @ (image.affine[:3, :3] @ place + image.affine[:3, 3:])).reshape(values.shape)
covered = values > values.min()
print(covered.sum(), "voxels off by", np.abs(values - ramp)[covered].max())
sys.exit(not (covered.sum() > 7500 and np.abs(values - ramp)[covered].max() < 1e-3))
PY

# Voxels without a value are counted in the log, the record and the message. In each format.
"$PYTHON" - <<'PY' || fail "could not write the images"
import nibabel as nib, numpy as np
voxels = np.arange(504, dtype='<f4').reshape(9, 8, 7) + 5
voxels[2:4, 3, 1] = np.nan
nib.save(nib.Nifti1Image(voxels, np.eye(4)), 'nan.nii')
raw = voxels.tobytes(order='F')
with open('nan.nrrd', 'wb') as file:
    file.write(b'NRRD0004\ntype: float\ndimension: 3\nspace: left-posterior-superior\nsizes: 9 8 7\n'
               b'space directions: (1,0,0) (0,1,0) (0,0,1)\nspace origin: (0,0,0)\nendian: little\n'
               b'encoding: raw\n\n' + raw)
with open('nan.mha', 'wb') as file:
    file.write(b'ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\n'
               b'DimSize = 9 8 7\nElementSpacing = 1 1 1\nElementType = MET_FLOAT\n'
               b'ElementDataFile = LOCAL\n' + raw)
PY
for name in nan.nii nan.nrrd nan.mha; do
  expect 0 import $name -o "out_$name" --quiet
  says stderr "warning: $name: 2 voxels have no value"
  label="file-[0-9a-f]{12}\.${name#*.}" # its name stays out of files
  grep -qE "warning: $label: 2 voxels have no value" "out_$name/hemotile.log" ||
    fail "$name: no log"
  grep -qE "$label: 2 voxels have no value.*smallest of the image, 5" "out_$name/manifest.json" ||
    fail "$name: not in the record"
  says "out_$name/manifest.json" '"warning": "file-'
done
expect 0 info pair.img
grep -q "up to 12 mm apart: the sform was taken" out_conflict.nii/manifest.json ||
  fail "the conflict of sform and qform is not in the record"
expect 11 import time.nii.gz -o none
says stderr "it has 3 time points: choose one with --phase N (1 to 3)"
expect 2 import time.nii.gz -o none --phase 4
says stderr "it has 3 images in time"
absent none

# MetaImage as VTK writes it, and with keys as ITK copies them from an image of another format.
"$PYTHON" - <<'PY' || fail "could not write the images"
import numpy as np, vtk
from vtkmodules.util.numpy_support import numpy_to_vtk
image = vtk.vtkImageData()
image.SetDimensions(7, 6, 5)
image.SetSpacing(0.5, 0.75, 1.25)
image.SetOrigin(-10.5, 20.25, 30)
image.GetPointData().SetScalars(numpy_to_vtk((np.arange(210) * 37 % 2000 - 500).astype(np.int16)))
for name in 'meta.mha', 'packed.mha', 'meta.mhd', 'packed.mhd':
    writer = vtk.vtkMetaImageWriter()
    writer.SetInputData(image)
    writer.SetFileName(name)
    writer.SetCompression(name.startswith('packed'))
    writer.Write()
whole = open('meta.mha', 'rb').read()
keys = b'NDims = 3\ndim[0] = 3\nNRRD_kinds[0] = domain\n0008|0016 = 1.2.840.10008.5.1.4.1.1.2\n'
open('itk.mha', 'wb').write(whole.replace(b'NDims = 3\n', keys, 1))
PY
for name in meta.mha packed.mha meta.mhd packed.mhd itk.mha; do
  expect 0 import $name -o "out_$name" --quiet
  "$PYTHON" - "out_$name/scan.nii.gz" <<'PY' || fail "$name differs from what VTK wrote"
import nibabel as nib, numpy as np, sys
image = nib.load(sys.argv[1])
values = (np.arange(210) * 37 % 2000 - 500).reshape(5, 6, 7).T
affine = [[-0.5, 0, 0, 10.5], [0, -0.75, 0, -20.25], [0, 0, 1.25, 30], [0, 0, 0, 1]]
sys.exit(not (np.array_equal(values, np.asarray(image.dataobj)) and
              np.allclose(image.affine, affine, rtol=0, atol=1e-5)))
PY
done

expect 0 info tube.stl
says stdout "a surface of 360 triangles, 6 x 5.996 x 20 mm from [7.00, -8.00, 30.00] to"
says stdout "(LPS), closed: a vessel"
"$PYTHON" - <<'PY'
import struct
raw = open("tube.stl", "rb").read()
with open("open.stl", "wb") as file:  # without its last triangle
    file.write(raw[:80] + struct.pack("<I", 359) + raw[84:-50])
PY
# The same tube as VTK writes it: its wall alone, in every coding, and as PLY and OBJ.
"$PYTHON" - <<'PY' || fail "could not write the surfaces"
import vtk
reader = vtk.vtkSTLReader()
reader.SetFileName("tube.stl")
reader.Update()
tube = reader.GetOutput()
for mode, set_mode in enumerate(("SetDataModeToAscii", "SetDataModeToBinary", "SetDataModeToAppended")):
    for packed in (0, 1):
        for wide in (0, 1):
            for raw in (0, 1):
                writer = vtk.vtkXMLPolyDataWriter()
                writer.SetFileName(f"vtk_{mode}{packed}{wide}{raw}.vtp")
                getattr(writer, set_mode)()
                writer.SetCompressorType(vtk.vtkXMLWriter.ZLIB if packed else vtk.vtkXMLWriter.NONE)
                writer.SetHeaderTypeToUInt64() if wide else writer.SetHeaderTypeToUInt32()
                writer.SetEncodeAppendedData(1 - raw)
                writer.SetBlockSize(4096)
                writer.SetInputData(tube)
                writer.Write()
ply = vtk.vtkPLYWriter()
ply.SetFileName("tube.ply")
ply.SetInputData(tube)
ply.Write()
obj = vtk.vtkOBJWriter()
obj.SetFileName("tube.obj")
obj.SetInputData(tube)
obj.Write()
PY
for file in vtk_*.vtp tube.ply tube.obj; do
  expect 0 info "$file"
  says stdout "a surface of 360 triangles, 6 x 5.996 x 20 mm from [7.00, -8.00, 30.00] to"
  says stdout "(LPS), closed: a vessel"
done
[ "$(echo vtk_*.vtp | wc -w)" = 24 ] || fail "not 24 codings"
expect 11 info open.stl
says stdout "a surface of 359 triangles, 6 x 5.996 x 20 mm"
says stdout "(LPS), not closed"
says stdout "cannot be imported: the surface is not closed"
expect 0 import tube.stl -o tube --surface-spacing 0.25
says stderr "in LPS by its header, became a mask of voxels of 0.25 mm"
"$PYTHON" - <<'PY' || fail "the tube is not where its surface is"
import nibabel as nib, numpy as np, sys
image = nib.load("tube/mask_drawn.nii.gz")
inside = np.argwhere(np.asarray(image.dataobj))
ras = np.c_[inside, np.ones(len(inside))] @ image.affine.T
volume = len(inside) * 0.25 ** 3
print(ras[:, :3].mean(0), volume)
sys.exit(not (np.allclose(ras[:, :3].mean(0), [-10, 5, 40], atol=0.02) and
              abs(volume / (np.pi * 9 * 20) - 1) < 0.02))
PY
done_testing
