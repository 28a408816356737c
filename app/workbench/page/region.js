// Part 1, without points: a threshold within a box, and the piece of vessel at a seed. They are settings of the case.
import { byId, placeText } from "./page.js";
import { makeField } from "./settings.js";
import { add, minus } from "./vector.js";

const colour = "#56b4e9", least = 0.5; // mm between two faces

let bench, settings, kindOf;
let box = null;    // [low, high] LPS mm as it is shown; null: none
let corner = null; // of a box whose other corner is not given yet
let isHeld = false;

const read = (key) => { const text = settings.key(key)?.value; return text && text !== "auto" ? JSON.parse(text) : null; };
const text = (p) => `[${p.map((x) => Number(x.toFixed(2))).join(", ")}]`;
const seed = () => read("segment.seed_mm");

// ---- the box ----

function ofCase() {
  const [low, high] = [read("region.min_mm"), read("region.max_mm")];
  return low && high ? [low, high] : null;
}

// Box of two corners in the axes that are given, else as it was or as the scan.
function between(a, b, axes) {
  const [low, high] = (box ?? bench.viewer.extent()).map((p) => [...p]);
  for (const k of axes) [low[k], high[k]] = [Math.min(a[k], b[k]), Math.max(a[k], b[k])];
  return [low, high];
}

const noBox = [["region.min_mm", ""], ["region.max_mm", ""]];

async function setBox(next) {
  box = next;
  const problem = await settings.change(next ? [["region.min_mm", text(next[0])], ["region.max_mm", text(next[1])]] : noBox);
  if (problem) bench.tell(problem);
  show();
}

const pairs = (own, other, bound) => (typed) => (typed === "" ? noBox : [[own, typed], [other, settings.key(other)?.value || text(bench.viewer.extent()[bound])]]);

// Corner by the crosshair, with keys alone.
function takeCorner(isSecond) {
  const place = bench.viewer.place();
  if (!isSecond) {
    corner = place;
    byId("region-note").textContent = `From ${placeText(place)} mm: now move the crosshair to the opposite corner.`;
    return;
  }
  if (!corner) return bench.tell("Give the first corner before the opposite one.");
  const next = between(corner, place, [0, 1, 2]);
  if (next[0].some((x, k) => next[1][k] - x < least)) return bench.tell("The two corners lie in one plane: move the crosshair along all three axes.");
  corner = null;
  setBox(next);
}

// ---- in the view ----

// Edges of a slice's part that lies in the box: [{points, face: [axis, 0 or 1] or null}].
function outline(slice, [low, high]) {
  let edges = slice.corners.map((c, i) => ({ from: slice.place(c), face: null }));
  for (let axis = 0; axis < 3; axis++)
    for (const side of [0, 1]) {
      const inside = (p) => (side ? high[axis] - p[axis] : p[axis] - low[axis]), kept = [];
      edges.forEach((edge, i) => {
        const to = edges[(i + 1) % edges.length].from, a = inside(edge.from), b = inside(to);
        if (a >= 0) kept.push(edge);
        if (a >= 0 !== b >= 0) kept.push({ from: add(edge.from, minus(to, edge.from), a / (a - b)), face: a >= 0 ? [axis, side] : edge.face });
      });
      edges = kept;
    }
  return edges.map((edge, i) => ({ face: edge.face, points: [slice.pixel(edge.from), slice.pixel(edges[(i + 1) % edges.length].from)] }));
}

// Whether the scan's axes are not the body's: then the voxels' own box around the drawn one counts.
function used() {
  const corners = bench.viewer.around(...box), off = Math.max(...corners.map((p) => Math.max(...[0, 1, 2].map((a) => Math.max(box[0][a] - p[a], p[a] - box[1][a])))));
  return off > 1 ? corners : null;
}

function usedOutline(slice, corners) {
  const pairsOf = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((c) => [1, 2, 4].filter((bit) => !(c & bit)).map((bit) => [corners[c], corners[c | bit]]));
  const cuts = pairsOf.map(([a, b]) => [slice.off(a), slice.off(b), a, b]).filter(([x, y]) => x >= 0 !== y >= 0).map(([x, y, a, b]) => slice.pixel(add(a, minus(b, a), x / (x - y))));
  if (cuts.length < 3) return null;
  const middle = [0, 1].map((k) => cuts.reduce((sum, p) => sum + p[k], 0) / cuts.length);
  return cuts.sort((p, q) => Math.atan2(p[1] - middle[1], p[0] - middle[0]) - Math.atan2(q[1] - middle[1], q[0] - middle[0]));
}

const handles = {
  lines(view) {
    const list = [], place = seed();
    if (box) {
      const corners = used();
      for (const slice of view.slices) {
        const edges = outline(slice, box), around = corners && usedOutline(slice, corners);
        for (const edge of edges) if (edge.face) list.push({ points: edge.points, colour });
        if (around) list.push({ points: around, isClosed: true, isDashed: true, colour });
      }
    }
    for (const slice of place ? view.slices : []) {
      const [x, y] = slice.pixel(place);
      if (Math.abs(slice.off(place)) < 1.5 && slice.has([x, y])) for (const s of [1, -1]) list.push({ points: [[x - 7, y - 7 * s], [x + 7, y + 7 * s]], colour: "#f0e442" });
    }
    return list;
  },
  grips(view) {
    const list = [];
    for (const slice of box && !bench.isBusy() ? view.slices : []) {
      const edges = outline(slice, box), grip = (x, y, faces) => list.push({ x, y, at: slice, faces, colour, key: `box ${faces.join("|")}` });
      edges.forEach((edge, i) => {
        const next = edges[(i + 1) % edges.length], [a, b] = edge.points;
        if (edge.face && Math.hypot(b[0] - a[0], b[1] - a[1]) > 30) grip((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, [edge.face]);
        if (edge.face && next.face) grip(...b, [edge.face, next.face]);
      });
    }
    return list;
  },
  begin(at, pixel) {
    if (kindOf() !== "box" || bench.isBusy()) return null;
    const across = [0, 1, 2].reduce((best, k) => (Math.abs(at.normal[k]) > Math.abs(at.normal[best]) ? k : best), 0);
    return { at, from: at.place(pixel), axes: [0, 1, 2].filter((k) => k !== across), was: box, key: "new" };
  },
  drag(grip, pixel) {
    const place = grip.at.place(pixel), [lowest, highest] = bench.viewer.extent();
    isHeld = true;
    if (grip.from) {
      box = grip.was;
      box = between(grip.from, place, grip.axes);
    } else {
      grip.was ??= box;
      box = box.map((p) => [...p]);
      for (const [axis, side] of grip.faces) box[side][axis] = side ? Math.min(highest[axis], Math.max(box[0][axis] + least, place[axis])) : Math.max(lowest[axis], Math.min(box[1][axis] - least, place[axis]));
    }
    showNumbers();
  },
  drop(grip, isCancelled) {
    const isMoved = isHeld;
    isHeld = false;
    if (isCancelled || (grip.from && box && grip.axes.some((k) => box[1][k] - box[0][k] < least))) box = grip.was;
    else if (isMoved) return setBox(box);
    show();
  },
};

// Edges of the box in 3D, as thin rods.
function showRods() {
  if (!box) return bench.viewer.showMesh("box", null);
  const points = [], triangles = [], thick = 0.004 * Math.hypot(...minus(box[1], box[0]));
  for (let c = 0; c < 8; c++)
    for (const axis of [0, 1, 2].filter((k) => !((c >> k) & 1))) {
      const end = (side) => [0, 1, 2].map((k) => box[k === axis ? side : (c >> k) & 1][k]), [u, v] = [0, 1, 2].filter((k) => k !== axis), first = points.length / 3;
      for (const side of [0, 1])
        for (const [a, b] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) { const p = end(side); p[u] += a * thick; p[v] += b * thick; points.push(...p); }
      for (let k = 0; k < 4; k++) { const n = (k + 1) % 4; triangles.push(first + k, first + n, first + 4 + k, first + n, first + 4 + n, first + 4 + k); }
    }
  bench.viewer.showMesh("box", points, triangles, [86, 180, 233, 255]);
}

// ---- the numbers ----

function showNumbers() {
  byId("region-size").textContent = box ? `${minus(box[1], box[0]).map((x) => x.toFixed(1)).join(" x ")} mm` : "";
}

let shown = "";
function show() {
  if (isHeld || !settings.now || !bench.viewer.hasScan()) return;
  box = ofCase();
  showNumbers();
  byId("region-none").disabled = !box;
  byId("seed-none").disabled = !seed();
  byId("region-note").textContent = box && used() ? "The scan is oblique: what counts is the dashed box of its voxels around this one." : "";
  const key = JSON.stringify(box);
  if (key !== shown) showRods();
  shown = key;
  bench.handles.draw();
}

export async function setSeed(place) {
  const problem = await settings.change([["segment.seed_mm", place ? text(place) : ""]]);
  if (problem) bench.tell(problem);
  show();
}

export function begin(of, kind) {
  bench = of;
  settings = bench.settings;
  kindOf = kind;
  const put = (id, list) => byId(id).replaceChildren(...list.map((one) => makeField(settings, one).node)), parts = ["x", "y", "z"];
  put("threshold-fields", [
    { key: "segment.preset", id: "preset", label: "Kind of scan", words: { auto: "by the scan's tags", none: "none", "tof-mra": "TOF MRA", "cta-head": "CTA of the head", "cta-aorta": "CTA of the aorta", "3dra": "3D rotational angiography" } },
    { key: "segment.lower", id: "lower", label: "Lowest intensity of blood", placeholder: "automatic" },
    { key: "segment.upper", id: "upper", label: "Highest intensity", placeholder: "none" },
  ]);
  put("seed-field", [{ key: "segment.seed_mm", id: "seed", label: "Seed: keep the piece at, mm (LPS)", parts, empty: "" }]);
  put("region-fields", [
    { key: "region.min_mm", id: "region-min", label: "Box from, mm (LPS)", parts, empty: "", pairs: pairs("region.min_mm", "region.max_mm", 1) },
    { key: "region.max_mm", id: "region-max", label: "Box to, mm (LPS)", parts, empty: "", pairs: pairs("region.max_mm", "region.min_mm", 0) },
  ]);
  byId("region-first").onclick = () => takeCorner(false);
  byId("region-second").onclick = () => takeCorner(true);
  byId("region-none").onclick = () => setBox(null);
  byId("seed-none").onclick = () => setSeed(null);
  settings.onChange.push(show);
  bench.onState.push(() => show());
  bench.handles.add(handles);
  bench.region = () => box; // for tests
}
