# hemotile open in Firefox, in a virtual screen (without one it has no WebGL): the page of many cases, a click on a
# series, the view of the case, the vessel.
. "$(dirname "$0")/../check.sh"
firefox=$(command -v firefox-esr || command -v firefox)
[ -n "$firefox" ] && command -v Xvfb >/dev/null || { echo "needs firefox and Xvfb"; exit 77; }
expect 0 phantom pipe -o sample --format nifti --spacing 0.8
mkdir study
cp sample/scan.nii.gz study
Xvfb -displayfd 3 -screen 0 1400x900x24 +extension GLX 3>display >/dev/null 2>&1 &
screen=$!
trap 'kill $screen; wait; rm -rf "$work"' EXIT
for _ in $(seq 200); do [ -s display ] && break; sleep 0.05; done
DISPLAY=:$(cat display) LIBGL_ALWAYS_SOFTWARE=1 HOME=$work PYTHONPATH=$here/workbench \
  "$PYTHON" - "$HEMOTILE" "$firefox" <<'PY' || fail "the workbench in Firefox: see above"
import os, sys
from firefox import Firefox
from workbench_client import Workbench

program, firefox = sys.argv[1:]
bench = Workbench(program, "study")
page = Firefox(firefox, os.path.abspath("profile"))
page.open(bench.link)
page.until("document.querySelectorAll('#entries button').length === 1")
page.see("document.querySelector('#entries button').click()")
page.until("document.querySelector('.series img')?.naturalWidth > 0")
page.see("document.querySelector('.series').click()")
page.until("location.search.startsWith('?case=') && document.documentElement.dataset.view === 'ready'")
page.until("!document.getElementById('segment').disabled")
page.see("document.querySelector('input[name=kind][value=box]').click()")
corners = page.see("(() => { const c = document.getElementById('canvas').getBoundingClientRect(), s = hemotileWorkbench.viewer.parts().slices[0];"
                   " const at = s.pixel(hemotileWorkbench.viewer.place()); return [-20, 0, 20].map((d) => [c.left + at[0] + d, c.top + at[1] + d]); })()")
page.drag(corners)
page.until("document.getElementById('region-max').value !== ''")
page.see("document.getElementById('region-none').click()")
page.until("document.getElementById('region-max').value === '' && !hemotileWorkbench.region()")
page.press("segment")
page.until("document.getElementById('status').textContent.startsWith('segment: done')")
page.until("document.querySelectorAll('#openings tr').length === 2 && document.getElementById('view-error').hidden")
page.end()
assert bench.end() == 0
PY
done_testing
