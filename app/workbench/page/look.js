// What helps to see: the vessels that could be meant, the places where the quality is low, thick slices.
import { readFile } from "./api.js";
import { byId, make, placeText } from "./page.js";
import { across, unit } from "./vector.js";

const colours = [[230, 159, 0], [86, 180, 233], [0, 158, 115], [240, 228, 66], [213, 94, 0], [204, 121, 167]]; // told apart by the colour-blind

// A tube around stations [x, y, z, radius], six-sided: {points, triangles}.
function tubeOf(stations) {
  const sides = 6, points = [], triangles = [];
  stations.forEach((at, i) => {
    const before = stations[Math.max(0, i - 1)], next = stations[Math.min(stations.length - 1, i + 1)];
    const [u, v] = across(unit([0, 1, 2].map((r) => next[r] - before[r])));
    for (let s = 0; s < sides; s++) {
      const angle = (2 * Math.PI * s) / sides;
      points.push(...[0, 1, 2].map((r) => at[r] + 0.6 * at[3] * (Math.cos(angle) * u[r] + Math.sin(angle) * v[r])));
      if (i === 0) continue;
      const a = (i - 1) * sides + s, b = (i - 1) * sides + ((s + 1) % sides);
      triangles.push(a, b, a + sides, b, b + sides, a + sides);
    }
  });
  return { points, triangles };
}

let bench;
let shown = 0; // number of candidates in the view

// ---- the vessels that could be meant ----

async function showCandidates() {
  const known = bench.fileOf("candidates.json"), file = known?.stamp > (bench.fileOf("vessel.stl")?.stamp ?? 0) ? known : undefined, list = byId("candidates"), key = String(file?.stamp ?? 0);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  const found = file ? (await (await readFile(file)).json()).candidates : [];
  byId("candidates-part").hidden = found.length === 0;
  list.replaceChildren(...found.map((one) => {
    const stations = one.centreline_x_y_z_radius_mm, middle = stations[stations.length >> 1].slice(0, 3), colour = colours[(one.vessel - 1) % colours.length];
    return make("li", {}, make("span", { class: "swatch", style: `background: rgb(${colour})` }), ` ${one.length_mm.toFixed(0)} mm long, ${(2 * one.mean_radius_mm).toFixed(1)} mm wide, from ${placeText(one.from_mm)}`,
      make("button", { type: "button", onclick: () => bench.go(middle), "aria-label": `Show vessel ${one.vessel}` }, "show"),
      make("button", { type: "button", class: "take", onclick: () => bench.begin("segment", { vessel: one.vessel }), "aria-label": `Take vessel ${one.vessel}` }, "take"));
  }));
  for (let n = found.length; n < shown; n++) bench.viewer.showMesh(`candidate ${n}`, null);
  found.forEach((one, n) => {
    const tube = tubeOf(one.centreline_x_y_z_radius_mm);
    bench.viewer.showMesh(`candidate ${n}`, tube.points, tube.triangles, [...colours[n % colours.length], 255]);
  });
  shown = found.length;
}

// ---- the places where the quality is low ----

const marks = {
  lowest_contrast_at: () => "the contrast to noise is lowest",
  without_edge: (one) => `the wall has no edge in the scan, ${one.area_mm2.toFixed(1)} mm²`,
  touching: (one) => `something touches the vessel, ${one.area_mm2.toFixed(1)} mm²`,
  too_bright: () => "far brighter than blood",
  too_dark: () => "far darker than blood",
  thinnest_at: () => "the vessel is thinnest",
};

async function showMarks() {
  const file = bench.fileOf("manifest.json"), list = byId("marks"), key = String(file?.stamp ?? 0);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  const quality = file ? ((await (await readFile(file)).json()).quality ?? {}) : {};
  const known = Object.entries(marks).filter(([name]) => quality[name]?.centre_mm);
  byId("marks-part").hidden = known.length === 0;
  list.replaceChildren(...known.map(([name, text]) => make("li", {}, make("button", { type: "button", onclick: () => bench.go(quality[name].centre_mm) }, text(quality[name])))));
}

// ---- thick slices ----

function setSlab() {
  const layout = byId("layout"), mm = Number(byId("slab").value);
  if (mm && /multi|render/.test(layout.value)) {
    layout.value = "axial";
    bench.viewer.setLayout("axial");
  }
  bench.viewer.setSlab(mm, layout.value);
}

export function begin(of) {
  bench = of;
  byId("slab").onchange = setSlab;
  byId("layout").addEventListener("change", () => {
    if (/multi|render/.test(byId("layout").value)) byId("slab").value = "0";
    setSlab();
  });
  bench.onState.push(showMarks, showCandidates);
}
