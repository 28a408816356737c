# `hemotile run` as a command-line module of 3D Slicer: its description, a call as Slicer makes it, the
# progress in tags, what Slicer loads, and calls that cannot be.
. "$(dirname "$0")/../check.sh"

expect 0 --xml
"$PYTHON" - stdout <<'PY' || fail "the description is not as Slicer wants it"
import re, sys
import xml.etree.ElementTree as tree

root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "executable" and root.find("title").text == "hemotile"
# The order that CTK's schema (ctkCmdLineModule.xsd) has, and its letters of a flag.
order = ["name", "longflag", "index", "description", "label", "default", "channel", "element", "constraints"]
places, names = [], []
for group in root.findall("parameters"):
    assert [child.tag for child in group][:2] == ["label", "description"]
    for one in list(group)[2:]:
        tags = [order.index(child.tag) for child in one]
        assert tags == sorted(tags), one.find("name").text
        assert (one.find("longflag") is None) != (one.find("index") is None)
        if one.find("longflag") is not None:
            assert re.fullmatch("[_a-zA-Z][_a-zA-Z0-9]*", one.find("longflag").text)
        else:
            places.append(int(one.find("index").text))
        if one.tag.endswith("enumeration"):
            assert one.find("default").text in [e.text for e in one.findall("element")]
        names.append(one.find("name").text)
assert places == [0, 1] and len(set(names)) == len(names) >= 9
PY

expect 0 phantom pipe --format nifti -o sample
# All flags with their values, the places last: so Slicer calls.
expect 0 --point 0,0,-9 --point 0,0,9 --preset auto --flow 0 --part head --nodes_across 8 --device cpu \
  --mask_file loaded.nii.gz --wall_file loaded.vtp sample/scan.nii.gz result
cmp result/mask.nii.gz loaded.nii.gz || fail "another mask is loaded"
cmp result/wall.vtp loaded.vtp || fail "another wall is loaded"
[ "$(grep -c outlet- result/openings.json)" -ge 1 ] || fail "the second point is no outlet"
"$PYTHON" - stdout <<'PY' || fail "the progress is not in tags"
import re, sys
text = open(sys.argv[1]).read()
whole = [float(x) for x in re.findall(r"<filter-progress>([\d.]+)</filter-progress>", text)]
assert text.startswith("<filter-start>") and text.rstrip().endswith("</filter-end>")
assert len(whole) > 3 and whole == sorted(whole) and 0 <= whole[0] and whole[-1] <= 1
PY

expect 2 --flow 1 sample/scan.nii.gz
says stderr "no case folder is given"
expect 2 --flow 1 --colour red sample/scan.nii.gz other
says stderr "--colour is not an argument of the module"
expect 2 --flow
says stderr "--flow needs a value"
absent other
no_halves
done_testing
