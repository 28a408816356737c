// Part: the correction of the vessel's mask. The server does each step (run/edit) and answers with what
// changed; places are LPS mm, and the axes of scan and mask are the server's alone.
import { changeMask, readMask } from "./api.js";
import { byId, make, numberOf } from "./page.js";
import { cross } from "./vector.js";

let bench, viewer;
let mask = null;     // the server's state of the mask: {revision, position, steps, window, ...}; null: closed
let stroke = null;   // of the mouse, while a button is down: {part, places, pixels}
let line = null;     // a plane whose side is not chosen yet: {point, normal}
let sections = [];   // {place, normal} of the discs that were painted last, for the filling between them
let problem = "";    // why the last step was not done
let seen = 0;        // stamp of edits.jsonl

const tool = () => document.querySelector("input[name=edit-tool]:checked").value;
const isVisible = () => byId("show-vessel").checked;
const hints = {
  "": "",
  paint: "Drag in a slice. Enter paints at the crosshair.",
  erase: "Drag in a slice. Enter erases at the crosshair.",
  lasso: "Draw around a part in the 3D view: all that lies behind the line is cut off.",
  cut: "Drag a line across the vessel in a slice, then click on the side that goes.",
  region: "Click into blood that is missing.",
};

// ---- the server's state ----

const names = { paint: "paint", erase: "erase", cut: "cut along a plane", lasso: "cut off with a lasso", fill: "fill cavities", smooth: "smooth", close: "close gaps", grow: "grow", shrink: "shrink", islands: "keep one piece", region: "grow from a click", interpolate: "fill between slices" };
const nameOf = (step) => names[step.step] + (step.radius_mm ? `, ${Number(step.radius_mm.toPrecision(3))} mm` : "");

function showState() {
  byId("edit").hidden = !mask;
  byId("edit-open").setAttribute("aria-expanded", String(!!mask));
  byId("edit-open").textContent = mask ? "Close the correction" : "Correct the vessel";
  byId("edit-hint").textContent = problem || (line ? "Click on the side that goes." : hints[tool()]);
  byId("edit-hint").classList.toggle("bad", !!problem);
  if (!mask) return;
  byId("edit-undo").disabled = mask.position === 0;
  byId("edit-redo").disabled = mask.position === mask.steps.length;
  byId("edit-use").disabled = !mask.pending || bench.isBusy();
  byId("edit-interpolate").disabled = sectionsToFill().length < 2;
  byId("edit-volume").textContent = `${mask.ml.toPrecision(4)} mL after ${mask.position} of ${mask.steps.length} steps` + (mask.torn ? "; a step that was cut off by a kill is left out" : "");
  byId("edit-steps").replaceChildren(...mask.steps.map((step, i) => make("li", i < mask.position ? {} : { class: "undone" }, nameOf(step),
    make("button", { type: "button", onclick: () => goTo(i + 1), "aria-label": `Go back to step ${i + 1}: ${nameOf(step)}` }, "to here"),
    step.at_mm ? make("button", { type: "button", onclick: () => bench.go(step.at_mm), "aria-label": `Show step ${i + 1}` }, "show") : "")));
}

async function load() {
  mask = await readMask();
  await viewer.showMask(mask, isVisible());
  showState();
}

// Sends one change at a time; those that come meanwhile wait.
let last = Promise.resolve();
const change = (what) => (last = last.then(() => send(what)));
async function send(what) {
  try {
    const answer = await changeMask({ revision: mask.revision, ...what }), box = answer.box;
    const isSameWindow = JSON.stringify(answer.window) === JSON.stringify(mask.window);
    mask = answer;
    problem = answer.unchanged ? `Nothing was changed: ${answer.unchanged}.` : "";
    if (!isSameWindow) await load();
    else viewer.updateMask(mask, box, isVisible());
    showState();
    return !answer.unchanged || what.step.step === "paint"; // a painted section may be there already
  } catch (error) {
    problem = error.message;
    await load().catch(() => {});
    showState();
    return false;
  }
}

const doStep = (step) => change({ step });
const goTo = (position) => change({ position });

async function open() {
  if (mask) return shut();
  try {
    await load();
  } catch (error) {
    mask = null;
    bench.tell(error.message);
  }
}

function shut() {
  mask = null;
  line = null;
  setTool("");
  viewer.hideMask(isVisible());
  showState();
}

// A step of another page or of the terminal, and a new vessel, change the file of the steps or the mask.
async function follow() {
  const stamp = [bench.fileOf("edits.jsonl")?.stamp, bench.fileOf("mask.nii.gz")?.stamp].join();
  if (stamp !== seen && mask && !bench.isBusy()) {
    seen = stamp;
    await last;
    const now = await readMask(mask?.revision);
    if (mask && (now.box.nx > 0 || now.base !== mask.base)) await load();
    else if (mask) mask.pending = now.pending;
  }
  byId("edit-open").disabled = !mask && !bench.fileOf("mask.nii.gz");
  showState();
}

// ---- the mouse ----

function setTool(value) {
  document.querySelector(`input[name=edit-tool][value="${value}"]`).checked = true;
  line = null;
  problem = "";
  clearMarks();
  showState();
  bench.handles.draw();
}

function tell(message) {
  problem = message;
  showState();
}

function radius() {
  const typed = numberOf(byId("edit-radius").value);
  return typed > 0 && typed <= 100 ? typed : 1;
}

function setRadius(factor) {
  byId("edit-radius").value = String(Number(Math.min(50, Math.max(0.1, radius() * factor)).toPrecision(2)));
}

// Marks are drawn over the view at once; the step follows when the button is up.
function marks() {
  const canvas = byId("edit-marks"), frame = canvas.getBoundingClientRect();
  if (canvas.width !== Math.round(frame.width) || canvas.height !== Math.round(frame.height)) {
    canvas.width = Math.round(frame.width);
    canvas.height = Math.round(frame.height);
  }
  const to = canvas.getContext("2d");
  to.strokeStyle = "#ffaa00";
  to.fillStyle = tool() === "erase" ? "rgba(80, 170, 255, 0.4)" : "rgba(255, 170, 0, 0.4)";
  to.lineWidth = 2;
  return { to, frame };
}

function clearMarks() {
  const canvas = byId("edit-marks");
  canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
}

function drawBrush(event, part) {
  const { to, frame } = marks();
  to.beginPath();
  to.arc(event.clientX - frame.left, event.clientY - frame.top, Math.max(2, radius() * part.perMm), 0, 2 * Math.PI);
  if (stroke) to.fill();
  else to.stroke();
}

function drawLine(pixels) {
  const { to, frame } = marks();
  clearMarks();
  to.beginPath();
  pixels.forEach(([x, y], i) => to[i ? "lineTo" : "moveTo"](x - frame.left, y - frame.top));
  to.stroke();
}

function addPlace(event) {
  const place = stroke.part.kind === "slice" ? viewer.placeAt(event) : null, pixel = [event.clientX, event.clientY];
  if (stroke.part.kind === "slice" && (!place || viewer.partAt(event)?.tile !== stroke.part.tile)) return;
  const before = stroke.pixels.at(-1);
  if (before && Math.hypot(pixel[0] - before[0], pixel[1] - before[1]) < (tool() === "lasso" ? 4 : 2)) return;
  stroke.pixels.push(pixel);
  if (place) stroke.places.push(place);
}

function press(event) {
  if (!mask || !tool() || event.button !== 0) return false;
  const part = viewer.partAt(event);
  if (!part) return true;
  if (line) return chooseSide(event), true;
  if ((tool() === "lasso") !== (part.kind === "3D")) {
    if (part.kind === "3D") return false; // it is turned
    tell("Draw the lasso in the 3D view.");
    return true;
  }
  stroke = { part, places: [], pixels: [] };
  addPlace(event);
  if (part.kind === "slice" && tool() !== "cut") drawBrush(event, part);
  return true;
}

function move(event) {
  if (!stroke) {
    const part = mask && ["paint", "erase"].includes(tool()) && !line ? viewer.partAt(event) : null;
    if (mask && tool() && !line) clearMarks();
    if (part?.kind === "slice") drawBrush(event, part);
    return false;
  }
  addPlace(event);
  if (tool() === "lasso" || tool() === "cut") drawLine(stroke.pixels.length > 1 && tool() === "cut" ? [stroke.pixels[0], stroke.pixels.at(-1)] : stroke.pixels);
  else drawBrush(event, stroke.part);
  return true;
}

async function release() {
  if (!stroke) return false;
  const done = stroke;
  stroke = null;
  await finish[tool()]?.(done);
  if (!line) clearMarks();
  return true;
}

const disc = (part) => (byId("edit-ball").checked || !part ? {} : { direction: part.normal, thickness_mm: part.thickness });

// At most some hundred places of a stroke, so that a request stays small.
function thin(list, most) {
  const every = Math.ceil(list.length / most);
  return list.filter((_, i) => i % every === 0 || i === list.length - 1);
}

async function brush(kind, part, places) {
  if (places.length === 0) return;
  const isDone = await doStep({ step: kind, places_mm: thin(places, 800), radius_mm: radius(), ...disc(part) });
  if (isDone && part && kind === "paint" && !byId("edit-ball").checked) sections.push({ place: places[places.length >> 1], normal: part.normal });
  showState();
}

const finish = {
  paint: ({ part, places }) => brush("paint", part, places),
  erase: ({ part, places }) => brush("erase", part, places),
  lasso({ part, pixels }) {
    if (pixels.length < 3) return null;
    const corners = thin(pixels, 300).map(([x, y]) => viewer.unproject(...viewer.pixel({ clientX: x, clientY: y }), part.tile, 0));
    return doStep({ step: "lasso", places_mm: corners, direction: part.sight });
  },
  cut({ part, places, pixels }) {
    if (places.length < 2) return;
    const along = [0, 1, 2].map((k) => places.at(-1)[k] - places[0][k]);
    if (Math.hypot(...along) < 0.1) return;
    line = { point: places[0].map((x, k) => (x + places.at(-1)[k]) / 2), normal: cross(part.normal, along), radius: Math.hypot(...along) / 2 };
    drawLine([pixels[0], pixels.at(-1)]);
    showState();
  },
  region: ({ places }) => places.length && growFrom(places[0]),
};

async function chooseSide(event) {
  const place = viewer.placeAt(event), at = line;
  if (!place) return tell("Click in a slice, on the side that goes.");
  line = null;
  clearMarks();
  const side = [0, 1, 2].reduce((sum, k) => sum + at.normal[k] * (place[k] - at.point[k]), 0);
  const length = Math.hypot(...at.normal);
  await doStep({ step: "cut", places_mm: [at.point], radius_mm: at.radius, direction: at.normal.map((x) => (side > 0 ? -x : x) / length) });
}

function growFrom(place) {
  const value = viewer.intensityAt(place), [reach, lower, upper] = ["edit-reach", "edit-lower", "edit-upper"].map((id) => numberOf(byId(id).value));
  const spread = 0.2 * Math.abs(value);
  return doStep({ step: "region", places_mm: [place], radius_mm: reach > 0 ? reach : 10, lower: Number.isFinite(lower) ? lower : value - spread, upper: Number.isFinite(upper) ? upper : value + spread });
}

// ---- buttons and keys ----

// The sections of one direction that were painted last, one at each height.
function sectionsToFill() {
  const normal = sections.at(-1)?.normal, found = [];
  const along = (v) => v.reduce((sum, x, k) => sum + x * normal[k], 0);
  for (const s of sections.filter((one) => Math.abs(along(one.normal)) > 0.99))
    if (!found.some((f) => Math.abs(along(f) - along(s.place)) < 0.6 * mask.voxel_mm)) found.push(s.place);
  return found;
}

async function fillBetween() {
  if (await doStep({ step: "interpolate", places_mm: sectionsToFill(), direction: sections.at(-1).normal })) sections = [];
  showState();
}

const oneClick = {
  fill: () => ({ step: "fill" }),
  smooth: () => ({ step: "smooth", radius_mm: 1.5 * mask.voxel_mm }),
  close: () => ({ step: "close", radius_mm: 2 * mask.voxel_mm }),
  grow: () => ({ step: "grow", radius_mm: mask.voxel_mm }),
  shrink: () => ({ step: "shrink", radius_mm: mask.voxel_mm }),
  islands: () => ({ step: "islands" }),
  keep: () => ({ step: "islands", keep_mm: viewer.place() }),
};

// A step at the crosshair, with keys alone.
function atCrosshair() {
  const place = viewer.place();
  if (tool() === "region") growFrom(place);
  else if (tool() === "paint" || tool() === "erase") brush(tool(), viewer.partAt(viewer.crosshair()), [place]);
  else return false;
  return true;
}

function useKey(event, isOnCanvas) {
  const tools = { x: "", p: "paint", e: "erase", c: "lasso", t: "cut", g: "region" };
  if (!mask) return false;
  if (event.key === "Enter" && isOnCanvas && tool()) return atCrosshair();
  if (event.key in tools) setTool(tools[event.key]);
  else if (event.key === "[") setRadius(1 / 1.25);
  else if (event.key === "]") setRadius(1.25);
  else if (event.key === "b") byId("edit-ball").click();
  else if (event.key === "Escape" && line) setTool(tool());
  else return false;
  return true;
}

function useUndoKey(event) {
  if (!mask || !(event.ctrlKey || event.metaKey) || /INPUT|TEXTAREA/.test(event.target.tagName) && event.target.type !== "radio" && event.target.type !== "checkbox") return;
  const isUndo = event.key === "z", isRedo = event.key === "Z" || event.key === "y";
  if (!isUndo && !isRedo) return;
  event.preventDefault();
  byId(isUndo ? "edit-undo" : "edit-redo").click();
}

// The mouse is this part's while it has a tool; the viewer does not see these events.
function takeMouse() {
  const view = byId("canvas").parentElement;
  const take = (of) => (event) => { if (of(event)) { event.preventDefault(); event.stopPropagation(); } };
  view.addEventListener("pointerdown", take(press), { capture: true });
  for (const name of ["mousedown", "touchstart", "click"]) view.addEventListener(name, take((event) => mask && tool() && viewer.partAt(event)?.kind !== (tool() === "lasso" ? "slice" : "3D")), { capture: true });
  addEventListener("pointermove", take(move), { capture: true });
  addEventListener("pointerup", take((event) => { const was = !!stroke; release(event); return was; }), { capture: true });
}

export function begin(of) {
  bench = of;
  viewer = of.viewer;
  byId("edit-open").onclick = open;
  byId("edit-undo").onclick = () => goTo(mask.position - 1);
  byId("edit-redo").onclick = () => goTo(mask.position + 1);
  byId("edit-interpolate").onclick = fillBetween;
  byId("edit-use").onclick = async () => { await last; await bench.begin("edit", {}); };
  for (const button of document.querySelectorAll("[data-edit]")) button.onclick = () => doStep(oneClick[button.dataset.edit]());
  for (const radio of document.querySelectorAll("input[name=edit-tool]")) radio.onchange = () => setTool(radio.value);
  bench.isMouseTaken = () => !!mask && !!tool();
  bench.onState.push(follow);
  bench.onKey.unshift(useKey);
  addEventListener("keydown", useUndoKey);
  takeMouse();
  bench.edit = { mask: () => mask, done: () => last, stroke: () => stroke }; // for tests
  showState();
}
