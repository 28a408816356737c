// Part 1: points on the vessel, and the search between them or without them.
import { readFile } from "./api.js";
import { byId, make, placeText, readNumbers } from "./page.js";
import * as region from "./region.js";

let bench, settings;
let points = []; // {place, entry, name, node}: entry: blood comes in
let found = "";  // the points of the latest search
let foundBy = null; // settings of the latest search; null: those that the case has next

const keyOf = () => points.map((p) => placeText(p.place) + p.entry).join();
const kind = () => document.querySelector("input[name=kind]:checked").value;
const setKind = (value) => { document.querySelector(`input[name=kind][value=${value}]`).checked = true; };
const inOrder = () => [...points].sort((a, b) => b.entry - a.entry);

// Settings of the search that are not the usual ones.
const searchSettings = () => (settings.now?.keys ?? []).filter((k) => k.given && /^(region|segment)\./.test(k.name)).map((k) => [k.name, k.value]);

// What keeps the flow from being that of the points; "" where nothing does.
export function reasonToSearch() {
  const job = bench.state?.job;
  if (!job) return "";
  if (job.name === "segment" && !job.running && job.exit_code) return !bench.fileOf("vessel.stl") ? "Find the vessel first." : "The last search failed: what is shown is older. Find the vessel again.";
  if (foundBy !== null && bench.fileOf("vessel.stl") && JSON.stringify(searchSettings()) !== foundBy) return "Find the vessel with these settings first.";
  return keyOf() !== found ? `Find the vessel ${points.length ? "with these points" : "without points"} first.` : "";
}

export function pick(place) {
  if (kind() === "look" || kind() === "box") return;
  if (!place) return bench.tell("A point is set by a click in a slice on the scan, or by two clicks in 3D.");
  if (kind() === "seed") return region.setSeed(place);
  if (points.some((p) => placeText(p.place) === placeText(place))) return bench.tell("There is a point at this place already.");
  if (kind() === "from") points = points.filter((p) => !p.entry);
  points.push({ place, entry: kind() === "from", name: "" });
  setKind("to");
  showPoints();
}

// ---- the list ----

// The row of a point stays as long as the point: a name may be being typed in it.
function makeRow(point) {
  const words = make("span", {}), name = make("input", { class: "name", maxlength: "60", autocomplete: "off" }), note = make("p", { class: "note bad", role: "alert" });
  const button = (text, act) => make("button", { type: "button", onclick: act }, text);
  const buttons = [button("show", () => bench.go(point.place)), button("move", () => move(point)), button("delete", () => { points = points.filter((p) => p !== point); showPoints(); })];
  name.onchange = () => rename(point, name, note);
  Object.assign(point, { words, input: name, buttons, node: make("li", {}, words, name, ...buttons, note) });
}

function showRow(point, i) {
  if (!point.node) makeRow(point);
  const at = placeText(point.place), made = entryOf(i)?.name ?? "";
  const text = `${point.entry ? "in" : "out"} at ${at}${snapText(i)} `;
  if (point.words.textContent !== text) point.words.textContent = text;
  point.input.placeholder = made || "name";
  point.input.setAttribute("aria-label", `Name of the point at ${at} (not the patient's)`);
  ["Show the point at", "Move to the crosshair the point at", "Delete the point at"].forEach((words, k) => point.buttons[k].setAttribute("aria-label", `${words} ${at}`));
  if (document.activeElement !== point.input) point.input.value = point.name;
}

function showPoints() {
  const list = inOrder(), box = byId("points");
  list.forEach(showRow);
  for (const node of [...box.children]) if (!list.some((p) => p.node === node)) node.remove();
  list.forEach((p, i) => { if (box.children[i] !== p.node) box.insertBefore(p.node, box.children[i] ?? null); });
  bench.viewer.showPoints(list);
  byId("segment").textContent = points.length ? "Find the vessel between the points" : "Find the vessel without points";
  bench.changed();
}

// Moves a point to the crosshair.
function move(point) {
  point.place = bench.viewer.place();
  showPoints();
}

// ---- names: those of the points' openings ----

const isMadeUp = (name) => /^(inlet|outlet|wall)(-\d{1,3})?$/.test(name);
// Entry of the case for point `i` of the list, where the case has these points.
const entryOf = (i) => (found === keyOf() ? settings.now?.openings.find((o) => Number(o.point) === i + 1) : undefined);

async function rename(point, input, note) {
  const name = input.value.trim(), entry = entryOf(inOrder().indexOf(point));
  note.textContent = name && points.some((p) => p !== point && p.name === name) ? "Another point has this name." : "";
  if (note.textContent) return;
  if (entry && name && name !== entry.name) note.textContent = await settings.change([[`openings.${entry.name}.name`, name]]);
  if (!note.textContent) point.name = name;
}

// Settings that name the points of the search: `openings.NAME.point` gives the opening of a point its name.
const namesOf = (list) => list.map((p, i) => [p, i]).filter(([p, i]) => p.name && entryOf(i)?.name !== p.name).map(([p, i]) => [`openings.${p.name}.point`, String(i + 1)]);

function readNames() {
  inOrder().forEach((p, i) => {
    const name = entryOf(i)?.name;
    if (name !== undefined) p.name = isMadeUp(name) ? "" : name;
    if (p.node) showRow(p, i);
  });
}

// ---- what the case has ----

// Reads what the search took the points for; and, once, the points of the case, where none was clicked yet.
let isTaken = false, stamp = 0, taken = [], hadPoints = false;
async function readPoints() {
  const file = bench.fileOf("manifest.json");
  if (!file || file.stamp === stamp) return;
  stamp = file.stamp;
  const manifest = await (await readFile(file)).json(), known = manifest.options?.vessel?.points ?? [];
  taken = manifest.segment?.points ?? [];
  hadPoints = known.length > 0;
  if (!isTaken && points.length === 0 && known.length > 0) {
    points = known.map((place, i) => ({ place, entry: i === 0, name: "" }));
    found = keyOf();
    setKind("look");
  }
  isTaken = true;
  showPoints();
}

// What point `i` was taken for, where it lay beside the vessel.
function snapText(i) {
  const least = 0.05; // mm
  return found === keyOf() && taken[i]?.away_mm > least ? `, ${taken[i].away_mm.toFixed(1)} mm beside the vessel: taken at ${placeText(taken[i].centre_mm)}` : "";
}

let seen = ""; // the command and the vessel whose settings the case has
function followSettings(state) {
  const now = `${state.job.number} ${bench.fileOf("vessel.stl")?.stamp} ${bench.fileOf("openings.json")?.stamp}`; // also of a terminal
  if (state.job.running || state.others_work || now === seen) return;
  seen = now;
  foundBy = null;
}

async function search() {
  const list = inOrder(), entry = points.find((p) => p.entry), exits = list.filter((p) => !p.entry), more = { force: byId("force").checked };
  if (entry) more.from = entry.place;
  if (exits.length) more.to = exits.map((p) => p.place);
  if (!readNumbers(bench, { vessel: "vessel" }, more) || !(await settings.settled())) return;
  more.set = [...searchSettings(), ...(points.length ? namesOf(list) : hadPoints ? [["vessel.points", ""]] : [])];
  const key = keyOf();
  if (await bench.begin("segment", more)) found = key;
  bench.changed();
}

export function begin(of) {
  bench = of;
  settings = bench.settings;
  bench.picker = pick;
  bench.points = () => points;
  region.begin(bench, kind);
  byId("segment").onclick = search;
  bench.onState.push(readPoints, followSettings, () => { byId("segment").disabled = bench.isBusy() || !bench.fileOf("scan.nii.gz"); });
  settings.onChange.push(() => { if (settings.now) foundBy ??= JSON.stringify(searchSettings()); readNames(); });
  bench.onKey.push((event, isOnCanvas) => {
    const kinds = { i: "from", o: "to", l: "look", s: "seed", b: "box" };
    if (kinds[event.key]) setKind(kinds[event.key]);
    else if (event.key === "Enter" && isOnCanvas) pick(bench.viewer.place());
    else return false;
    if (/seed|box/.test(kind())) byId("without-points").open = true;
    return true;
  });
  showPoints();
}
