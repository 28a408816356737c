// The page: steps at the left, the scan and the vessel at the right. The server has the truth (the case
// folder); this file has only what is not yet sent: the points and the fields.
import { follow, fileAddress, readFile, start } from "./api.js";
import { Viewer } from "./viewer.js";

const byId = (id) => document.getElementById(id);
const make = (name, attributes, ...inside) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (key.startsWith("on")) node[key] = value; else node.setAttribute(key, value);
  node.append(...inside);
  return node;
};
const text = (place) => place.map((x) => x.toFixed(1)).join(", ");

let state = null;
let points = []; // {place, entry}: entry: blood comes in
let openingsStamp = 0;

// Says what is wrong with what was just done, until the next state.
function tell(message) {
  byId("status").textContent = message;
  byId("status").classList.add("bad");
}
const go = (place) => viewer.move(place) || tell(`${text(place)} lies outside the scan.`);

// ---- the viewer ----

const kind = () => document.querySelector("input[name=kind]:checked").value;
const setKind = (value) => { document.querySelector(`input[name=kind][value=${value}]`).checked = true; };
const viewer = new Viewer(byId("canvas"), pick, (place, value) => {
  byId("place").textContent = `${text(place)} mm (LPS)` + (Number.isFinite(value) ? `, intensity ${Number(value.toPrecision(4))}` : "");
});

function pick(place) {
  if (kind() === "look") return;
  if (!place) return tell("A point is set by a click in a slice, on the scan.");
  if (points.some((p) => text(p.place) === text(place))) return tell("There is a point at this place already.");
  if (kind() === "from") points = points.filter((p) => !p.entry);
  points.push({ place, entry: kind() === "from" });
  setKind("to");
  showPoints();
}

function showPoints() {
  const list = [...points].sort((a, b) => b.entry - a.entry);
  byId("points").replaceChildren(...list.map((p) => make("li", {}, `${p.entry ? "in" : "out"} at ${text(p.place)}`,
    make("button", { type: "button", onclick: () => go(p.place), "aria-label": `Show the point at ${text(p.place)}` }, "show"),
    make("button", { type: "button", onclick: () => { points = points.filter((q) => q !== p); showPoints(); }, "aria-label": `Delete the point at ${text(p.place)}` }, "delete"))));
  viewer.showPoints(list);
  showHint();
  byId("segment").textContent = points.length ? "Find the vessel between the points" : "Find the vessel without points";
}

// ---- the state of the case ----

const fileOf = (name) => state?.files.find((f) => f.name === name);

async function showOpenings(file) {
  if (openingsStamp === (file?.stamp ?? 0)) return;
  openingsStamp = file?.stamp ?? 0;
  const openings = file ? (await (await readFile(file)).json()).openings : [];
  byId("openings").replaceChildren(...openings.map((o) => make("tr", { tabindex: "0", onclick: () => go(o.centre_mm), onkeydown: (e) => { if (e.key === "Enter") go(o.centre_mm); } },
    make("td", {}, o.name), make("td", {}, o.role), make("td", {}, o.radius_mm.toFixed(2)))));
}

// What keeps the flow from being that of the points; "" where nothing does.
let found = ""; // the points of the latest search
const keyOf = () => points.map((p) => text(p.place) + p.entry).join();
function hint() {
  if (!state) return "";
  if (state.job.name === "segment" && !state.job.running && state.job.exit_code) return "The last search failed: what is shown is older. Find the vessel again.";
  return points.length && keyOf() !== found ? "Find the vessel with these points first." : "";
}
function showHint() {
  const reason = hint(), busy = !state || state.job.running || state.others_work;
  byId("flow-hint").textContent = reason;
  for (const id of ["run", "estimate"]) byId(id).disabled = busy || !!reason || !(fileOf("scan.nii.gz") || fileOf("mask.nii.gz"));
  byId("segment").disabled = busy || !fileOf("scan.nii.gz");
}

const codes = { 0: "done", 13: "failed: no vessel was found, or several (see the output)", 130: "stopped", 143: "stopped" };
const ending = (code) => codes[code] ?? (code > 128 ? `crashed (signal ${code - 128})` : `failed (exit code ${code}): see the end of the output`);
function showJob(job) {
  const status = byId("status"), done = !job.running;
  const failed = job.number > 0 && done && job.exit_code !== 0;
  status.textContent = job.number === 0 ? "Nothing runs." : job.running ? `${job.name} runs ...`
    : `${job.name}: ${ending(job.exit_code)}`;
  if (!state.is_there && done && job.number > 1) status.textContent = "The case's folder is gone: put it back, or end the workbench.";
  else if (state.others_work) status.textContent = "Another hemotile works in this folder (one of a terminal, or begun before): wait until it has ended.";
  status.classList.toggle("bad", failed);
  byId("stop").disabled = done;
  showHint();
  byId("typed").value = job.typed;
  if (byId("output").textContent !== job.output) {
    byId("output").textContent = job.output;
    byId("output").scrollTop = byId("output").scrollHeight;
  }
}

let reportStamp = 0;
function showReport(report, isOpen) {
  const frame = byId("report-frame");
  if (isOpen && (frame.hidden || reportStamp !== report.stamp)) frame.src = fileAddress(report);
  reportStamp = isOpen ? report.stamp : 0;
  frame.hidden = !isOpen;
  document.querySelector(".canvas").hidden = isOpen;
  byId("place").hidden = isOpen;
  byId("report").textContent = isOpen ? "Back to the scan" : "Show the report";
}

function showResults() {
  const report = fileOf("report.html");
  if (!byId("report-frame").hidden) showReport(report, !!report);
  byId("no-results").hidden = !!report;
  byId("report").hidden = !report;
  const names = ["pictures/candidates.png", "pictures/projection.png", "pictures/straightened.png", "pictures/sections.png", "pictures/wall.png", "pictures/streamlines.png"];
  const wanted = names.map(fileOf).filter(Boolean), key = wanted.map(fileAddress).join();
  if (byId("pictures").dataset.key === key) return;
  byId("pictures").dataset.key = key;
  byId("pictures").replaceChildren(...wanted.map((f) => make("img", { src: fileAddress(f), alt: f.name, loading: "lazy" })));
}

async function show(next) {
  if (!next) {
    byId("status").textContent = "The workbench does not answer: was it ended in the terminal? The case is in its folder.";
    byId("status").classList.add("bad");
    return;
  }
  state = next;
  byId("case").textContent = state.case;
  showJob(state.job);
  showResults();
  const scan = fileOf("scan.nii.gz"), busy = state.job.running && state.job.name !== "run";
  try {
    await showOpenings(fileOf("openings.json"));
    if (scan) await viewer.showScan(scan, byId("window").value);
    if (!busy) await viewer.showVessel(fileOf("vessel.stl"), byId("show-vessel").checked);
    document.documentElement.dataset.view = scan ? "ready" : "empty";
    byId("view-error").hidden = true;
  } catch (error) {
    byId("view-error").textContent = `The view cannot show this case: ${error.message}`;
    byId("view-error").hidden = false;
  }
}

// States that come while one is shown wait; only the last of them counts.
let showing = null, waiting;
async function queue(next) {
  waiting = next;
  if (showing) return;
  showing = true;
  while (waiting !== undefined) {
    const now = waiting;
    waiting = undefined;
    await show(now);
  }
  showing = null;
}

// ---- the buttons ----

async function begin(name, settings) {
  try {
    await start(name, settings);
    return true;
  } catch (error) {
    tell(error.message);
    return false;
  }
}

// Reads the fields {id: key of the request} into the settings; a comma is a decimal point. Returns whether
// all of them are numbers or empty.
function readNumbers(fields, settings) {
  for (const [id, key] of Object.entries(fields)) {
    const typed = byId(id).value.trim();
    if (typed === "") continue;
    if (!/^-?\d+([.,]\d+)?$/.test(typed)) {
      byId(id).focus();
      tell(`'${typed}' is no number: write 2.5 for two and a half.`);
      return false;
    }
    settings[key] = Number(typed.replace(",", "."));
  }
  return true;
}
byId("segment").onclick = async () => {
  const settings = { preset: byId("preset").value, force: byId("force").checked };
  const entry = points.find((p) => p.entry), exits = points.filter((p) => !p.entry);
  if (entry) settings.from = entry.place;
  if (exits.length) settings.to = exits.map((p) => p.place);
  const key = keyOf();
  if (readNumbers({ lower: "lower", vessel: "vessel" }, settings) && (await begin("segment", settings))) found = key;
  showHint();
};
function beginRun(settings) {
  if (readNumbers({ ml_s: "flow", nodes_across: "nodes_across" }, settings)) begin("run", settings);
}
byId("run").onclick = () => beginRun({});
byId("estimate").onclick = () => beginRun({ dry_run: true });
byId("stop").onclick = () => begin("stop", {});
byId("report").onclick = () => showReport(fileOf("report.html"), byId("report-frame").hidden);
byId("layout").onchange = () => viewer.setLayout(byId("layout").value);
byId("window").onchange = () => viewer.setWindow(byId("window").value);
byId("show-vessel").onchange = () => viewer.setVesselVisible(byId("show-vessel").checked);
// Steps of the crosshair by the keys of the canvas: to the patient's left, back and head, voxels.
const steps = { ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 0, 1], ArrowDown: [0, 0, -1], PageUp: [0, -1, 0], PageDown: [0, 1, 0] };
// In the capture phase: none of these keys also reaches the viewer, which has others of its own.
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
  const kinds = { i: "from", o: "to", l: "look" }, onCanvas = event.target === byId("canvas");
  if (kinds[event.key]) setKind(kinds[event.key]);
  else if (event.key === "v") byId("show-vessel").click();
  else if (event.key === "Enter" && onCanvas) pick(viewer.place());
  else if (steps[event.key] && onCanvas) viewer.step(steps[event.key], event.shiftKey ? 10 : 1);
  else return;
  event.preventDefault();
  event.stopPropagation();
}, { capture: true });

// ---- begin ----

try {
  await viewer.begin();
  follow(queue);
} catch (error) {
  byId("status").textContent = `The view needs WebGL 2, which this browser does not provide (${error.message}).`;
  byId("status").classList.add("bad");
  follow((next) => { if (next) { state = next; showJob(next.job); showResults(); } });
}
showPoints();
window.hemotileWorkbench = { viewer, points: () => points }; // for tests
