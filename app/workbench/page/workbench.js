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

// ---- the viewer ----

const kind = () => document.querySelector("input[name=kind]:checked").value;
const setKind = (value) => { document.querySelector(`input[name=kind][value=${value}]`).checked = true; };
const viewer = new Viewer(byId("canvas"), pick, (place, value) => {
  byId("place").textContent = `${text(place)} mm (LPS)` + (Number.isFinite(value) ? `, intensity ${Math.round(value)}` : "");
});

function pick(place) {
  if (kind() === "look" || !place.every(Number.isFinite)) return;
  if (kind() === "from") points = points.filter((p) => !p.entry);
  points.push({ place, entry: kind() === "from" });
  setKind("to");
  showPoints();
}

function showPoints() {
  const list = [...points].sort((a, b) => b.entry - a.entry);
  byId("points").replaceChildren(...list.map((p) => make("li", {}, `${p.entry ? "in" : "out"} at ${text(p.place)}`,
    make("button", { type: "button", onclick: () => viewer.move(p.place), "aria-label": `Show the point at ${text(p.place)}` }, "show"),
    make("button", { type: "button", onclick: () => { points = points.filter((q) => q !== p); showPoints(); }, "aria-label": `Delete the point at ${text(p.place)}` }, "delete"))));
  viewer.showPoints(list);
  byId("segment").textContent = points.length ? "Find the vessel between the points" : "Find the vessel without points";
}

// ---- the state of the case ----

const fileOf = (name) => state.files.find((f) => f.name === name);

async function showOpenings(file) {
  if (openingsStamp === (file?.stamp ?? 0)) return;
  openingsStamp = file?.stamp ?? 0;
  const openings = file ? (await (await readFile(file)).json()).openings : [];
  byId("openings").replaceChildren(...openings.map((o) => make("tr", { tabindex: "0", onclick: () => viewer.move(o.centre_mm), onkeydown: (e) => { if (e.key === "Enter") viewer.move(o.centre_mm); } },
    make("td", {}, o.name), make("td", {}, o.role), make("td", {}, o.radius_mm.toFixed(2)))));
}

const codes = { 0: "done", 13: "no vessel was found, or several", 130: "stopped", 143: "stopped" };
function showJob(job) {
  const status = byId("status"), done = !job.running;
  const failed = job.number > 0 && done && job.exit_code !== 0;
  status.textContent = job.number === 0 ? "Nothing runs." : job.running ? `${job.name} runs ...`
    : `${job.name}: ${codes[job.exit_code] ?? "ended"}${job.exit_code ? ` (exit code ${job.exit_code})` : ""}`;
  status.classList.toggle("bad", failed);
  byId("stop").disabled = done;
  for (const id of ["segment", "run", "estimate"]) byId(id).disabled = job.running || !fileOf("scan.nii.gz");
  byId("typed").value = job.typed;
  if (byId("output").textContent !== job.output) {
    byId("output").textContent = job.output;
    byId("output").scrollTop = byId("output").scrollHeight;
  }
}

function showResults() {
  const report = fileOf("report.html");
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
    if (scan) await viewer.showScan(scan);
    if (!busy) await viewer.showVessel(fileOf("vessel.stl"));
    document.documentElement.dataset.view = scan ? "ready" : "empty";
  } catch (error) {
    byId("status").textContent = `The view cannot show it: ${error.message}`;
    byId("status").classList.add("bad");
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
  } catch (error) {
    byId("status").textContent = error.message;
    byId("status").classList.add("bad");
  }
}

const number = (id, settings, key) => { if (byId(id).value !== "") settings[key] = Number(byId(id).value); };
byId("segment").onclick = () => {
  const settings = { preset: byId("preset").value };
  const entry = points.find((p) => p.entry), exits = points.filter((p) => !p.entry);
  if (entry) settings.from = entry.place;
  if (exits.length) settings.to = exits.map((p) => p.place);
  number("lower", settings, "lower");
  number("vessel", settings, "vessel");
  begin("segment", settings);
};
const flowSettings = () => {
  const settings = {};
  number("ml_s", settings, "flow");
  number("nodes_across", settings, "nodes_across");
  return settings;
};
byId("run").onclick = () => begin("run", flowSettings());
byId("estimate").onclick = () => begin("run", { ...flowSettings(), dry_run: true });
byId("stop").onclick = () => begin("stop", {});
byId("report").onclick = () => {
  const frame = byId("report-frame"), canvas = document.querySelector(".canvas");
  const open = frame.hidden;
  if (open) frame.src = fileAddress(fileOf("report.html"));
  frame.hidden = !open;
  canvas.hidden = open;
  byId("place").hidden = open;
  byId("report").textContent = open ? "Back to the scan" : "Show the report";
};
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
