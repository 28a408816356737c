// The page: steps at the left, the scan and the vessel at the right. The server has the truth (the case
// folder). This file joins the parts: it begins each, and tells them of new states, clicks and keys.
import { follow, start } from "./api.js";
import * as edit from "./edit.js";
import { Handles } from "./handles.js";
import * as find from "./find.js";
import * as flowView from "./flow_view.js";
import * as look from "./look.js";
import * as measure from "./measure.js";
import * as open from "./open.js";
import * as openings from "./openings.js";
import { Bench, byId, placeText } from "./page.js";
import * as results from "./results.js";
import { Settings } from "./settings.js";
import { Viewer } from "./viewer.js";
import * as work from "./work.js";

const parts = [work, open, find, look, openings, results, measure, flowView, edit];
const bench = new Bench(start);
bench.settings = new Settings(bench);
bench.viewer = new Viewer(byId("canvas"), (place) => bench.picker?.(place), (place, value) => {
  byId("place").textContent = `${placeText(place)} mm (LPS)` + (Number.isFinite(value) ? `, intensity ${Number(value.toPrecision(4))}` : "");
});

// ---- states ----

let hasView = true;

async function show(next) {
  if (!next) return bench.tell("The workbench does not answer: was it ended in the terminal? The case is in its folder.");
  bench.state = next;
  byId("case").textContent = next.case;
  try {
    for (const tellPart of bench.onState) await tellPart(next);
    if (next.links.length) throw new Error(`${next.links.join(", ")}: a link, which the workbench does not follow; put the file itself into the case folder`);
    if (hasView) await showView(next);
    byId("view-error").hidden = hasView;
  } catch (error) {
    byId("view-error").textContent = `The view cannot show this case: ${error.message}`;
    byId("view-error").hidden = false;
  }
}

async function showView(state) {
  const scan = bench.fileOf("scan.nii.gz"), isChanging = state.job.running && state.job.name !== "run";
  if (scan) await bench.viewer.showScan(scan, byId("window").value);
  if (scan && !isChanging) await bench.viewer.showTint(bench.fileOf("mask.nii.gz"), byId("show-vessel").checked);
  const found = isChanging ? bench.fileOf("vessel_found.stl") : bench.fileOf("vessel.stl");
  if (!isChanging || found) await bench.viewer.showVessel(found, byId("show-vessel").checked);
  if (scan) await flowView.show();
  document.documentElement.dataset.view = scan ? "ready" : "empty";
}

// States that come while one is shown wait; only the last of them counts.
let isShowing = false, waiting;
async function queue(next) {
  waiting = next;
  if (isShowing) return;
  isShowing = true;
  while (waiting !== undefined) {
    const now = waiting;
    waiting = undefined;
    await show(now);
  }
  isShowing = false;
}
// Shows the present state once more, after a part has changed what depends on it; a newer one that waits does so.
bench.changed = () => { if (bench.state && waiting === undefined) queue(bench.state); };

// ---- the view's tools and keys ----

byId("layout").onchange = () => bench.viewer.setLayout(byId("layout").value);
byId("window").onchange = () => bench.viewer.setWindow(byId("window").value);
byId("show-vessel").onchange = () => { bench.viewer.setVesselVisible(byId("show-vessel").checked); bench.changed(); };

// Steps of the crosshair by the keys of the canvas: to the patient's left, back and head, voxels.
const steps = { ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 0, 1], ArrowDown: [0, 0, -1], PageUp: [0, -1, 0], PageDown: [0, 1, 0] };
bench.onKey.push((event, isOnCanvas) => {
  if (event.key === "v") byId("show-vessel").click();
  else if (steps[event.key] && isOnCanvas) bench.viewer.step(steps[event.key], event.shiftKey ? 10 : 1);
  else return false;
  return true;
});
// In the capture phase: none of these keys also reaches the viewer, which has others of its own.
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
  if (!bench.onKey.some((use) => use(event, event.target === byId("canvas")))) return;
  event.preventDefault();
  event.stopPropagation();
}, { capture: true });

// ---- begin ----

try {
  await bench.viewer.begin();
} catch (error) {
  hasView = false;
  byId("view-error").textContent = `The view needs WebGL 2, which this browser does not provide (${error.message}).`;
  byId("view-error").hidden = false;
}
bench.handles = new Handles(bench);
for (const part of parts) part.begin(bench);
follow(queue);
window.hemotileWorkbench = bench; // for tests
