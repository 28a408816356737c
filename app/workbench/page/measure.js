// Part 5: sections of the vessel and regions of its wall, measured in the results by the server.
import { address, fileAddress, readFile, start } from "./api.js";
import { byId, make, placeText } from "./page.js";
import { alongAt, planeHandles } from "./plane.js";
import { dot, unit } from "./vector.js";

let bench;
let otherPicker = null; // who has the clicks while nothing is measured
let what = null;        // place that is measured: the request of the server
let shown = null;       // its answer
let balls = [];         // [x, y, z, radius] of the region, LPS, mm
let known = null;       // what can be measured in these results
let stamp = "";         // of the results and of the table

const mode = () => document.querySelector("input[name=measure]:checked").value;
const number = (x) => (x === null || x === undefined ? "–" : Math.abs(x) >= 1e4 || (x && Math.abs(x) < 1e-3) ? x.toExponential(2) : String(Number(x.toPrecision(4))));
const shortName = (name) => name.replace(/_/g, " ").replace(/\b(wss|tawss|osi|rrt|ecap)\b/g, (word) => word.toUpperCase()).replace(/ (per )?pa$/, (unit) => (unit === " pa" ? ", Pa" : ", 1/Pa"));

// ---- asking ----

// Requests wait for the one that runs; only the last of them counts.
let isAsking = false, waiting = null;
async function ask(request) {
  waiting = request;
  if (isAsking) return;
  isAsking = true;
  while (waiting) {
    const now = waiting;
    waiting = null;
    try {
      const answer = await start("measure", now);
      if (!waiting) show(now, answer);
    } catch (error) {
      if (!waiting) refuse(error.message);
    }
  }
  isAsking = false;
}

function refuse(message) {
  byId("measure-error").textContent = message;
  byId("measure-error").hidden = false;
}

function show(request, answer) {
  const { name, ...place } = request;
  if (name) byId("measure-name").value = "";
  what = place;
  shown = answer.measurement;
  if (shown.axis && !isTurned()) across = shown.axis;
  byId("measure-error").hidden = true;
  byId("measure-keep").hidden = false;
  byId("measure-typed").value = answer.command;
  bench.viewer.showMesh("region", answer.region_mm ?? null, answer.triangles, [255, 200, 40, 255]);
  if (shown.kind === "region") showRegion();
  else showSection(answer.contour_mm);
  document.documentElement.dataset.measured = answer.command;
}

// ---- a section ----

const rows = [["flow_ml_s", "Flow, mL/s"], ["mean_velocity_m_s", "Mean velocity, m/s"], ["highest_velocity_m_s", "Highest speed, m/s"], ["pressure_mmhg", "Pressure, mmHg"], ["pressure_pa", "Pressure, Pa"], ["wss_mean_pa", "Wall shear stress around it, mean, Pa"], ["wss_highest_pa", "The same, highest, Pa"]];

function showSection(contour) {
  const first = shown.rows[0], samples = shown.rows.slice(1), along = shown.along_mm;
  const lines = [["Area, mm²", shown.area_mm2], ["Diameter, mm", shown.diameter_mm], ...rows.map(([key, label]) => [label, first[key]])];
  if (shown.turn_degrees > 5) lines.push(["Turned against the vessel, degrees", shown.turn_degrees]);
  if (along !== null) lines.push(["Along the centreline, mm", along]);
  const notes = [doubt(), shown.remark, shown.others ? `${shown.others} other sections in this plane are left out.` : "", samples.length ? "The numbers are means of the beat." : ""].filter(Boolean);
  byId("measure-numbers").replaceChildren(tableOf(lines), ...notes.map((text) => make("p", {}, text)), ...(samples.length ? [curveOf(samples)] : []));
  if (along !== null) byId("measure-station").value = along;
  drawSection(contour);
}

const doubt = () => (known && !known.steady ? "The flow is not steady, or not periodic: do not use these numbers." : "");

function tableOf(lines) {
  return make("table", { class: "numbers" }, make("tbody", {}, ...lines.map(([label, value]) => make("tr", {}, make("th", { scope: "row" }, label), make("td", {}, number(value))))));
}

const svg = (name, attributes, ...inside) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...inside);
  return node;
};

let curve = "flow_ml_s";
function curveOf(samples) {
  const select = make("select", { "aria-label": "Curve over the beat" }, ...rows.map(([key, label]) => make("option", { value: key }, label))), place = make("div", {});
  const draw = () => {
    const points = samples.filter((s) => s[select.value] !== null && s[select.value] !== undefined).map((s) => [s.time_s, s[select.value]]);
    curve = select.value;
    if (points.length < 2) return place.replaceChildren(make("p", {}, "Not kept at the moments of the beat: `hemotile solve DIR --beat-files vtk` keeps all."));
    const values = points.map((p) => p[1]), low = Math.min(0, ...values), high = Math.max(0, ...values), end = points.at(-1)[0] || 1;
    const x = (t) => (100 * t) / end, y = (v) => 100 - (100 * (v - low)) / (high - low || 1);
    const path = points.map(([t, v], i) => `${i ? "L" : "M"}${x(t).toFixed(2)} ${y(v).toFixed(2)}`).join("");
    const most = points.reduce((a, b) => (b[1] > a[1] ? b : a)), least = points.reduce((a, b) => (b[1] < a[1] ? b : a));
    place.replaceChildren(svg("svg", { class: "curve", viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "img", "aria-label": `From ${number(least[1])} to ${number(most[1])}` }, svg("line", { x1: 0, x2: 100, y1: y(0), y2: y(0) }), svg("path", { d: path })),
      make("p", {}, `Highest ${number(most[1])} at ${number(most[0])} s, lowest ${number(least[1])} at ${number(least[0])} s; the line is 0.`));
  };
  select.value = curve;
  select.onchange = draw;
  draw();
  return make("div", {}, make("label", {}, "Over the beat ", select), place);
}

// A disc in the section, which a slice shows as a line. The crosshair follows what moves along the vessel.
let isFollowed = false;
function drawSection(contour) {
  const count = contour.length / 3, points = [...contour, ...shown.centre_mm], triangles = [];
  for (let i = 0; i < count; i++) triangles.push(i, (i + 1) % count, count);
  bench.viewer.showMesh("section", points, triangles, [255, 200, 40, 255]);
  if (isFollowed) bench.viewer.move(shown.centre_mm);
  isFollowed = false;
}

// Two directions across the vessel, by which the plane is turned.
function sides(axis) {
  const up = Math.abs(axis[2]) < 0.9 ? [0, 0, 1] : [0, 1, 0], first = unit(up.map((x, i) => x - dot(up, axis) * axis[i]));
  return [first, [axis[1] * first[2] - axis[2] * first[1], axis[2] * first[0] - axis[0] * first[2], axis[0] * first[1] - axis[1] * first[0]]];
}

// Normal of the plane: the vessel's direction, turned by the two sliders.
function turned(axis) {
  const [first, second] = sides(axis);
  const [pitch, yaw] = ["measure-pitch", "measure-yaw"].map((id) => Math.tan((Math.PI / 180) * Number(byId(id).value)));
  return unit(axis.map((x, i) => x + pitch * first[i] + yaw * second[i]));
}

const isTurned = () => byId("measure-pitch").value !== "0" || byId("measure-yaw").value !== "0";
const round = (v) => v.map((x) => Number(x.toPrecision(6)));

function turn() {
  if (!shown?.axis) return;
  ask(isTurned() ? { plane: round([...shown.centre_mm, ...turned(across)]) } : { plane: round(shown.centre_mm) });
}

// Direction of the vessel at the section, kept while the plane is turned.
let across = null;
function sectionAt(place) {
  byId("measure-pitch").value = byId("measure-yaw").value = 0;
  ask({ plane: round(place) });
}

// The mouse moves the section along the centreline, elsewhere to where it is, and turns it. While it moves the handles
// show where it would be; the numbers follow when the button is up.
let line = [];      // {place, along} of the centreline
let dragged = null; // {place, normal, along}
let turnedBefore = null; // the two sliders, when the mouse took it
const sectionDragged = planeHandles({
  colour: "#ffc828",
  plane() {
    if (mode() !== "section" || !shown || shown.kind === "region" || !shown.axis) return null;
    const plane = { place: shown.centre_mm, normal: isTurned() ? turned(across) : shown.axis, radius: shown.diameter_mm / 2 };
    return { ...plane, ...dragged };
  },
  slide(at, pixel) {
    const isOnLine = line.length > 1 && shown.along_mm !== null, place = isOnLine ? null : at.isSolid ? at.move(shown.centre_mm, pixel) : at.place(pixel);
    if (!isOnLine) { dragged = { place }; return; }
    const along = alongAt(line, at, pixel), i = Math.max(1, line.findIndex((s) => s.along >= along)), [a, b] = [line[i - 1], line[i]];
    const share = (along - a.along) / (b.along - a.along || 1), way = b.place.map((x, k) => x - a.place[k]);
    dragged = { along, place: a.place.map((x, k) => x + share * way[k]), normal: unit(way) };
  },
  turn(normal) {
    const [first, second] = sides(across), cosine = dot(normal, across), steepest = 60;
    if (cosine < 0.05) return;
    turnedBefore ??= ["measure-pitch", "measure-yaw"].map((id) => byId(id).value);
    const angle = (side) => Math.max(-steepest, Math.min(steepest, (Math.atan(dot(normal, side) / cosine) * 180) / Math.PI));
    byId("measure-pitch").value = angle(first);
    byId("measure-yaw").value = angle(second);
    dragged = { normal: turned(across) };
  },
  drop(isCancelled, grip) {
    const to = dragged;
    dragged = null;
    if (isCancelled && turnedBefore) [byId("measure-pitch").value, byId("measure-yaw").value] = turnedBefore;
    turnedBefore = null;
    if (isCancelled || !to) return;
    if (grip.key === "turn") return turn();
    isFollowed = true;
    if (to.along === undefined) return sectionAt(to.place);
    byId("measure-pitch").value = byId("measure-yaw").value = 0;
    ask({ station: Number(to.along.toFixed(2)) });
  },
});

async function readLine() {
  const file = bench.fileOf("centreline.csv");
  line = [];
  if (!file) return;
  const [head, ...rows] = (await (await readFile(file)).text()).trim().split("\n").map((text) => text.split(",")), at = ["position_mm", "x_mm", "y_mm", "z_mm"].map((name) => head.indexOf(name));
  if (at.every((i) => i >= 0)) line = rows.map((row) => ({ along: Number(row[at[0]]), place: at.slice(1).map((i) => Number(row[i])) }));
}

// Moves the section along the vessel by a spacing of the lattice.
function step(direction) {
  if (!shown?.axis) return;
  const by = direction * Math.max(known?.spacing_mm ?? 0.5, 0.25);
  isFollowed = true;
  sectionAt(shown.centre_mm.map((x, i) => x + by * shown.axis[i]));
}

// ---- a region ----

function showRegion() {
  const heads = ["mean", "p5", "p50", "p95", "p99", "least", "highest"], names = ["Mean", "5 %", "50 %", "95 %", "99 %", "Least", "Highest"];
  const lines = Object.entries(shown.quantities);
  byId("measure-numbers").replaceChildren(...(doubt() ? [make("p", { class: "bad" }, doubt())] : []), make("p", {}, `Area ${number(shown.area_mm2)} mm²; per cent of it have at most:`),
    make("div", { class: "wide", tabindex: "0" }, make("table", { class: "numbers" }, make("thead", {}, make("tr", {}, make("th", {}, ""), ...names.map((n) => make("th", { scope: "col" }, n)))),
      make("tbody", {}, ...lines.map(([key, spread]) => make("tr", {}, make("th", { scope: "row" }, shortName(key)), ...heads.map((h) => make("td", {}, number(spread[h])))))))));
}

function regionOfBalls() {
  byId("measure-whole").value = "";
  if (balls.length) return ask({ balls: round(balls.flat()) });
  bench.viewer.showMesh("region", null);
  byId("measure-numbers").replaceChildren();
}

// ---- clicks and keys ----

function pick(place) {
  if (!place) return refuse("Click in a slice, or twice in 3D.");
  if (mode() === "section") return sectionAt(place);
  balls.push([...place, Number(byId("measure-radius").value)]);
  regionOfBalls();
}

function setMode(value) {
  document.querySelector(`input[name=measure][value="${value}"]`).checked = true;
  byId("measure-section").hidden = value !== "section";
  byId("measure-region").hidden = value !== "region";
  if (value && bench.picker !== pick) otherPicker = bench.picker;
  if (value) bench.picker = pick;
  else if (bench.picker === pick) bench.picker = otherPicker;
}

function useKey(event, isOnCanvas) {
  if (byId("measure").hidden) return false;
  const modes = { m: "section", r: "region" };
  if (modes[event.key]) setMode(mode() === modes[event.key] ? "" : modes[event.key]);
  else if (event.key === "Enter" && isOnCanvas && mode()) pick(bench.viewer.place());
  else if (mode() === "section" && (event.key === "[" || event.key === "]")) step(event.key === "[" ? -1 : 1);
  else return false;
  return true;
}

// ---- what is kept ----

function cells(line) {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) => (m[1] === undefined ? m[2] : m[1].replace(/""/g, '"')));
}

async function showKept(file) {
  const link = byId("measure-csv");
  link.hidden = !file;
  byId("measure-repeat").hidden = !!file || !bench.fileOf("measurements_before.csv");
  kept = [];
  nameButton();
  if (!file) return byId("measure-kept").replaceChildren();
  link.href = fileAddress(file);
  const [head, ...lines] = (await (await readFile(file)).text()).trim().split("\n").map(cells), of = (row, name) => row[head.indexOf(name)];
  const list = new Map();
  for (const row of lines) if (!list.has(row[0])) list.set(row[0], row);
  kept = [...list.keys()];
  nameButton();
  const entries = [...list.entries()].map(([name, row]) => make("tr", {}, make("th", { scope: "row" }, name),
    make("td", {}, row[1] === "region" ? `${number(Number(of(row, "area_mm2")))} mm²` : `${number(Number(of(row, "flow_ml_s")))} mL/s`),
    make("td", {}, make("button", { type: "button", onclick: () => again(row), "aria-label": `Show ${name}` }, "show"), " ", make("button", { type: "button", onclick: () => forget(name), "aria-label": `Delete ${name}` }, "delete"))));
  byId("measure-kept").replaceChildren(make("table", { class: "numbers" }, make("tbody", {}, ...entries)));
}

// Measures at the place of a kept measurement.
function again(row) {
  const [name, kind, place] = row, numbers = place.split(/[,;]/).map(Number);
  byId("measure-name").value = name;
  nameButton();
  if (kind === "plane") bench.go(numbers.slice(0, 3));
  setMode(kind === "region" ? "region" : "section");
  if (kind === "plane") return ask({ plane: numbers });
  if (kind === "station") return ask({ station: numbers[0] });
  if (!/^[-\d]/.test(place)) return /^(sac|wall|branch:)/.test(place) ? ask({ region: place }) : refuse("This region was a list of points: measure it again in the terminal.");
  balls = [];
  for (let i = 0; i < numbers.length; i += 4) balls.push(numbers.slice(i, i + 4));
  return regionOfBalls();
}

function keep() {
  const name = byId("measure-name").value.trim();
  if (!name) return byId("measure-name").focus();
  if (what) ask({ ...what, name }); // the next state has the new table
}

let kept = []; // names
const nameButton = () => { byId("measure-keep-it").textContent = kept.includes(byId("measure-name").value.trim()) ? "Replace the one of this name" : "Keep"; };

async function forget(name) {
  try {
    await start("measure-forget", { name });
  } catch (error) {
    refuse(error.message);
  }
}

// ---- the wall ----

let wall = null;
async function readWall() {
  const bytes = await (await readAnswer("/api/measure-wall")).arrayBuffer(), [points, triangles] = new Uint32Array(bytes, 0, 2);
  return { points: new Float32Array(bytes, 8, 3 * points), triangles: new Uint32Array(bytes, 8 + 12 * points, 3 * triangles) };
}

async function readAnswer(path) {
  const answer = await fetch(address(path));
  if (!answer.ok) throw new Error((await answer.json()).error.message);
  return answer;
}

async function colour() {
  const chosen = byId("measure-colour").value;
  byId("measure-bar").hidden = chosen === "";
  if (chosen === "") return bench.viewer.showMesh("wall", null);
  try {
    wall ??= await readWall();
    const values = new Float32Array(await (await readAnswer(`/api/measure-wall?number=${chosen}`)).arrayBuffer());
    const sorted = Float32Array.from(values).sort(), low = Math.min(0, sorted[0]), high = sorted[Math.floor(0.99 * (sorted.length - 1))] || 1;
    byId("measure-low").textContent = number(low);
    byId("measure-high").textContent = `≥ ${number(high)}`;
    if (byId("show-vessel").checked) byId("show-vessel").click(); // it lies over the wall
    bench.viewer.showMesh("wall", wall.points, wall.triangles, [200, 200, 200, 255], values, low, high);
  } catch (error) {
    refuse(error.message);
  }
}

// ---- states ----

async function showMeasure() {
  const summary = bench.fileOf("summary.json"), table = bench.fileOf("measurements.csv");
  const key = summary && !bench.isBusy() ? `${summary.stamp}` : "";
  byId("measure").hidden = !key;
  if (!key) setMode("");
  if (!key && stamp && !summary) { // the flow is gone: so are its numbers and colours
    stamp = "";
    known = null;
    reset();
  }
  const now = `${key} ${table?.stamp ?? ""}`;
  if (!key || stamp === now) return;
  const isOther = stamp.split(" ")[0] !== key;
  stamp = now;
  if (isOther || !known) await beginResults();
  await showKept(table);
}

// The numbers of another flow go.
function reset() {
  wall = what = shown = across = null;
  balls = [];
  byId("measure-numbers").replaceChildren();
  byId("measure-keep").hidden = byId("measure-error").hidden = byId("measure-bar").hidden = true;
  for (const name of ["section", "region", "wall"]) bench.viewer.showMesh(name, null);
}

async function beginResults() {
  reset();
  try {
    known = await start("measure-list", {});
  } catch (error) {
    return refuse(error.message);
  }
  byId("measure-line").hidden = !known.centreline_mm;
  await readLine();
  byId("measure-station").max = known.centreline_mm;
  const numbers = known.numbers.map((name, i) => [name, i]).filter(([name]) => name);
  byId("measure-colour").replaceChildren(make("option", { value: "" }, "nothing"), ...numbers.map(([name, i]) => make("option", { value: i }, shortName(name))));
  byId("measure-whole").replaceChildren(...[["", "the balls"], ["wall", "the wall"], ["sac", "the sac"], ...known.branches.map((name) => [`branch:${name}`, `the branch of ${name}`])].map(([value, label]) => make("option", { value }, label)));
}

// The value at the crosshair; while one is asked for, further ones wait.
let isReading = false, isMoved = false;
async function showValue() {
  if (byId("measure").hidden || !mode()) return;
  isMoved = isReading;
  if (isReading) return;
  isReading = true;
  try {
    const place = bench.viewer.place(), value = await start("measure-value", { plane: round(place) });
    const parts = [value.speed_m_s !== undefined ? `${number(value.speed_m_s)} m/s, ${number(value.pressure_pa)} Pa` : "", value.wall ? Object.entries(value.wall).slice(0, 2).map(([name, x]) => `${shortName(name)} ${number(x)}`).join(", ") : ""].filter(Boolean);
    if (parts.length) byId("place").textContent = `${placeText(place)} mm (LPS): ${parts.join("; on the wall ")}`;
  } catch { /* the place lies beyond the results */ }
  isReading = false;
  if (isMoved) showValue();
}

export function begin(of) {
  bench = of;
  bench.measured = () => ({ what, shown, balls });
  for (const input of document.querySelectorAll("input[name=measure]")) input.onchange = () => setMode(input.value);
  byId("measure-station").oninput = () => { byId("measure-pitch").value = byId("measure-yaw").value = 0; isFollowed = true; ask({ station: Number(byId("measure-station").value) }); };
  byId("measure-back").onclick = () => step(-1);
  byId("measure-on").onclick = () => step(1);
  byId("measure-pitch").oninput = byId("measure-yaw").oninput = turn;
  byId("measure-radius").oninput = () => { byId("measure-radius-is").textContent = ` ${byId("measure-radius").value} mm`; };
  byId("measure-radius").oninput();
  byId("measure-undo").onclick = () => { balls.pop(); regionOfBalls(); };
  byId("measure-clear").onclick = () => { balls = []; regionOfBalls(); };
  byId("measure-whole").onchange = () => { if (byId("measure-whole").value) { balls = []; ask({ region: byId("measure-whole").value }); } };
  byId("measure-keep-it").onclick = keep;
  byId("measure-name").oninput = nameButton;
  byId("measure-repeat").onclick = () => bench.begin("measure-repeat", {});
  byId("measure-colour").onchange = colour;
  // In 3D the viewer moves its crosshair to what a double click meets.
  const tell = bench.viewer.onPlace;
  bench.viewer.onPlace = (place, value) => { tell(place, value); showValue(); };
  bench.handles.add(sectionDragged);
  bench.onKey.unshift(useKey);
  bench.onState.push(showMeasure);
}
