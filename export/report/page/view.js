// The vessel in 3D, with NiiVue: the wall coloured by a quantity.
"use strict";
(async () => {
  const body = page.byId("view-body"), data = JSON.parse(page.byId("data-view").textContent);
  const giveUp = (reason) => {
    body.replaceChildren(page.make("p", { class: "warn" }, `${reason} The pictures below show the same.`));
    document.documentElement.dataset.view = "absent";
  };

  // ---- the data ----

  async function unpack(name) {
    const packed = Uint8Array.from(atob(page.byId(name).textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
  }
  async function readValues(of) {
    const q = new Uint16Array(await unpack(of.block)), scale = (of.high - of.low) / 65535;
    return Float32Array.from(q, (v) => of.low + scale * v);
  }
  // Converts LPS to RAS, NiiVue's axes.
  async function readPoints(of) {
    const q = new Uint16Array(await unpack(of.block)), points = new Float32Array(q.length);
    for (let i = 0; i < q.length; i++) {
      const a = i % 3;
      points[i] = (a < 2 ? -1 : 1) * (of.low[a] + ((of.high[a] - of.low[a]) * q[i]) / 65535);
    }
    return points;
  }
  async function readIndices(of) {
    const steps = new Int32Array(await unpack(of.block)), indices = new Uint32Array(steps.length);
    let last = 0;
    for (let i = 0; i < steps.length; i++) indices[i] = last += steps[i];
    return indices;
  }
  const toRas = (p) => [-p[0], -p[1], p[2]];

  // ---- the elements of the page ----

  const frame = page.make("div", { class: "view-frame" });
  const canvas = page.make("canvas", { tabindex: "0", role: "img", "aria-label": "The wall of the vessel in 3D, coloured by the quantity chosen below. Arrow keys turn it, plus and minus change its size, 0 resets it." });
  const labels = page.make("div", { class: "view-labels", "aria-hidden": "true" });
  const controls = page.make("div", { class: "controls" });
  const picked = page.make("p", { class: "hint", "aria-live": "polite" }, "Click on the wall to read a value. Drag to turn, or focus the picture and use the arrow keys; + and - change the size, 0 resets.");
  const bar = page.make("div", { class: "bar" });
  frame.append(canvas, labels);
  body.append(frame, bar, controls, picked);

  const field = (label, input, kind) => {
    const node = kind === "tick" ? page.make("label", { class: "tick" }, input, label) : page.make("label", { class: kind }, label, input);
    controls.append(node);
    return input;
  };
  const choice = (options) => page.make("select", {}, ...options.map(([value, text]) => page.make("option", { value }, text)));

  // Makes a tube along each line: {points, triangles, of: the line's point that each point belongs to}.
  function tubes(points, first, radius, sides = 4) {
    const of = [], place = [], corners = [];
    const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    const unit = (a) => { const l = Math.hypot(...a) || 1; return a.map((x) => x / l); };
    const at = (i) => [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
    for (let l = 0; l + 1 < first.length; l++) {
      let side = null;
      for (let i = first[l]; i < first[l + 1]; i++) {
        const along = unit(minus(at(Math.min(i + 1, first[l + 1] - 1)), at(Math.max(i - 1, first[l]))));
        side = unit(cross(along, side ? cross(side, along) : cross(Math.abs(along[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0], along)));
        const up = cross(along, side), begun = place.length / 3;
        for (let k = 0; k < sides; k++) {
          const c = radius * Math.cos((2 * Math.PI * k) / sides), s = radius * Math.sin((2 * Math.PI * k) / sides);
          for (let r = 0; r < 3; r++) place.push(points[3 * i + r] + c * side[r] + s * up[r]);
          of.push(i);
          if (i + 1 === first[l + 1]) continue;
          const next = (k + 1) % sides;
          corners.push(begun + k, begun + next, begun + sides + k, begun + next, begun + sides + next, begun + sides + k);
        }
      }
    }
    return { points: new Float32Array(place), triangles: new Uint32Array(corners), of };
  }

  // ---- the scene ----

  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  // A light ground in both modes: the dark ends of the colours have to stand out.
  const ground = () => (dark.matches ? [0.86, 0.89, 0.92, 1] : [1, 1, 1, 1]);
  let nv;
  try {
    if (!("DecompressionStream" in window)) throw new Error("this browser is too old for the 3D view");
    nv = new niivue.Niivue({ backColor: ground(), logLevel: "error", dragAndDropEnabled: false, loadingText: "", isOrientCube: false, isColorbar: false, show3Dcrosshair: false, scrollRequiresFocus: true, isOrientationTextVisible: true, isRadiologicalConvention: true, sliceType: niivue.SLICE_TYPE.RENDER });
    await nv.attachToCanvas(canvas);
  } catch (error) {
    giveUp(`The 3D view needs WebGL 2, which this browser does not provide (${error.message.replace(/\.$/, "")}).`);
    return;
  }

  const layerOf = (values, colormap, low, high) => ({
    values, colormap, cal_min: low, cal_max: high, global_min: low, global_max: high, opacity: 1, nFrame4D: 1, frame4D: 0,
    colormapNegative: "", useNegativeCmap: false, colormapInvert: false, colormapType: 0, isTransparentBelowCalMin: false,
    isAdditiveBlend: false, outlineBorder: 0, colorbarVisible: false, showLegend: false });

  function addSurface(name, points, triangles, layer) {
    const mesh = new niivue.NVMesh(points, triangles, name, new Uint8Array([200, 200, 200, 255]), 1, true, nv.gl);
    mesh.colorbarVisible = false;
    mesh.layers = [layer];
    mesh.updateMesh(nv.gl);
    nv.addMesh(mesh);
    return mesh;
  }

  // A shader with half of the light from all sides: the colours stay those of the bar.
  const shader = `#version 300 es
precision highp float;
uniform float opacity;
in vec4 vClr;
in vec3 vN;
out vec4 color;
void main() {
  float facing = abs(normalize(vN).z);
  color = vec4(vClr.rgb * (0.55 + 0.45 * facing), opacity);
}`;
  nv.meshShaders.push(nv.createCustomMeshShader(shader, "hemotile"), nv.createCustomMeshShader(shader.replace("(0.55 + 0.45 * facing)", "1.0"), "even"));

  const points = await readPoints(data.points), triangles = await readIndices(data.triangles);
  const read = new Map(); // quantity -> values
  const state = { quantity: null, values: null, low: 0, high: 1, colormap: "viridis" };
  let steps = null; // [moments][points], bytes
  async function valuesOfMoment(m) {
    steps ??= new Uint8Array(await unpack(data.moments.block));
    const count = points.length / 3, scale = data.moments.highest_pa[m] / 255 ** 2;
    return Float32Array.from(steps.subarray(m * count, (m + 1) * count), (s) => scale * s * s);
  }
  async function valuesOf(quantity) {
    if (quantity.id === "moment") return valuesOfMoment(Number(slider.value));
    if (!read.has(quantity.id)) read.set(quantity.id, await readValues(quantity.values));
    return read.get(quantity.id);
  }

  // ---- the colour bar ----

  function fillBar(at, title, colormap, low, middle, high, about) {
    const strip = page.make("canvas", { width: 256, height: 1, "aria-hidden": "true" }), context = strip.getContext("2d");
    const lut = nv.colormap(colormap), image = context.createImageData(256, 1);
    for (let i = 0; i < 256; i++) image.data.set([lut[4 * i], lut[4 * i + 1], lut[4 * i + 2], 255], 4 * i);
    context.putImageData(image, 0, 0);
    at.replaceChildren(page.make("span", { class: "title" }, title), page.make("span", {}, low), strip, page.make("span", {}, high),
      page.make("span", { class: "middle" }, middle), ...(about ? [page.make("span", { class: "hint all" }, about)] : []));
  }
  function drawBar() {
    const { quantity, low, high, values } = state, unit = quantity.unit ? " " + quantity.unit : "";
    let least = Infinity, most = -Infinity;
    for (const v of values) { least = Math.min(least, v); most = Math.max(most, v); }
    const below = least < low - 1e-6 * Math.abs(low) ? "≤ " : "", above = most > high ? "≥ " : "";
    fillBar(bar, quantity.label + (quantity.unit ? `, ${quantity.unit}` : ""), state.colormap, below + page.number(low) + unit, page.number((low + high) / 2) + unit, above + page.number(high) + unit,
      `${quantity.about} On the wall from ${page.number(Math.abs(least) < 1e-3 * most ? 0 : least)} to ${page.number(most)}${unit}.`);
  }

  // ---- controls ----

  const quantities = data.quantities, moments = data.moments;
  if (moments) {
    const peak = quantities.find((q) => q.id === "wss_peak");
    quantities.splice(1, 0, { id: "moment", label: "Wall shear stress, moving over the beat", unit: "Pa", about: "Move the slider below through the beat.", bar_low: 0, bar_high: peak ? peak.bar_high : Math.max(...moments.highest_pa) });
  }
  const select = field("Colour by", choice(quantities.map((q) => [q.id, q.label])), "wide");
  const map = field("Colours", choice([["viridis", "viridis"], ["cividis", "cividis"], ["gray", "grey"]]));
  const low = field("From", page.make("input", { type: "number", step: "any", size: 6, style: "width: 6.5rem" }));
  const high = field("to", page.make("input", { type: "number", step: "any", size: 6, style: "width: 6.5rem" }));
  const named = field("Names of openings", page.make("input", { type: "checkbox", checked: "" }), "tick");

  // The slider over the beat; choosing it shows the quantity that moves.
  const slider = page.make("input", { type: "range", min: 0, max: moments ? moments.time_s.length - 1 : 0, step: 1, value: 0 });
  const play = page.make("button", { type: "button", "aria-pressed": "false" }, "Play");
  if (moments) {
    const time = page.make("output", {}), row = page.make("div", { class: "controls" }, page.make("label", { class: "wide" }, page.make("span", {}, "Moment of the beat: ", time), slider), play);
    controls.before(row);
    const tell = () => {
      const text = `${page.number(moments.time_s[slider.value])} s of ${page.number(page.summary.flow.period_s)} s`;
      time.textContent = text;
      slider.setAttribute("aria-valuetext", text);
    };
    const move = async () => {
      tell();
      if (state.quantity.id !== "moment") {
        select.value = "moment";
        await show(quantities.find((q) => q.id === "moment"));
        return;
      }
      state.values = await valuesOfMoment(Number(slider.value));
      drawBar();
      paint();
    };
    tell();
    slider.addEventListener("input", move);
    let timer = 0;
    play.addEventListener("click", () => {
      const runs = timer !== 0;
      clearInterval(timer);
      timer = runs ? 0 : setInterval(() => { slider.value = (Number(slider.value) + 1) % moments.time_s.length; move(); }, 160);
      play.textContent = runs ? "Play" : "Stop";
      play.setAttribute("aria-pressed", String(!runs));
    });
  }

  await show(quantities[0]);
  const wall = addSurface("wall", points, triangles, layerOf(state.values, state.colormap, state.low, state.high));
  nv.setMeshShader(wall.id, "hemotile");
  nv.setSliceType(niivue.SLICE_TYPE.RENDER);
  // Keeps the vessel in the middle, whatever is shown with it.
  nv.setPivot3D();
  // NiiVue shows 0.8 of half the box's diagonal up and down, which would cut a long straight vessel at both ends.
  const { pivot3D } = nv, furthestFromPivot = Math.max(nv.furthestFromPivot, (0.55 / 0.8) * (data.points.high[2] - data.points.low[2]));
  nv.setPivot3D = () => Object.assign(nv, { pivot3D: [...pivot3D], furthestFromPivot });

  function paint() {
    if (!wallIsThere()) return;
    wall.layers[0] = layerOf(state.values, state.colormap, state.low, state.high);
    wall.updateMesh(nv.gl);
    nv.drawScene();
  }
  function wallIsThere() { return nv.meshes.length > 0; }
  async function show(quantity) {
    state.quantity = quantity;
    state.values = await valuesOf(quantity);
    state.low = quantity.bar_low ?? quantity.values.low;
    state.high = quantity.bar_high ?? quantity.values.high;
    if (!(state.high > state.low)) state.high = state.low + 1;
    low.value = Number(state.low.toPrecision(4));
    high.value = Number(state.high.toPrecision(4));
    drawBar();
    paint();
  }
  select.addEventListener("change", () => show(quantities.find((q) => q.id === select.value)));
  map.addEventListener("change", () => { state.colormap = map.value; drawBar(); paint(); });
  for (const input of [low, high])
    input.addEventListener("change", () => {
      const from = Number(low.value), to = Number(high.value);
      if (!(to > from)) return;
      [state.low, state.high] = [from, to];
      drawBar();
      paint();
    });

  // ---- streamlines ----

  const size = Math.hypot(...data.points.high.map((h, a) => h - data.points.low[a]));
  const clear = field("Wall", choice([["1", "solid"], ["0.25", "clear"], ["0", "hidden"]]));
  const setWall = () => { wall.opacity = Number(clear.value); wall.visible = wall.opacity > 0; nv.drawScene(); };
  clear.addEventListener("change", setWall);
  const lineBar = page.make("div", { class: "bar", hidden: "" });
  bar.after(lineBar);
  let lines = null;
  if (data.streamlines) {
    const from = data.streamlines, tick = field("Streamlines", page.make("input", { type: "checkbox" }), "tick");
    const make_lines = async () => {
      const speed = await readValues(from.speed_m_s);
      const end = from.bar_high ?? from.speed_m_s.high, above = from.speed_m_s.high > end ? "≥ " : "";
      const shape = tubes(await readPoints(from.points), await readIndices(from.first), size / 400);
      lines = addSurface("streamlines", shape.points, shape.triangles, layerOf(Float32Array.from(shape.of, (i) => speed[i]), "inferno", 0, end));
      nv.setMeshShader(lines.id, "hemotile");
      fillBar(lineBar, "Speed along the streamlines, m/s" + (from.time_s === undefined ? "" : `, ${page.number(from.time_s)} s after the beat's start`), "inferno", "0 m/s", `${page.number(end / 2)} m/s`, `${above}${page.number(end)} m/s`);
    };
    tick.addEventListener("change", async () => {
      if (!lines) await make_lines();
      lines.visible = tick.checked;
      lineBar.hidden = !tick.checked;
      clear.value = tick.checked ? "0.25" : "1";
      setWall();
    });
  }

  // ---- the scan ----

  // Makes a NIfTI image (348 bytes of header, 4 of extension) of the bytes: NiiVue reads nothing simpler.
  async function readScan(of) {
    const shades = new Uint8Array(await unpack(of.block)), bytes = new Uint8Array(352 + shades.length), header = new DataView(bytes.buffer);
    header.setInt32(0, 348, true);
    [3, ...of.dim, 1, 1, 1, 1].forEach((n, i) => header.setInt16(40 + 2 * i, n, true));
    header.setInt16(70, 2, true); // uint8
    header.setInt16(72, 8, true);
    [1, ...of.spacing_mm].forEach((mm, i) => header.setFloat32(76 + 4 * i, mm, true));
    header.setFloat32(108, 352, true);
    header.setFloat32(112, 1, true);
    header.setUint8(123, 2); // mm
    header.setInt16(254, 1, true); // the position comes from the three rows
    for (let r = 0; r < 3; r++) {
      const sign = r < 2 ? -1 : 1; // LPS to RAS
      for (let a = 0; a < 3; a++) header.setFloat32(280 + 16 * r + 4 * a, sign * of.direction[3 * r + a] * of.spacing_mm[a], true);
      header.setFloat32(292 + 16 * r, sign * of.origin_mm[r], true);
    }
    [110, 43, 49].forEach((c, i) => header.setUint8(344 + i, c)); // "n+1"
    bytes.set(shades, 352);
    return niivue.NVImage.new(bytes.buffer, "scan.nii", "gray", 1, null, 0, 255);
  }
  if (data.scan) {
    const of = data.scan, across = ["sagittal", "coronal", "axial"], shades = new Uint8Array(await unpack(of.block));
    // The axis of the grid that is nearest to each of the body's axes.
    const axisOf = [0, 1, 2].map((r) => [0, 1, 2].reduce((best, a) => (Math.abs(of.direction[3 * r + a]) > Math.abs(of.direction[3 * r + best]) ? a : best), 0));
    const mode = field("Scan", choice([["none", "hidden"], ...[2, 1, 0].map((r) => [String(r), `${across[r]} slice in 3D`]), ["slices", "three slices next to it"]]));
    const place = field("Place of the slice", page.make("input", { type: "range", step: 1, min: 0 }), "wide");
    place.parentElement.hidden = true;
    let volume = null, plane = null;
    nv.drawImage3D = () => {}; // in 3D the slice is a surface: a clouded volume would hide the vessel
    // Makes a slice as a surface whose points are the voxels.
    function planeAt(axis, n) {
      const [u, v] = [0, 1, 2].filter((a) => a !== axis), points = [], corners = [], values = [];
      const step = [1, of.dim[0], of.dim[0] * of.dim[1]];
      for (let j = 0; j < of.dim[v]; j++)
        for (let i = 0; i < of.dim[u]; i++) {
          const at = [0, 0, 0];
          [at[axis], at[u], at[v]] = [n, i, j];
          points.push(...toRas([0, 1, 2].map((r) => of.origin_mm[r] + at.reduce((sum, c, a) => sum + of.direction[3 * r + a] * of.spacing_mm[a] * c, 0))));
          values.push(shades[at[0] * step[0] + at[1] * step[1] + at[2] * step[2]]);
          const p = j * of.dim[u] + i;
          if (i > 0 && j > 0) {
            const [q, r, s] = [p - 1, p - of.dim[u], p - of.dim[u] - 1];
            corners.push(p, q, r, q, s, r, q, p, r, s, q, r); // seen from both sides
          }
        }
      return addSurface("scan", new Float32Array(points), new Uint32Array(corners), layerOf(new Float32Array(values), "gray", 0, 255));
    }
    const setPlane = () => {
      if (plane) nv.removeMesh(plane);
      plane = null;
      if (!"012".includes(mode.value)) return;
      plane = planeAt(axisOf[mode.value], Number(place.value));
      nv.setMeshShader(plane.id, "even");
    };
    const setMode = async () => {
      const is_plane = "012".includes(mode.value), is_slices = mode.value === "slices";
      place.parentElement.hidden = !is_plane;
      if (is_plane) {
        place.max = of.dim[axisOf[mode.value]] - 1;
        place.value = Math.round(place.max / 2);
      }
      setPlane();
      if (is_slices && !volume) nv.addVolume(volume = await readScan(of));
      if (!is_slices && volume) {
        nv.removeVolume(volume);
        volume = null;
      }
      nv.setSliceType(is_slices ? niivue.SLICE_TYPE.MULTIPLANAR : niivue.SLICE_TYPE.RENDER);
      nv.drawScene();
    };
    Object.assign(nv.opts, { multiplanarShowRender: niivue.SHOW_RENDER.ALWAYS, multiplanarLayout: niivue.MULTIPLANAR_TYPE.GRID, meshThicknessOn2D: 0.5, crosshairWidth: 0.5 });
    mode.addEventListener("change", setMode);
    place.addEventListener("input", setPlane);
  }

  // ---- openings ----

  const tags = data.openings.map((o) => {
    const words = o.name.toLowerCase().includes(o.role) ? o.name : `${o.name} (${o.role})`;
    const node = page.make("span", {}, words);
    labels.append(node);
    // The place of a name, a little outside the vessel.
    const away = Math.max(0.5 * o.radius_mm, 0.02 * size);
    return { node, from: toRas(o.centre_mm), at: toRas(o.centre_mm.map((c, a) => c + o.direction[a] * away)) };
  });
  if (page.kind.sac) {
    const { neck_mm: neck, neck_normal: normal, height_mm: height } = page.kind.sac;
    const node = page.make("span", {}, "sac");
    labels.append(node);
    const top = (more) => toRas(neck.map((c, a) => c + normal[a] * (height + more)));
    tags.push({ node, from: top(0), at: top(0.02 * size) });
  }
  // Finds a point of the scene on the canvas, in CSS pixels, with its depth.
  function project(at) {
    const ratio = canvas.width / canvas.clientWidth, m = nv.calculateMvpMatrix(null, [0, 0, canvas.width, canvas.height], nv.scene.renderAzimuth, nv.scene.renderElevation)[0];
    const clip = [0, 1, 2, 3].map((r) => m[r] * at[0] + m[4 + r] * at[1] + m[8 + r] * at[2] + m[12 + r]);
    return [((clip[0] / clip[3] + 1) / 2) * canvas.width / ratio, ((1 - clip[1] / clip[3]) / 2) * canvas.height / ratio, clip[2] / clip[3]];
  }
  // A thin line leads from each name to its opening.
  const leads = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  labels.prepend(leads);
  for (const tag of tags) leads.append((tag.lead = document.createElementNS("http://www.w3.org/2000/svg", "line")));
  // Some 200 places on the wall, for names to keep clear of.
  const vesselPoints = [];
  for (let i = 0; i < points.length; i += 3 * Math.ceil(points.length / 600)) vesselPoints.push([points[i], points[i + 1], points[i + 2]]);
  // Places a name near its opening and beyond it, clear of the other names, of all openings and of the vessel.
  function placeTag({ node, from, at }, openings, vessel, taken) {
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight], half = node.offsetWidth / 2 + 4, tall = 13;
    const [x, y] = project(at), [x0, y0] = project(from), way = Math.hypot(x - x0, y - y0) || 1;
    const wanted = [x + (half * (x - x0)) / way, y + (tall * (y - y0)) / way];
    const inward = (p) => Math.hypot(wanted[0] - wide / 2, wanted[1] - high / 2) - Math.hypot(p[0] - wide / 2, p[1] - high / 2);
    let best = null;
    for (let i = -6; i <= 6; i++)
      for (let j = -6; j <= 6; j++) {
        const p = [Math.max(half, Math.min(wide - half, wanted[0] + 28 * i)), Math.max(tall, Math.min(high - tall, wanted[1] + 13 * j))];
        const covers = (q, more, tip) => Math.abs(q[0] - p[0]) < half + more && Math.abs(q[1] - p[1]) < tall + tip;
        const cost = Math.hypot(p[0] - wanted[0], p[1] - wanted[1]) + Math.max(0, inward(p)) + 1000 * taken.filter((t) => covers(t.p, t.half, tall)).length + 200 * openings.filter((o) => covers(o, 2, 2)).length + 15 * vessel.filter((v) => covers(v, 0, 0)).length;
        if (!best || cost < best.cost) best = { cost, p, half, opening: [x0, y0] };
      }
    taken.push(best);
    return best;
  }
  function placeTags() {
    const shown = named.checked && nv.opts.sliceType === niivue.SLICE_TYPE.RENDER;
    labels.hidden = !shown;
    if (!shown || !(canvas.clientWidth && canvas.width)) return; // in print the view has no size
    const taken = [], openings = tags.map((tag) => project(tag.from)), vessel = vesselPoints.map(project);
    for (const tag of tags) {
      const { p, opening } = placeTag(tag, openings, vessel, taken);
      [tag.node.style.left, tag.node.style.top] = p.map((c) => `${c}px`);
      Object.entries({ x1: opening[0], y1: opening[1], x2: p[0], y2: p[1] }).forEach(([key, value]) => tag.lead.setAttribute(key, value));
    }
  }
  const drawScene = nv.drawScene.bind(nv);
  nv.drawScene = (...all) => {
    const result = drawScene(...all);
    placeTags();
    return result;
  };
  named.addEventListener("change", placeTags);

  // ---- keys, clicks, colours of the page ----

  const home = [110, 10];
  const turn = (azimuth, elevation) => nv.setRenderAzimuthElevation(nv.scene.renderAzimuth + azimuth, Math.max(-90, Math.min(90, nv.scene.renderElevation + elevation)));
  const resize = (factor) => nv.setScale(Math.max(0.3, Math.min(10, nv.scene.volScaleMultiplier * factor)));
  const reset = () => { nv.setRenderAzimuthElevation(...home); nv.setScale(0.85); };
  const keys = { ArrowLeft: () => turn(-10, 0), ArrowRight: () => turn(10, 0), ArrowUp: () => turn(0, 10), ArrowDown: () => turn(0, -10), "+": () => resize(1.15), "=": () => resize(1.15), "-": () => resize(1 / 1.15), 0: reset };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== "Tab") event.stopImmediatePropagation(); // NiiVue's keys do other things
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }, true);
  canvas.addEventListener("keyup", (event) => event.stopImmediatePropagation(), true);

  let pressed = null;
  canvas.addEventListener("pointerdown", (event) => (pressed = [event.offsetX, event.offsetY]));
  canvas.addEventListener("click", (event) => {
    if (pressed && Math.hypot(event.offsetX - pressed[0], event.offsetY - pressed[1]) > 4) return;
    let best = -1, depth = Infinity;
    for (let i = 0; i < points.length; i += 3) {
      const [x, y, z] = project([points[i], points[i + 1], points[i + 2]]);
      if (Math.hypot(x - event.offsetX, y - event.offsetY) < 7 && z < depth) [best, depth] = [i, z];
    }
    if (best < 0) return;
    const at = [-points[best], -points[best + 1], points[best + 2]].map((c) => c.toFixed(1)).join(", ");
    picked.textContent = `${state.quantity.label}: ${page.number(state.values[best / 3])}${state.quantity.unit ? " " + state.quantity.unit : ""} at (${at}) mm, LPS.`;
  });
  const button = (text, action) => {
    const node = page.make("button", { type: "button" }, text);
    node.addEventListener("click", action);
    controls.append(node);
  };
  button("Reset view", reset);
  dark.addEventListener("change", () => { nv.opts.backColor = ground(); nv.drawScene(); });

  reset();
  nv.drawScene();
  window.hemotileView = { nv, state, show, quantities };
  document.documentElement.dataset.view = "ready";
})().catch((error) => { console.error(error); document.documentElement.dataset.view = "failed"; });
