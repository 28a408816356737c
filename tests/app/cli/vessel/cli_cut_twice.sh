# A vessel cut at a plane, its mask corrected by hand elsewhere: the cut stays where and as it was.
. "$(dirname "$0")/../check.sh"
needs nibabel numpy
expect 0 phantom pipe -o sample --format nifti
cat >cut.yaml <<'Y'
scan: sample/scan.nii.gz
lattice: {nodes_across: 10}
openings:
  - {name: in, role: inlet, near_mm: [0, 0, -11.9], flow_ml_s: 1}
  - {name: out, role: outlet, centre_mm: [0, 0, 5.3], normal: [0, 0, 1]}
Y
expect 0 run cut.yaml -o out --steps 5 --device cpu --quiet
radius=$(number out/summary.json openings.0.radius_mm)
near "$radius" 2 0.1
"$PYTHON" - <<'PY'
import nibabel, numpy
image = nibabel.load("out/mask.nii.gz")
data = numpy.asarray(image.dataobj).copy()
inside = numpy.argwhere(data)
x, y, z = inside[inside[:, 2] == inside[:, 2].min() + 6][0]
data[x, y, z] = 0  # one voxel of the wall, far from the cut
nibabel.save(nibabel.Nifti1Image(data, image.affine, image.header), "out/mask.nii.gz")
PY
expect 0 solve out --quiet
says stderr "was edited by hand"
expect 0 export out --quiet
near "$(number out/summary.json openings.0.radius_mm)" "$radius" 1e-9
no_halves

# Branches that are too small for openings at this lattice are closed, with a message.
expect 0 phantom coarctation -o arch --format nifti --spacing 1.5
printf 'scan: arch/scan.nii.gz\nlattice: {nodes_across: 6}\n' >arch.yaml
expect 0 run arch.yaml -o arch_out --flow 3 --steps 5 --device cpu --quiet
says stderr "closed as wall"
grep -q "closed as wall" arch_out/summary.json || fail "summary.json does not warn of it"
done_testing
