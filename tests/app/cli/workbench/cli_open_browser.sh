# hemotile open in a browser without a screen, by clicks alone: a place that is clicked is that place of
# the scan, whose axes are oblique; the vessel between two clicks, its flow and its report are those of the
# same commands in a terminal. HEMOTILE_PICTURES=DIR keeps a picture of each step.
. "$(dirname "$0")/../check.sh"
browser=$(find_browser)
[ -n "$browser" ] || { echo "needs chromium"; exit 77; }
needs nibabel numpy
expect 0 phantom aneurysm -o sample
PYTHONPATH=$here/workbench "$PYTHON" - "$HEMOTILE" "$browser" <<'PY' || fail "the workbench in a browser: see above"
import json, os, shlex, subprocess, sys, time
import nibabel, numpy
from browser import Browser
from workbench_client import Workbench

program, chromium = sys.argv[1:]
begin = time.time()
bench = Workbench(program, "sample/dicom", "-o", "case")
page = Browser(chromium, os.path.abspath("profile"))
pictures = os.environ.get("HEMOTILE_PICTURES")

def step(name):
    print(f"{time.time() - begin:6.1f} s  {name}", flush=True)
    if pictures:
        time.sleep(2)
        page.picture(f"{pictures}/{name}.webp")

page.open(bench.link)
page.until("document.documentElement.dataset.view === 'ready'")
assert "key" not in page.see("location.href")
step("scan")

# What the page says of a clicked place is what the scan has there.
scan = nibabel.load("case/scan.nii.gz")
values, to_voxel = numpy.asanyarray(scan.dataobj), numpy.linalg.inv(scan.affine)
page.see("document.querySelector('input[value=look]').click()")
page.see("(() => { window.picked = []; const v = hemotileWorkbench.viewer, was = v.onPick;"
         " v.onPick = (p) => { picked.push(p); was(p); }; })()")
frame = page.see("(() => { const r = document.getElementById('canvas').getBoundingClientRect();"
                 " return [r.left, r.top, r.width, r.height]; })()")
checked = 0
for across, down in ((0.28, 0.25), (0.3, 0.7), (0.33, 0.75), (0.7, 0.28), (0.22, 0.8)):
    before = page.see("picked.length")
    page.click(frame[0] + across * frame[2], frame[1] + down * frame[3])
    page.until(f"picked.length > {before}")
    place = page.see("picked.at(-1)")
    if not place:
        continue  # beyond the scan
    said = page.see("document.getElementById('place').textContent")
    voxel = numpy.rint(to_voxel @ [-place[0], -place[1], place[2], 1])[:3].astype(int)
    if "intensity" in said and all(0 <= v < n for v, n in zip(voxel, values.shape)):
        assert int(said.split("intensity ")[1]) == round(float(values[tuple(voxel)])), (said, place, voxel)
        assert numpy.allclose([float(x) for x in said.split(" mm")[0].split(", ")], place, atol=0.051), (said, place)
        checked += 1
assert checked >= 4, checked
assert page.see("hemotileWorkbench.points().length") == 0  # only a look
page.see("document.querySelector('input[value=from]').click()")
page.click(frame[0] + 0.75 * frame[2], frame[1] + 0.75 * frame[3])  # in 3D: no place of the scan
page.until("document.getElementById('status').textContent.startsWith('A point is set by a click in a slice')")
assert page.see("hemotileWorkbench.points().length") == 0
page.see("document.querySelector('input[value=look]').click()")

# Keys alone move the crosshair, in the body's axes.
page.see("hemotileWorkbench.viewer.move([1, 2, 3]); document.getElementById('canvas').focus()")
for key, axis, sign in (("ArrowLeft", 0, -1), ("PageDown", 1, 1), ("ArrowUp", 2, 1)):
    before = page.see("hemotileWorkbench.viewer.place()")
    page.send("Input.dispatchKeyEvent", type="keyDown", key=key)
    after = page.see("hemotileWorkbench.viewer.place()")
    assert 0.3 < sign * (after[axis] - before[axis]) < 0.5, (key, before, after)
    assert page.see("document.getElementById('place').textContent").startswith(", ".join(f"{x:.1f}" for x in after))

# A box is drawn in a slice, moved by its grip, and removed; a seed is a click: settings of the case, in LPS mm.
def drag(points):
    kinds = ["mousePressed"] + ["mouseMoved"] * (len(points) - 1)
    for kind, (x, y) in zip(kinds, points):
        page.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
    page.send("Input.dispatchMouseEvent", type="mouseReleased", x=points[-1][0], y=points[-1][1], button="left",
              buttons=0, clickCount=1)


def at_place(slice, place):
    x, y = page.see(f"hemotileWorkbench.viewer.parts().slices[{slice}].pixel({place})")
    return frame[0] + x, frame[1] + y

def grip(key):
    x, y = page.see(f"(() => {{ const v = hemotileWorkbench.viewer.parts(), g = hemotileWorkbench.handles.parts.flatMap((p) => p.grips(v))"
                    f".find((g) => g.key === '{key}'); return [g.x, g.y]; }})()")
    return frame[0] + x, frame[1] + y

def line_of(key):
    found = [line.split("#")[0].split(": ", 1)[1] for line in open("case/case.yaml") if line.strip().startswith(key + ":")]
    return json.loads(found[0]) if found else None

page.send("Input.dispatchKeyEvent", type="keyDown", key="b")
page.see("hemotileWorkbench.viewer.move([0, 0, 0])")
drag([at_place(0, [-8, -12, 0]), at_place(0, [0, 0, 0]), at_place(0, [9, 13, 0])])
page.until("document.getElementById('region-max').value !== '' && hemotileWorkbench.region()")
low, high = line_of("min_mm"), line_of("max_mm")
assert numpy.allclose(low[:2], [-8, -12], atol=0.4) and numpy.allclose(high[:2], [9, 13], atol=0.4), (low, high)
assert low[2] < -13 and high[2] > 13, (low, high)  # all of the scan
right = grip("box 0,1")
drag([right, (right[0] - 5, right[1]), (right[0] - 12, right[1])])
page.until(f"Number(document.getElementById('region-max').value) < {high[0] - 1}")
assert line_of("min_mm") == low and line_of("max_mm")[1:] == high[1:], (low, line_of("max_mm"))
step("box")
page.press("region-none")
page.until("document.getElementById('region-max').value === '' && !hemotileWorkbench.region()")
page.see("document.querySelector('input[value=seed]').click()")
page.click(*at_place(0, [3, 5, 0]))
page.until("document.getElementById('seed').value !== ''")
assert numpy.allclose(line_of("seed_mm")[:2], [3, 5], atol=0.4) and line_of("min_mm") is None
page.press("seed-none")
page.until("document.getElementById('seed-none').disabled")
assert line_of("seed_mm") is None
page.until("hemotileWorkbench.handles.parts.every((p) => p.lines(hemotileWorkbench.viewer.parts()).length === 0)")
page.see("document.querySelector('#without-points').open = false")

# Two clicks, each on its place in a slice through it.
page.see("document.querySelector('input[value=from]').click()")
for number, place in enumerate(([-3, 8.5, -11.5], [3, 5, 12])):
    at = page.see(f"(() => {{ const v = hemotileWorkbench.viewer; v.move({place}); return"
                  " [...v.nv.frac2canvasPos(v.nv.scene.crosshairPos)]; })()")
    page.click(frame[0] + at[0], frame[1] + at[1])
    page.until(f"hemotileWorkbench.points().length === {number + 1}")
    found = page.see(f"hemotileWorkbench.points()[{number}].place")
    assert numpy.allclose(found, place, atol=0.4), (found, place)
page.see("(() => { const e = document.querySelectorAll('#points input')[1]; e.value = 'left carotid'; e.onchange(); })()")
step("clicks")
status = "document.getElementById('status').textContent"
page.press("segment")
page.until(status + ".startsWith('segment: done')")
page.until("hemotileWorkbench.viewer.meshes.vessel && document.querySelectorAll('#openings tr').length === 3")
segmented = page.see("document.getElementById('typed').value")
assert "--set 'openings.left carotid.point=2'" in segmented, segmented
page.until("[...document.querySelectorAll('#openings tr')].some((r) => r.cells[0].innerText === 'left carotid')")
step("vessel")

# The vessel corrected: a stroke in a slice, a lasso in 3D, undone by its keys. Each is where it was drawn.
def in_mask(place):
    """Whether the corrected mask, as the page shows it, has the place."""
    affine = numpy.array(page.see("hemotileWorkbench.edit.mask().affine")).reshape(3, 4)
    at = numpy.rint(numpy.linalg.solve(affine[:, :3], numpy.multiply(place, (-1, -1, 1)) - affine[:, 3])).astype(int)
    return page.see(f"(() => {{ const n = hemotileWorkbench.edit.mask().window; return hemotileWorkbench.viewer.mask"
                    f".img[{at[0]} + n.nx * ({at[1]} + n.ny * {at[2]})]; }})()")

page.press("edit-open")
page.until("hemotileWorkbench.edit.mask()")
page.see("document.querySelector('input[name=edit-tool][value=paint]').click()")
dome = [0.6, -8.3, 0.6]
at = page.see(f"(() => {{ const v = hemotileWorkbench.viewer; v.move({dome}); return"
              " [...v.nv.frac2canvasPos(v.nv.scene.crosshairPos)]; })()")
drag([(frame[0] + at[0] + x, frame[1] + at[1]) for x in (0, 10, 20, 30, 40)])
page.until("hemotileWorkbench.edit.mask().position === 1")
painted = json.loads(open("case/edits.jsonl").readlines()[1])["places_mm"]
assert len(painted) == 5 and numpy.allclose(painted[0], dome, atol=0.4) and numpy.linalg.norm(numpy.subtract(*painted[::4])) > 2
assert all(in_mask(place) for place in painted), painted
seen = page.see(f"(() => {{ const v = hemotileWorkbench.viewer.nv, [l, t, w, h] = v.screenSlices.find((s) => s.axCorSag > 2).leftTopWidthHeight;"
                " const m = v.calculateMvpMatrix(null, [l, t, w, h], v.scene.renderAzimuth, v.scene.renderElevation)[0];"
                f" const p = [{-dome[0]}, {-dome[1]}, {dome[2]}, 1], c = [0, 1].map((r) => [0, 1, 2, 3].reduce((s, k) => s + m[4 * k + r] * p[k], 0));"
                " return [l + (c[0] + 1) * w / 2, t + (1 - c[1]) * h / 2]; })()")
page.see("document.querySelector('input[name=edit-tool][value=lasso]').click()")
drag([(frame[0] + seen[0] + x, frame[1] + seen[1] + y) for x, y in ((-12, -12), (12, -12), (12, 12), (-12, 12))])
page.until("hemotileWorkbench.edit.mask().position === 2")
assert not in_mask(dome)
step("correction")
page.send("Input.dispatchKeyEvent", type="keyDown", key="z", modifiers=2)
page.until("hemotileWorkbench.edit.mask().position === 1")
assert in_mask(dome)
page.type("ml_s", "2;5")  # is no number: nothing starts
page.press("estimate")
page.until(status + ".startsWith(\"'2;5' is no number\")")
page.see("document.getElementById('ml_s').value = ''")
page.type("ml_s", "2,0")  # a comma is a decimal point
page.type("nodes_across", "8")

# The openings and the flow by clicks: case.yaml has what --set of the command line writes.
def choose(element, word):
    page.see(f"(() => {{ const e = document.getElementById('{element}'); e.value = '{word}'; e.onchange(); }})()")
def opening(number):  # chooses its row; returns the ids of its fields by their labels
    page.see(f"document.querySelectorAll('#openings tr')[{number}].click()")
    page.until("!document.getElementById('along').disabled")
    return page.see("Object.fromEntries([...document.querySelectorAll('#opening-fields label')].map((l) => [l.textContent, l.htmlFor]))")
page.press("flow-title")
page.until("/^hemotile run case --set lattice.nodes_across=8 --set flow.inlet_flow_ml_s=2/.test(document.getElementById('plan-command').value)")
names = page.see("[...document.querySelectorAll('#openings tr')].map((r) => r.cells[0].innerText)")
choose(page.see("document.querySelector('#outlet-fields select').id"), "fractions")
shares = {name: share for name, share in zip([n for n in names if n != "inlet"], ("0,7", "0.3"))}
row = lambda number: f"document.querySelectorAll('#openings tr')[{number}]"
def middle(element):
    return page.see(f"(() => {{ const e = {element}; e.scrollIntoView({{block: 'center'}});"
                    " const r = e.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()")
# What is typed stays while the case changes elsewhere, and nobody waits for the answer: the mouse is down on the
# next row, or in the next field, while the first share is saved.
for name, share in shares.items():
    x, y = middle(row(names.index(name)))
    page.send("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", buttons=1, clickCount=1)
    time.sleep(0.2)
    page.send("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)
    page.until(f"document.getElementById('opening-title').textContent.startsWith('{name} at')")
    share_id = page.see("[...document.querySelectorAll('#opening-fields label')].find((l) => l.textContent.startsWith('Share')).htmlFor")
    page.click(*middle(f"document.getElementById('{share_id}')"))
    page.send("Input.insertText", text=share)
    for model in ("auto", "fractions") if share == "0,7" else ():
        assert bench.start("settings", {"set": [["outlets.model", model]]})[0] == 200
        page.until(f"document.querySelector('#outlet-fields select').value === '{model}'")
page.press("opening-title")
for name, share in shares.items():
    page.until(f"{row(names.index(name))}.innerText.includes('share {share.replace(',', '.')}')")
# A role and back: what the opening had returns. The name of another one is refused below the field.
fields = page.see("Object.fromEntries([...document.querySelectorAll('#opening-fields label')].map((l) => [l.textContent, l.htmlFor]))")
for role in ("wall", "outlet"):
    choose(fields["Role"], role)
    page.until(f"{row(names.index(name))}.innerText.includes('share 0.3') === {'true' if role == 'outlet' else 'false'}")
own_name = fields["Name (not the patient's)"]
page.see(f"(() => {{ const e = document.getElementById('{own_name}'); e.value = '{list(shares)[0]}'; e.onchange(); }})()")
page.until(f"document.getElementById('{own_name}-note').textContent.includes('another opening is called')")
page.see(f"(() => {{ const e = document.getElementById('{own_name}'); e.value = '{name}'; e.onchange(); }})()")
page.until(f"document.getElementById('{own_name}').getAttribute('aria-invalid') === 'false'")
assert all("/api/settings" in one for one in page.complaints), page.complaints
page.complaints.clear()  # the browser's note of what was refused
choose("waveform", "carotid")
page.until("document.querySelector('#waveform-curve polyline')")
page.until("document.querySelectorAll('#plan dd').length === 5")
step("openings")
command = page.see("document.getElementById('plan-command').value")
for words in ("--set flow.waveform=carotid", "--set outlets.model=fractions", *(f"openings.{n}.flow_fraction={s.replace(',', '.')}" for n, s in shares.items())):
    assert words in command, (words, command)
written = open("case/case.yaml").read()
# The plane of an opening under the mouse lights its row, and moves along the vessel without a change of the case.
page.see("document.querySelectorAll('#openings tr')[0].scrollIntoView()")
at = page.see("(() => { const c = document.getElementById('canvas').getBoundingClientRect(), v = hemotileWorkbench.viewer,"
              " p = v.project(v.planePlaces[0]); return [c.left + p[0], c.top + p[1]]; })()")
page.send("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1])
page.until("document.querySelectorAll('#openings tr')[0].classList.contains('lit')")
page.see("(() => { const a = document.getElementById('along'); a.value = 3; a.oninput(); })()")
page.until("document.getElementById('along-text').textContent === '3.0 mm inwards'")
# The mouse moves it along the vessel and turns it, in a slice and in 3D; the sliders follow.
def plane_grips(solid):
    """Places of the middle and of the tip of the plane in a slice, or in 3D."""
    found = page.see("(() => { const v = hemotileWorkbench.viewer.parts(), g = hemotileWorkbench.handles.parts.flatMap((p) => p.grips(v));"
                     f" const tip = g.find((t) => t.key === 'turn' && !!t.at.isSolid === {solid}), middle = g.find((m) => m.key === 'slide' && m.at === tip?.at);"
                     " return tip && [[middle.x, middle.y], [tip.x, tip.y]]; })()")
    return numpy.array(found) + frame[:2]
page.see("document.querySelector('input[name=edit-tool][value=\"\"]').click()")  # the mouse is no tool's
for solid in ("false", "true"):
    text = page.see("document.getElementById('along-text').textContent")
    middle, tip = plane_grips(solid)
    drag([middle, middle + 0.1 * (middle - tip), middle + 0.3 * (middle - tip)])
    page.until(f"document.getElementById('along-text').textContent !== '{text}' && document.getElementById('along').value !== '3'")
middle, tip = plane_grips("false")
aside = (tip - middle)[::-1] * (1, -1) / 4
drag([tip, tip + aside / 2, tip + aside])
page.until("Number(document.getElementById('tilt').value) >= 5")
step("plane")
page.press("keep-plane")
assert open("case/case.yaml").read() == written
# Another page of the case, or this one loaded again, shows the same.
page.send("Page.reload")
page.until("document.getElementById('ml_s').value === '2.0' || document.getElementById('ml_s').value === '2'")
page.until("document.getElementById('waveform').value === 'carotid'")
choose("waveform", "constant")
page.until("!/waveform=carotid/.test(document.getElementById('plan-command').value)")
page.press("look")  # the lattice is as coarse as that of a look: a line says why there is none
page.until("document.getElementById('look-banner').textContent.startsWith('No first look: the run')")
assert page.see("!hemotileWorkbench.viewer.speed && document.getElementById('show-flow-label').hidden")
page.until("!document.getElementById('run').disabled")
page.press("run")
page.until("/\\w+ \\(\\d of 5\\)/.test(document.getElementById('progress-text').textContent)")  # its progress
page.until(status + ".startsWith('run: ')")
assert page.see("document.getElementById('progress').hidden") and not os.path.exists("case/progress.json")
assert page.see(status) == "run: done", page.see(status)
step("flow")
# The flow in the view under a key; what a new run would replace is asked for, and Escape keeps it.
page.until("!document.getElementById('show-flow-label').hidden")
page.see("document.getElementById('canvas').focus()")
page.send("Input.dispatchKeyEvent", type="keyDown", key="f")
page.until("hemotileWorkbench.viewer.speed && hemotileWorkbench.viewer.meshes.flow")
assert "m/s" in page.see("document.getElementById('flow-high').textContent")
step("flow_in_the_view")
page.send("Input.dispatchKeyEvent", type="keyDown", key="f")
page.until("!hemotileWorkbench.viewer.speed")
page.press("run")
page.until("document.querySelector('dialog[open] p').textContent.startsWith('This replaces the results of')")
step("asked")
page.send("Input.dispatchKeyEvent", type="rawKeyDown", key="Escape", code="Escape", windowsVirtualKeyCode=27)
page.until("!document.querySelector('dialog')")
assert page.see(status) == "run: done" and bench.state()["job"]["number"] > 0 and os.path.exists("case/summary.json")
# A section under a key, moved, kept; a region of two balls; the wall by its stress.
measured = "document.documentElement.dataset.measured"
page.until("!document.getElementById('measure').hidden")
page.see("hemotileWorkbench.viewer.move([3, 5, 10]); document.getElementById('canvas').focus()")
for key in ("m", "Enter"):
    page.send("Input.dispatchKeyEvent", type="keyDown", key=key)
page.until(measured + " === 'hemotile measure case --plane 3,5,10'")
flow = page.see("hemotileWorkbench.measured().shown.rows[0].flow_ml_s")
assert abs(flow - 0.7 * 2) < 0.02, flow  # the outlet's share
page.send("Input.dispatchKeyEvent", type="keyDown", key="]")
page.until(measured + " !== 'hemotile measure case --plane 3,5,10'")
assert abs(page.see("hemotileWorkbench.measured().shown.rows[0].flow_ml_s") - flow) < 0.02 * flow
middle, tip = plane_grips("false")  # dragged along the vessel: a mark at once, the numbers with the button up
drag([middle, middle + 0.1 * (middle - tip), middle + 0.3 * (middle - tip)])
page.until(measured + ".startsWith('hemotile measure case --station')")
page.type("measure-name", "behind the branch")
page.press("measure-keep-it")
page.until("document.querySelectorAll('#measure-kept tr').length === 1")
step("section")
page.see("document.getElementById('canvas').focus()")
page.send("Input.dispatchKeyEvent", type="keyDown", key="r")
for place in ("[3, 5, 10]", "[3, 5, 11]"):
    page.see(f"hemotileWorkbench.viewer.move({place}); document.getElementById('canvas').focus()")
    page.send("Input.dispatchKeyEvent", type="keyDown", key="Enter")
page.until("hemotileWorkbench.measured().shown.quantities && hemotileWorkbench.measured().what.balls.length === 8")
page.see("(() => { const e = document.getElementById('measure-colour'); e.value = [...e.options].find((o) =>"
         " o.textContent.startsWith('WSS')).value; e.onchange(); })()")
page.until("hemotileWorkbench.viewer.meshes.wall")
step("region")
page.send("Input.dispatchKeyEvent", type="keyDown", key="r")
page.see("document.getElementById('show-vessel').click()")
page.press("report")
page.until("document.getElementById('report-frame').contentWindow.length === 0 && !document.getElementById('report-frame').hidden")
step("report")
assert page.complaints == [], page.complaints
job = bench.state()["job"]
page.end()
assert bench.end() == 0

def sha(folder):
    return json.load(open(folder + "/manifest.json"))["flow_sha256"]
os.rename("case", "clicked")
mask = nibabel.load("clicked/mask.nii.gz")
inside = numpy.rint(numpy.linalg.inv(mask.affine) @ numpy.c_[numpy.array(painted) * (-1, -1, 1), numpy.ones(5)].T)[:3].astype(int)
assert numpy.asanyarray(mask.dataobj)[tuple(inside)].all(), "what was painted is not in the flow's mask"
for command in (["import", "sample/dicom", "-o", "case"],
                shlex.split(segmented)[1:],
                ["edit", "case", "--steps", "clicked/edits.jsonl"], shlex.split(job["typed"])[1:]):
    subprocess.run([program, *command], check=True, capture_output=True)
assert sha("case") == sha("clicked"), "other bits than in the terminal"
options = lambda folder: json.load(open(folder + "/manifest.json"))["options"]
assert options("case")["openings"] == options("clicked")["openings"], (options("case")["openings"], options("clicked")["openings"])
PY
done_testing
