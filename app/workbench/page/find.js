// Part 1: points on the vessel, and the search between them.
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
  if (job.name === "segment" && !job.running && job.exit_code) return "The last search failed: what is shown is older. Find the vessel again.";
  return points.length && keyOf() !== found ? "Find the vessel with these points first." : "";
}

export function pick(place) {
  if (kind() === "look") return;
  if (!place) return bench.tell("A point is set by a click in a slice, on the scan.");
  if (points.some((p) => placeText(p.place) === placeText(place))) return bench.tell("There is a point at this place already.");
  if (kind() === "from") points = points.filter((p) => !p.entry);
  points.push({ place, entry: kind() === "from" });
  setKind("to");
  showPoints();
}

function showPoints() {
  const list = [...points].sort((a, b) => b.entry - a.entry);
  byId("points").replaceChildren(...list.map((p) => make("li", {}, `${p.entry ? "in" : "out"} at ${placeText(p.place)}`,
    make("button", { type: "button", onclick: () => bench.go(p.place), "aria-label": `Show the point at ${placeText(p.place)}` }, "show"),
    make("button", { type: "button", onclick: () => { points = points.filter((q) => q !== p); showPoints(); }, "aria-label": `Delete the point at ${placeText(p.place)}` }, "delete"))));
  bench.viewer.showPoints(list);
  byId("segment").textContent = points.length ? "Find the vessel between the points" : "Find the vessel without points";
  bench.changed();
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
  bench.onState.push(() => { byId("segment").disabled = bench.isBusy() || !bench.fileOf("scan.nii.gz"); });
  bench.onKey.push((event, isOnCanvas) => {
    const kinds = { i: "from", o: "to", l: "look" };
    if (kinds[event.key]) setKind(kinds[event.key]);
    else if (event.key === "Enter" && isOnCanvas) pick(bench.viewer.place());
    else return false;
    return true;
  });
  showPoints();
}
