// Part 2: the openings: their roles and values, and their planes in the view.
import { get, readFile } from "./api.js";
import * as flow from "./flow.js";
import { byId, make, placeText } from "./page.js";
import * as plan from "./plan.js";
import { alongAt, planeHandles } from "./plane.js";
import { makeField } from "./settings.js";
import { across, add, dot, minus, unit } from "./vector.js";

const roles = { inlet: "inlet", outlet: "outlet", wall: "closed" };
const outward = 10; // mm that a plane may be moved out of the vessel found

let bench, settings;
let stamp = 0;
let found = [];     // openings.json
let chosen = -1;    // number of the opening that is edited; -1: none, or the vessel is found again
let edited = null;  // {number, name}: the same for its fields, which stay meanwhile; null: none
let lit = -1;       // number of the one under the mouse
let path = [];      // stations inwards from the chosen one
let moved = null;   // {centre, normal} of its plane where it is being moved
let fields = [];    // of the editor

const entryOf = (number) => settings.now?.openings.find((o) => o.found === number);
const nameOf = (number) => entryOf(number)?.name || found[number].name;
const roleOf = (number) => entryOf(number)?.role || found[number].role;
const given = (text) => (text && text !== "auto" ? text : "");

// ---- the planes ----

// Plane that the case asks for since the vessel was found; null: none.
function newPlane(number) {
  const entry = entryOf(number), one = found[number];
  if (!given(entry?.centre_mm) || entry.point) return null;
  const place = JSON.parse(entry.centre_mm), normal = given(entry.normal) ? unit(JSON.parse(entry.normal)) : one.normal;
  return one.asked_centre_mm && Math.hypot(...minus(place, one.asked_centre_mm)) < 1e-6 ? null : { place, normal };
}

const planeOf = (number) => ({ place: found[number].centre_mm, normal: found[number].normal, ...newPlane(number), radius: found[number].radius_mm });

function showPlanes() {
  bench.viewer.showPlanes(found.map((_, i) => ({ ...(i === chosen && moved ? moved : planeOf(i)), kind: roleOf(i), isLit: i === lit || i === chosen })));
}

// Number of the opening at the mouse; -1: none.
function openingAt(event) {
  const place = bench.viewer.placeAt(event);
  let best = -1, least = Infinity;
  found.forEach((one, i) => {
    const plane = planeOf(i), seen = place ? null : bench.viewer.project(plane.place);
    const off = place ? Math.hypot(...minus(place, plane.place)) / (one.radius_mm + 1) : seen ? Math.hypot(seen[0] - event.offsetX, seen[1] - event.offsetY) / 16 : Infinity;
    if (off < Math.min(1, least)) { best = i; least = off; }
  });
  return best;
}

function light(number) {
  if (number === lit) return;
  lit = number;
  for (const row of byId("openings").children) row.classList.toggle("lit", Number(row.dataset.number) === lit);
  showPlanes();
}

// ---- the table ----

// Whether automatic outlets have Windkessels (ht_place_outlet_model).
const isAorta = () => settings.key("patient.kind")?.value === "aorta" || (settings.key("flow.waveform")?.value === "aorta" && found.filter((_, i) => roleOf(i) === "outlet").length > 1);

function valueText(number) {
  const entry = entryOf(number), role = roleOf(number), model = settings.key("outlets.model")?.value;
  if (role === "wall") return "";
  if (role === "inlet") {
    const output = given(settings.key("patient.cardiac_output_l_min")?.value), inlet = given(settings.key("flow.inlet_flow_ml_s")?.value);
    return given(entry?.flow_ml_s) ? `${entry.flow_ml_s} mL/s` : inlet ? `${inlet} mL/s` : output ? `${output} L/min` : "flow not given";
  }
  if (given(entry?.flow_fraction)) return `share ${entry.flow_fraction}`;
  if (given(entry?.windkessel_mmhg_ml_s)) return "own RCR";
  if (model === "area" || model === "murray") return model === "area" ? "share by area" : "share by Murray's law";
  if (model === "windkessel" || (model === "auto" && isAorta())) return "fitted RCR";
  return `${given(entry?.pressure_pa) || 0} Pa`;
}

// What is wrong with the place of an opening; "" where nothing is.
function strayText(number) {
  const entry = entryOf(number);
  if (newPlane(number)) return "moved: find the vessel again";
  return entry?.strayed_mm > 0 ? `named ${entry.strayed_mm.toFixed(1)} mm away from where it is now` : "";
}

// A row stays where its opening does, as the mouse may be down on it: only what it says changes.
function makeRow(number) {
  const cells = [0, 1, 2, 3].map(() => make("td", {}));
  return make("tr", { tabindex: "0", "data-number": number, onclick: () => choose(number), onkeydown: (e) => { if (e.key === "Enter") choose(number); }, onmouseenter: () => light(number), onmouseleave: () => light(-1), onfocus: () => light(number), onblur: () => light(-1) }, ...cells);
}

function showRow(node, number) {
  const stray = strayText(number), name = nameOf(number), role = roleOf(number), key = JSON.stringify([name, role, stray]);
  const [first, ...rest] = node.cells;
  node.setAttribute("aria-selected", String(number === chosen));
  if (first.dataset.key !== key) first.replaceChildren(make("i", { class: `mark ${role}`, "aria-hidden": "true" }), name, ...(stray ? [make("p", { class: "bad" }, stray)] : []));
  first.dataset.key = key;
  first.title = name;
  [roles[role] ?? role, found[number].radius_mm.toFixed(2), valueText(number)].forEach((text, i) => { rest[i].textContent = text; });
}

// An opening that the case names and that the vessel does not have.
const lostRow = (entry) => make("tr", {}, make("td", {}, entry.name, make("p", { class: "bad" }, "not in the vessel that was found")), make("td", {}, roles[entry.role] ?? ""), make("td", {}, ""), make("td", {}, ""));

function shareText() {
  const shares = (settings.now?.openings ?? []).filter((o) => o.role === "outlet" && given(o.flow_fraction)).map((o) => Number(o.flow_fraction));
  const sum = shares.reduce((a, b) => a + b, 0);
  return shares.length ? `The shares add up to ${Number(sum.toFixed(4))}; a run needs 1.` : "";
}

let rows = [];
function showTable() {
  const lost = (settings.now?.openings ?? []).filter((o) => o.found === -1);
  while (rows.length > found.length) rows.pop().remove();
  while (rows.length < found.length) rows.push(makeRow(rows.length));
  rows.forEach(showRow);
  for (const old of [...byId("openings").children].filter((node) => !rows.includes(node))) old.remove();
  byId("openings").append(...rows.filter((node) => !node.isConnected), ...lost.map(lostRow));
  const problem = settings.problem || settings.now?.problem || "";
  byId("case-problem").textContent = problem && `A run would refuse this case: ${problem}`;
  byId("shares").textContent = shareText();
  byId("segment-again").hidden = !found.some((_, i) => newPlane(i));
  if (found.length) showPlanes();
}

// ---- one opening ----

// Keys of an opening's values that its role and the outlets' model allow, with their fields.
const valueFields = {
  flow_ml_s: { label: "Mean flow in, mL/s", placeholder: "as above" },
  pressure_pa: { label: "Gauge pressure, Pa", placeholder: "0", empty: "0" },
  flow_fraction: { label: "Share of the flow, 0 to 1", placeholder: "none" },
  windkessel_mmhg_ml_s: { label: "Windkessel R, C, R: mmHg s/mL, mL/mmHg, mmHg s/mL", parts: ["proximal R", "C", "distal R"], empty: "" },
};
const valueNames = { flow_ml_s: "flow", pressure_pa: "pressure", flow_fraction: "share", windkessel_mmhg_ml_s: "Windkessel" };
function valueKeys(role) {
  const model = settings.key("outlets.model")?.value, is = (word) => model === word || model === "auto";
  if (role !== "outlet") return role === "inlet" ? ["flow_ml_s"] : [];
  return ["pressure_pa", ...(is("fractions") ? ["flow_fraction"] : []), ...(is("windkessel") ? ["windkessel_mmhg_ml_s"] : [])];
}
const givenValues = (number) => Object.keys(valueFields).map((key) => [key, given(entryOf(number)?.[key])]).filter(([, text]) => Number(text) !== 0);

// Values that openings had in a role, by their places: they come back with the role.
const hadBefore = {};
const placeOf = (number) => placeText(found[number].centre_mm);

function changeRole(one, role) {
  const known = (hadBefore[placeOf(one.number)] ??= {}), hasFlow = ["flow.inlet_flow_ml_s", "flow.inlet_reynolds", "patient.cardiac_output_l_min"].some((key) => given(settings.key(key)?.value));
  known[roleOf(one.number)] = givenValues(one.number);
  const back = (known[role] ?? []).filter(([key]) => valueKeys(role).includes(key) && !(key === "flow_ml_s" && hasFlow));
  return [["role", role], ...back].map(([key, text]) => [`openings.${one.name}.${key}`, text]);
}

function roleNote(one) {
  const drops = found[one.number] ? givenValues(one.number).map(([key, text]) => `${valueNames[key]} ${text}`) : [];
  return drops.length ? `Another role drops its ${drops.join(", ")}; while the page is open, this role brings it back.` : "";
}

function editorFields(number) {
  const role = roleOf(number), one = edited;
  const of = (name, more) => ({ name, key: () => `openings.${one.name}.${name}`, value: () => entryOf(one.number)?.[name] ?? "", ...more });
  return [of("name", { label: "Name (not the patient's)", isText: true, value: () => one.name }),
    of("role", { label: "Role", words: roles, value: () => (found[one.number] ? roleOf(one.number) : ""), pairs: (text) => changeRole(one, text), note: () => roleNote(one) }),
    ...valueKeys(role).map((key) => of(key, valueFields[key]))];
}

// Place and direction at a distance inwards (mm): on the centreline, beyond it straight on.
function stationAt(mm) {
  const last = path[path.length - 1];
  if (mm <= 0) return { centre: add(path[0].slice(1, 4), path[0].slice(4, 7), -mm), out: path[0].slice(4, 7) };
  const i = Math.max(1, path.findIndex((s) => s[0] >= Math.min(mm, last[0])));
  const [a, b] = [path[i - 1], path[i]], t = Math.min(1, (mm - a[0]) / (b[0] - a[0]));
  return { centre: add(a.slice(1, 4), minus(b.slice(1, 4), a.slice(1, 4)), t), out: unit(add(a.slice(4, 7), minus(b.slice(4, 7), a.slice(4, 7)), t)) };
}

// How the plane is moved: mm inwards, degrees against the vessel, and towards. The sliders have these, rounded.
let asked = { along: 0, tilt: 0, turn: 0 };

// The plane's direction out of the vessel at its present place, before it is tilted, and two across it.
function frameAt(along) {
  const { centre, out } = along === 0 ? { centre: planeOf(chosen).place, out: planeOf(chosen).normal } : stationAt(along);
  const [side, other] = across(out);
  return { centre, out, side, other };
}

function movePlane(follows = true) {
  const { along, tilt, turn } = asked;
  byId("along-text").textContent = `${Math.abs(along).toFixed(1)} mm ${along < 0 ? "outwards" : "inwards"}`;
  byId("tilt-text").textContent = `${tilt.toFixed(0)}\u00b0`;
  byId("turn-text").textContent = `${turn.toFixed(0)}\u00b0`;
  const is = along !== 0 || tilt !== 0;
  byId("move-plane").disabled = byId("keep-plane").disabled = !is;
  if (!is) moved = null;
  else {
    const { centre, out, side, other } = frameAt(along), [a, b] = [(tilt * Math.PI) / 180, (turn * Math.PI) / 180];
    const axis = add(side.map((x) => x * Math.cos(b)), other, Math.sin(b));
    moved = { place: centre, normal: unit(add(out.map((x) => x * Math.cos(a)), axis, Math.sin(a))), radius: found[chosen].radius_mm };
    if (follows) bench.viewer.move(centre);
  }
  if (follows) showPlanes(); // while it is dragged, the handles show it
}

function bySlider() {
  asked = Object.fromEntries(["along", "tilt", "turn"].map((id) => [id, Number(byId(id).value)]));
  movePlane();
}

function resetPlane() {
  asked = { along: 0, tilt: 0, turn: 0 };
  for (const id of ["along", "tilt", "turn"]) byId(id).value = 0;
  movePlane();
}

// The mouse moves the plane along the vessel, up to some mm outwards, and turns it; the sliders follow.
const steepest = 45; // degrees
let before = null; // as it was when the mouse took it
const planeDragged = planeHandles({
  colour: "#fff",
  plane: () => (chosen >= 0 && found[chosen] && path.length > 1 && !bench.isBusy() ? { ...planeOf(chosen), ...moved } : null),
  slide(at, pixel) {
    before ??= { ...asked };
    const most = Number(byId("along").max), line = [{ place: stationAt(-outward).centre, along: -outward }, ...path.filter((s) => s[0] <= most).map((s) => ({ place: s.slice(1, 4), along: s[0] }))];
    asked.along = Math.min(most, Math.max(-outward, alongAt(line, at, pixel)));
    byId("along").value = asked.along;
    movePlane(false);
  },
  turn(normal) {
    before ??= { ...asked };
    const { out, side, other } = frameAt(asked.along), cosine = Math.min(1, Math.max(-1, dot(normal, out)));
    asked.tilt = Math.min(steepest, (Math.acos(cosine) * 180) / Math.PI);
    asked.turn = ((Math.atan2(dot(normal, other), dot(normal, side)) * 180) / Math.PI + 360) % 360;
    for (const id of ["tilt", "turn"]) byId(id).value = asked[id];
    movePlane(false);
  },
  drop(isCancelled) {
    if (isCancelled) asked = before;
    before = null;
    for (const id of ["along", "tilt", "turn"]) byId(id).value = asked[id];
    byId("move-part").open = true;
    movePlane();
  },
});

async function keepPlane() {
  const place = (p, digits) => `[${p.map((x) => x.toFixed(digits)).join(", ")}]`, name = nameOf(chosen);
  const problem = await settings.change([[`openings.${name}.centre_mm`, place(moved.place, 3)], [`openings.${name}.normal`, place(moved.normal, 5)]]);
  byId("plane-note").textContent = problem || "The vessel is cut at this plane when it is found again, also by the next run.";
  byId("plane-note").classList.toggle("bad", !!problem);
  if (!problem) resetPlane();
}

// Opens the editor of an opening, or closes it where it is open.
function choose(number) {
  const next = number === chosen ? null : { number, name: nameOf(number) };
  shut();
  edited = next;
  edit();
  if (edited) bench.go(planeOf(number).place);
}

function shut() {
  fields.forEach((f) => f.drop());
  fields = [];
  byId("opening-fields").replaceChildren();
  edited = null;
}

// Shows the editor of the opening that is edited, which may have another number now.
async function edit() {
  chosen = edited?.number ?? -1;
  moved = null;
  path = [];
  byId("opening").hidden = chosen < 0;
  showTable();
  if (chosen < 0) return;
  showFields();
  byId("plane-note").textContent = "";
  byId("along").disabled = true;
  try {
    const of = chosen, answer = await get(`/api/path?opening=${of}`);
    if (of !== chosen) return;
    path = answer.stations;
    byId("along").disabled = path.length < 2;
    byId("along").min = -outward;
    byId("along").max = path.length ? Math.max(0, path[path.length - 1][0] - 2 * found[chosen].radius_mm).toFixed(1) : 0;
  } catch (error) {
    byId("plane-note").textContent = error.message;
  }
  resetPlane();
}

// Shows the fields that the opening's role and the outlets' model have. A field stays while it is used: it is
// neither made again nor moved.
function showFields() {
  const wanted = editorFields(chosen), box = byId("opening-fields");
  const list = wanted.map((of) => fields.find((f) => f.name === of.name) ?? { ...makeField(settings, of), name: of.name });
  for (const old of fields.filter((f) => !list.includes(f))) {
    if (old.isOpen()) list.push(old);
    else { old.drop(); old.node.remove(); }
  }
  for (let i = list.length - 1; i >= 0; i--) if (!list[i].node.isConnected) box.insertBefore(list[i].node, list[i + 1]?.node ?? null);
  const isNew = list.filter((f) => !fields.includes(f));
  fields = list;
  isNew.forEach((f) => f.update());
  byId("opening-title").textContent = `${nameOf(chosen)} at ${placeText(planeOf(chosen).place)} mm (LPS)`;
}

function refresh() {
  if (edited && found[edited.number]) edited.name = nameOf(edited.number);
  showTable();
  if (chosen >= 0 && chosen < found.length) showFields();
}

// ---- the part ----

async function readOpenings() {
  const file = bench.fileOf("openings.json");
  if (stamp === (file?.stamp ?? 0)) return;
  stamp = file?.stamp ?? 0;
  found = file ? (await (await readFile(file)).json()).openings : [];
  if (edited) {
    edited.number = found.findIndex((one) => one.name === edited.name);
    if (edited.number < 0 && found.length) shut();
    edit();
  }
  if (!found.length) bench.viewer.showPlanes([]);
  showTable();
}

export function begin(of) {
  bench = of;
  settings = bench.settings;
  flow.begin(bench);
  plan.begin(bench);
  settings.onChange.push(refresh);
  for (const id of ["along", "tilt", "turn"]) byId(id).oninput = bySlider;
  bench.handles.add(planeDragged);
  byId("move-plane").onclick = keepPlane;
  byId("keep-plane").onclick = resetPlane;
  byId("segment-again").onclick = () => bench.begin("segment", {});
  byId("canvas").addEventListener("mousemove", (event) => { if (!event.buttons && found.length) light(openingAt(event)); });
  bench.onState.push(readOpenings, (state) => settings.follow(state), (state) => plan.follow(state));
}
