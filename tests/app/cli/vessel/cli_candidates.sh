# Where it is not clear which vessel is meant, `segment` lists them, and takes one by its number.
. "$(dirname "$0")/../check.sh"
for kind in three comb pipe; do
  "$PYTHON" "$here/make_nifti.py" $kind $kind.nii
  expect 0 import $kind.nii -o $kind
done
# Three pieces alike: none is taken.
expect 13 segment three
says stderr "3 vessels could be meant (3 pieces of vessel, of which none stands out)"
says stderr "vessel 3: "
says stderr "look at three/pictures/candidates.png"
says stderr 'hemotile segment three --vessel 1'
says stderr 'let a network look for the vessel: `hemotile segment three --set segment.learned=auto`'
there three/candidates.json three/pictures/candidates.png
absent three/openings.json
[ "$(number three/candidates.json candidates.2.vessel)" = 3 ] || fail "the vessels have no numbers"
near "$(number three/candidates.json candidates.0.length_mm)" 20 4
near "$(number three/candidates.json candidates.0.mean_radius_mm)" 1.7 0.3
# What the search left is no vessel to compute a flow in.
expect 3 solve three
# A vessel by its number, from border to border: the case keeps its ends, and the list stays for another choice.
expect 0 segment three --vessel 2 --flow 1
says stderr "between 2 points"
says three/case.yaml "points: [["
there three/openings.json three/candidates.json
"$PYTHON" - three/candidates.json three/openings.json <<'PY' || fail "the openings are not at the ends of vessel 2"
import json, math, sys
ends = json.load(open(sys.argv[1]))["candidates"][1]
openings = json.load(open(sys.argv[2]))["openings"]
for end in ("from_mm", "to_mm"):
    assert min(math.dist(ends[end], one["centre_mm"]) for one in openings) < 2.5
assert len(openings) == 2 and all(one["at_border"] for one in openings)
PY
expect 0 segment three --flow 1
says stderr "between 2 points"
there three/vessel.stl three/pictures/sections.png
cp -r three again
sed -i '/ points: /d; /^openings:/,$d' again/case.yaml
expect 13 segment again
absent again/vessel.stl again/pictures/mask_on_scan.png again/pictures/sections.png
expect 2 segment three --vessel 4
says stderr "candidates.json has the vessels 1 to 3"
expect 2 segment three --vessel 0
expect 2 segment three --vessel 1 --from 1,2,3 --to 4,5,6
says stderr "give either --vessel N, or points"
# One vessel with ten openings is not clear, either; its way from end to end has no inlet, as both are alike.
expect 13 segment comb
says stderr "the largest piece of vessel has 10 openings), and none that was found convinces"
! grep -q '^warning: ' "$work/stderr" || fail "warnings about openings of a vessel that may not be meant"
there comb/pictures/candidates.png
absent comb/candidates.json
# A seed says which piece is meant.
printf 'scan: three.nii\nsegment: {seed_mm: [-3, -3, 10]}\n' >seed.yaml
expect 0 import seed.yaml -o seed
expect 0 segment seed --flow 1
absent seed/candidates.json
# A clear scan runs as before.
expect 0 segment pipe --flow 1
absent pipe/candidates.json pipe/pictures/candidates.png
expect 2 segment pipe --vessel 1
says stderr "there is no pipe/candidates.json"
# Where bone as bright as blood touches the vessel, it is not clear; a network sees it. What it sees of a clear vessel
# changes nothing.
"$PYTHON" "$here/make_nifti.py" bone bone.nii
expect 0 import bone.nii -o bone
expect 0 segment bone --set segment.learned=auto --flow 1
says stderr "without the network the vessel is not clear"
says bone/case.yaml "learned: auto"
near "$(number bone/manifest.json segment.volume_ml)" 0.38 0.03
[ "$(number bone/openings.json openings.1.role)" = outlet ] || fail "the vessel beside the bone has no outlet"
absent bone/candidates.json
cp pipe/mask.nii.gz before.nii.gz
expect 0 segment pipe --set segment.learned=auto --flow 1
cmp -s pipe/mask.nii.gz before.nii.gz || fail "a clear vessel is another one with segment.learned: auto"
expect 0 segment pipe --set segment.learned=no --flow 1
cmp -s pipe/mask.nii.gz before.nii.gz || fail "segment.learned: no changes the mask"
expect 2 segment pipe --set segment.learned=maybe
says stderr "allowed is no|auto|only"
no_halves
done_testing
