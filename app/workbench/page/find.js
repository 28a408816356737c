// Part 1: points on the vessel, and the search between them.
import { readFile } from "./api.js";
import { byId, make, placeText, readNumbers } from "./page.js";

let bench;
let points = []; // {place, entry}: entry: blood comes in
let found = "";  // the points of the latest search

const keyOf = () => points.map((p) => placeText(p.place) + p.entry).join();
const kind = () => document.querySelector("input[name=kind]:checked").value;
const setKind = (value) => { document.querySelector(`input[name=kind][value=${value}]`).checked = true; };

// What keeps the flow from being that of the points; "" where nothing does.
export function reasonToSearch() {
  const job = bench.state?.job;
  if (!job) return "";
  if (job.name === "segment" && !job.running && job.exit_code) return !bench.fileOf("vessel.stl") ? "Find the vessel first." : "The last search failed: what is shown is older. Find the vessel again.";
  return points.length && keyOf() !== found ? "Find the vessel with these points first." : "";
}

export function pick(place) {
  if (kind() === "look") return;
  if (!place) return bench.tell("A point is set by a click in a slice on the scan, or by two clicks in 3D.");
  if (points.some((p) => placeText(p.place) === placeText(place))) return bench.tell("There is a point at this place already.");
  if (kind() === "from") points = points.filter((p) => !p.entry);
  points.push({ place, entry: kind() === "from" });
  setKind("to");
  showPoints();
}

function showPoints() {
  const list = [...points].sort((a, b) => b.entry - a.entry);
  byId("points").replaceChildren(...list.map((p, i) => make("li", {}, `${p.entry ? "in" : "out"} at ${placeText(p.place)}${snapText(i)}`,
    make("button", { type: "button", onclick: () => bench.go(p.place), "aria-label": `Show the point at ${placeText(p.place)}` }, "show"),
    make("button", { type: "button", onclick: () => move(p), "aria-label": `Move the point at ${placeText(p.place)} to the crosshair` }, "move"),
    make("button", { type: "button", onclick: () => { points = points.filter((q) => q !== p); showPoints(); }, "aria-label": `Delete the point at ${placeText(p.place)}` }, "delete"))));
  bench.viewer.showPoints(list);
  byId("segment").textContent = points.length ? "Find the vessel between the points" : "Find the vessel without points";
  bench.changed();
}

// Moves a point to the crosshair.
function move(point) {
  point.place = bench.viewer.place();
  showPoints();
}

// Reads what the search took the points for; and, once, the points of the case, where none was clicked yet.
let isTaken = false, stamp = 0, taken = [];
async function readPoints() {
  const file = bench.fileOf("manifest.json");
  if (!file || file.stamp === stamp) return;
  stamp = file.stamp;
  const manifest = await (await readFile(file)).json(), known = manifest.options?.vessel?.points ?? [];
  taken = manifest.segment?.points ?? [];
  if (!isTaken && points.length === 0 && known.length > 0) {
    points = known.map((place, i) => ({ place, entry: i === 0 }));
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

async function search() {
  const settings = { preset: byId("preset").value, force: byId("force").checked };
  const entry = points.find((p) => p.entry), exits = points.filter((p) => !p.entry);
  if (entry) settings.from = entry.place;
  if (exits.length) settings.to = exits.map((p) => p.place);
  const key = keyOf();
  if (readNumbers(bench, { lower: "lower", vessel: "vessel" }, settings) && (await bench.begin("segment", settings))) found = key;
  bench.changed();
}

export function begin(of) {
  bench = of;
  bench.picker = pick;
  bench.points = () => points;
  byId("segment").onclick = search;
  bench.onState.push(readPoints, () => { byId("segment").disabled = bench.isBusy() || !bench.fileOf("scan.nii.gz"); });
  bench.onKey.push((event, isOnCanvas) => {
    const kinds = { i: "from", o: "to", l: "look" };
    if (kinds[event.key]) setKind(kinds[event.key]);
    else if (event.key === "Enter" && isOnCanvas) pick(bench.viewer.place());
    else return false;
    return true;
  });
  showPoints();
}
