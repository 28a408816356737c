# hemotile open of a folder, in a browser without a screen: the series of a scan by its picture, a click imports it;
# a dropped file; the table sorted, with keys alone. HEMOTILE_PICTURES=DIR keeps a picture of the page.
. "$(dirname "$0")/../check.sh"
browser=$(find_browser)
[ -n "$browser" ] || { echo "needs chromium"; exit 77; }
expect 0 phantom aneurysm -o sample
mkdir -p study/scans
cp -r sample/dicom study/scans/ct
expect 0 import study/scans/ct -o study/p01
expect 0 phantom pipe -o pipe --format nifti --spacing 0.8
expect 0 run pipe/scan.nii.gz -o study/p02 --flow 1 --nodes-across 8 --device cpu
mkdir -p study/p01/pictures
cp study/p02/pictures/projection.png study/p01/pictures/
PYTHONPATH=$here/workbench "$PYTHON" - "$HEMOTILE" "$browser" <<'PY' || fail "the page of many cases: see above"
import base64, os, sys, time
from browser import Browser
from workbench_client import Workbench

program, chromium = sys.argv[1:]
bench = Workbench(program, "study")
page = Browser(chromium, os.path.abspath("profile"), size=(1280, 720))
page.open(bench.link)
names = "[...document.querySelectorAll('#case-rows th')].map((cell) => cell.textContent).join()"
page.until(f"{names} === 'p01,p02'")
assert "key" not in page.see("location.href") and page.see("document.title") == "hemotile workbench"

# Sorted by a key on the head of a column; the focus stays there.
page.see("document.querySelector('[data-sort=name]').focus()")
for kind in ("keyDown", "keyUp"):
    page.send("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13)
page.until(f"{names} === 'p02,p01'")
assert page.see("document.activeElement.dataset.sort") == "name"
assert page.see("document.querySelector('[aria-sort=descending]').textContent").startswith("Case")
assert page.see("document.querySelector('#case-rows [data-act=mark]').disabled") is False  # p02 is computed
assert page.see("document.querySelectorAll('#case-rows [data-act=mark]')[1].disabled") is True

# The folder of the scan, its series with the picture.
entry = "[...document.querySelectorAll('#entries button')].find((button) => button.textContent === '%s')"
for name in ("scans/", "ct/"):
    page.until(entry % name)
    page.see((entry % name) + ".click()")
page.until("document.querySelector('.series img')?.naturalWidth > 0")
assert "80 x 80 x 56 voxels" in page.see("document.querySelector('.series').textContent")
if pictures := os.environ.get("HEMOTILE_PICTURES"):
    page.see("document.querySelector('[data-sort=name]').click()")
    time.sleep(1.5)
    page.picture(f"{pictures}/workbench_cases.webp")
page.type("case-name", "../p03")
page.see("document.querySelector('.series').click()")
page.until("document.getElementById('status').textContent.startsWith(\"'name' needs\")")
page.see("document.getElementById('case-name').value = 'p03'")
page.see("document.querySelector('.series').click()")
page.until("location.search.startsWith('?case=') && document.documentElement.dataset.view === 'ready'")
assert page.see("document.getElementById('case').textContent") == "p03"
page.press("all-cases")
page.until(f"{names} === 'p01,p02,p03'")

# A dropped file: its series, too.
data = base64.b64encode(open("pipe/scan.nii.gz", "rb").read()).decode()
page.see(f"hemotileCases.send([new File([Uint8Array.from(atob('{data}'), (c) => c.charCodeAt(0))], 'Surname^Name.nii.gz')])")
page.until("document.getElementById('choice-title')?.textContent === 'The dropped file' && document.querySelector('.series')")
page.see("document.querySelector('.series').click()")
page.until("location.search.startsWith('?case=') && document.documentElement.dataset.view === 'ready'")
assert page.see("document.getElementById('case').textContent") == "case-1"
assert "Surname" not in page.see("document.body.textContent")
assert [text for text in page.complaints if "status of 400" not in text] == [], page.complaints  # of the name
page.end()
assert bench.end() == 0
PY
absent study/.hemotile*
done_testing
