// The one file that knows the viewer (NiiVue). Places are LPS in mm; NiiVue's are RAS.
import { fileAddress } from "./api.js";
import { add, across, cross, dot, minus, unit } from "./vector.js";

const flip = (p) => [-p[0], -p[1], p[2]];
// Solves M (x, 1) = (clip, 1) for x; M is an affine matrix by columns.
function solve(matrix, clip) {
  const a = [0, 1, 2].map((r) => [0, 1, 2].map((c) => matrix[4 * c + r])), b = clip.map((x, r) => x - matrix[12 + r]);
  const det = (m) => m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  return [0, 1, 2].map((k) => det(a.map((row, r) => row.map((x, c) => (c === k ? b[r] : x)))) / det(a));
}

// The mask as a file in NIfTI, which the viewer reads; `affine`: rows from voxels to RAS mm.
function niftiOf(mask) {
  const file = new ArrayBuffer(352 + mask.voxels.length), head = new DataView(file), { nx, ny, nz } = mask.window;
  head.setInt32(0, 348, true);
  [3, nx, ny, nz, 1, 1, 1, 1].forEach((n, i) => head.setInt16(40 + 2 * i, n, true));
  head.setInt16(70, 2, true); // bytes
  head.setInt16(72, 8, true);
  [1, mask.voxel_mm, mask.voxel_mm, mask.voxel_mm].forEach((x, i) => head.setFloat32(76 + 4 * i, x, true));
  head.setFloat32(108, 352, true);
  head.setFloat32(112, 1, true);
  head.setInt16(254, 1, true);
  mask.affine.forEach((x, i) => head.setFloat32(280 + 4 * i, x, true));
  head.setUint32(344, 0x0031_2b6e, true); // "n+1"
  new Uint8Array(file, 352).set(mask.voxels);
  return file;
}

const types = { multi: 3, render: 4, axial: 0, coronal: 1, sagittal: 2 };

// Colours of the planes, which differ also in brightness, and of one that is lit.
const planeColours = { inlet: [60, 150, 255], outlet: [255, 200, 40], wall: [150, 150, 150] }, litColour = [255, 255, 255];

// Makes flat cylinders, as one mesh in RAS.
function discs(planes) {
  const sides = 40, thickness = 0.15, pts = [], tris = [], colours = [];
  for (const plane of planes) {
    const n = flip(plane.normal), c = flip(plane.place), r = plane.radius * (plane.isLit ? 1.5 : 1.25), from = pts.length / 3;
    const [u, v] = across(n);
    const colour = [...(plane.isLit ? litColour : planeColours[plane.kind] ?? planeColours.wall), 255];
    for (const side of [-1, 1]) {
      const centre = c.map((x, a) => x + side * thickness * n[a]);
      pts.push(...centre);
      for (let k = 0; k < sides; k++) pts.push(...centre.map((x, a) => x + r * (Math.cos((2 * Math.PI * k) / sides) * u[a] + Math.sin((2 * Math.PI * k) / sides) * v[a])));
    }
    for (let i = 0; i < 2 * (sides + 1); i++) colours.push(...colour);
    const low = from, high = from + sides + 1;
    for (let k = 0; k < sides; k++) {
      const [a, b] = [1 + k, 1 + ((k + 1) % sides)];
      tris.push(low, low + b, low + a, high, high + a, high + b, low + a, low + b, high + a, low + b, high + b, high + a);
    }
  }
  return { pts: new Float32Array(pts), tris: new Uint32Array(tris), colours: new Uint8Array(colours) };
}

// The brightest of each value and the next `count` ones along an axis, or (sign -1) those before.
function brightestBeside(values, stride, block, count, sign) {
  let now = values;
  for (let wide = 1; wide <= count; ) { // now: of `wide` values
    const more = Math.min(wide, count + 1 - wide), step = more * stride, next = now.slice(), off = sign > 0 ? 0 : step;
    for (let begin = 0; begin < now.length; begin += block)
      for (let i = begin + off, last = begin + block - step + off; i < last; i++) if (now[i + sign * step] > next[i]) next[i] = now[i + sign * step];
    now = next;
    wide += more;
  }
  return now;
}

// The brightest of `count` voxels along an axis around each, of values of these dimensions.
function brightest(values, dim, axis, count) {
  const stride = dim.slice(0, axis).reduce((a, b) => a * b, 1), block = stride * dim[axis], before = Math.min(count >> 1, dim[axis] - 1);
  const behind = Math.min(count - 1 - before, dim[axis] - 1);
  return brightestBeside(brightestBeside(values, stride, block, behind, 1), stride, block, before, -1);
}

export class Viewer {
  // `onPick(place)`: a click at this place; `onPlace(place, value)`: the crosshair is there.
  constructor(canvas, onPick, onPlace) {
    this.canvas = canvas;
    this.onPick = onPick;
    this.onPlace = onPlace;
    this.shown = {};
    this.meshes = {}; // by name: showMesh
  }

  async begin() {
    this.nv = new niivue.Niivue({ backColor: [0, 0, 0, 1], logLevel: "error", dragAndDropEnabled: false, loadingText: "", isRadiologicalConvention: true, show3Dcrosshair: true, multiplanarForceRender: true, isSliceMM: true, meshXRay: 0.4, meshThicknessOn2D: 0.5, crosshairWidth: 0.5, crosshairWidthUnit: "mm", isColorbar: false });
    await this.nv.attachToCanvas(this.canvas);
    const draw = this.nv.drawScene.bind(this.nv);
    this.nv.drawScene = (...values) => { const done = draw(...values); this.onDraw?.(); return done; };
    this.nv.onLocationChange = (at) => this.onPlace(flip(at.mm), at.values?.[0]?.value);
    // NiiVue moves its crosshair at the button's press and release; `click` comes after both.
    let pressed = null;
    this.canvas.addEventListener("pointerdown", (event) => { pressed = [event.clientX, event.clientY]; });
    this.canvas.addEventListener("click", (event) => {
      const moved = pressed ? Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) : 9;
      pressed = null;
      if (moved < 4 && event.detail < 2) this.onPick(this.placeAt(event)); // not the second click of two
    });
    // Two clicks in 3D move the crosshair to what is seen there, once it is drawn.
    this.canvas.addEventListener("dblclick", (event) => { if (this.is3D(event)) setTimeout(() => this.onPick(this.place()), 50); });
  }

  // Place of the crosshair. `true`: by the scan's own axes, which may be oblique.
  place() {
    return flip(this.nv.frac2mm(this.nv.scene.crosshairPos, 0, true));
  }

  // Place of the scan under the mouse; null in 3D and beyond the scan.
  placeAt(event) {
    const [x, y] = this.pixel(event), tile = this.nv.tileIndex(x, y);
    if (tile < 0 || this.nv.screenSlices[tile].axCorSag > 2) return null;
    const inside = this.nv.screenXY2TextureFrac(x, y, tile, true);
    return inside[0] >= 0 && inside.every((v) => v >= 0 && v <= 1) ? flip(this.nv.frac2mm(inside, 0, true)) : null;
  }

  is3D(event) {
    const [x, y] = this.pixel(event), tile = this.nv.tileIndex(x, y);
    return tile >= 0 && this.nv.screenSlices[tile].axCorSag > 2;
  }

  async showScan(file, level) {
    if (this.shown.scan === file.stamp) return;
    await this.nv.loadVolumes([{ url: fileAddress(file), name: "scan.nii.gz", colormap: "gray" }]);
    this.shown.scan = file.stamp;
    this.alone = null;
    this.automatic = [this.nv.volumes[0].cal_min, this.nv.volumes[0].cal_max];
    this.setWindow(level);
    if (this.waitingPlanes) this.showPlanes(this.waitingPlanes);
    this.waitingPlanes = null;
  }

  async showVessel(file, isVisible) {
    if (this.shown.vessel === file?.stamp) return;
    this.showMesh("vessel", null); // a mesh keeps the extents of its first points
    this.shown.vessel = undefined;
    if (!file) return;
    const reader = await niivue.NVMesh.loadFromUrl({ url: fileAddress(file), name: "vessel.stl", gl: this.nv.gl, rgba255: [220, 60, 50, 255] });
    this.showMesh("vessel", reader.pts, reader.tris, [220, 60, 50, 255]);
    this.shown.vessel = file.stamp;
    this.setVesselVisible(isVisible);
  }

  // A mask that is corrected stands in place of the vessel's surface.
  setVesselVisible(is) {
    const { vessel, corrected } = this.meshes;
    for (const mesh of [vessel, corrected].filter(Boolean)) {
      mesh.visible = is && (mesh === corrected || !corrected);
      mesh.opacity = mesh.visible ? 1 : 0;
    }
    this.nv.drawScene();
  }

  // Tints the mask in the slices: of the surface, walls across a slice are too thin to be seen.
  async showTint(file, isVisible) {
    const stamp = isVisible && !this.mask && file ? file.stamp : undefined;
    if (this.shown.tint === stamp) return;
    if (this.tint) this.nv.removeVolume(this.tint);
    this.tint = null;
    this.shown.tint = stamp;
    if (!stamp) return;
    this.nv.addColormap("hemotile_tint", { R: [0, 255], G: [0, 90], B: [0, 70], A: [0, 255], I: [0, 255] });
    this.tint = await niivue.NVImage.loadFromUrl({ url: fileAddress(file), name: "mask.nii.gz", colormap: "hemotile_tint", opacity: 0.3, cal_min: 0, cal_max: 1 });
    this.nv.addVolume(this.tint);
  }

  // Shows an image of speeds (NIfTI, null: none) in the slices, coloured from 0, which is clear, to `fast`.
  async showSpeed(buffer, fast) {
    if (this.speed) this.nv.removeVolume(this.speed);
    this.speed = null;
    if (!buffer) return;
    this.nv.addColormap("hemotile_speed", { R: [68, 68, 59, 33, 94, 253], G: [1, 1, 82, 145, 201, 231], B: [84, 84, 139, 140, 98, 37], A: [0, 255, 255, 255, 255, 255], I: [0, 1, 64, 128, 192, 255] });
    this.speed = await niivue.NVImage.loadFromUrl({ url: "speed.nii", name: "speed.nii", buffer, colormap: "hemotile_speed", opacity: 0.9, cal_min: 0, cal_max: fast });
    this.nv.addVolume(this.speed);
  }

  // Shows a corrected mask (edit.js): a layer of colour in the slices, its wall in 3D.
  async showMask(mask, isVisible) {
    this.nv.addColormap("hemotile_mask", { R: [0, 255], G: [0, 170], B: [0, 0], A: [0, 255], I: [0, 255] });
    if (this.mask) this.nv.removeVolume(this.mask);
    this.mask = await niivue.NVImage.loadFromUrl({ url: "mask.nii", name: "mask.nii", buffer: niftiOf(mask), colormap: "hemotile_mask", opacity: 0.5, cal_min: 0, cal_max: 1 });
    this.nv.addVolume(this.mask);
    this.showWall(mask, isVisible);
  }

  // Shows a box of it that has changed: {x, y, z, nx, ny, nz} of the mask's window.
  updateMask(mask, box, isVisible) {
    const { nx, ny } = mask.window, img = this.mask.img;
    for (let z = 0; z < box.nz; z++) {
      for (let y = 0; y < box.ny; y++) {
        const row = box.x - mask.window.x + nx * (box.y - mask.window.y + y + ny * (box.z - mask.window.z + z));
        img.set(mask.voxels.subarray(box.nx * (y + box.ny * z), box.nx * (y + box.ny * z + 1)), row);
      }
    }
    this.nv.refreshLayers(this.mask, 1);
    this.showWall(mask, isVisible);
  }

  showWall(mask, isVisible) {
    this.showMesh("corrected", mask.surface, mask.triangles, [230, 150, 40, 255]);
    this.setVesselVisible(isVisible);
  }

  hideMask(isVisible) {
    if (this.mask) this.nv.removeVolume(this.mask);
    this.mask = null;
    this.showMesh("corrected", null);
    this.setVesselVisible(isVisible);
  }

  hasScan() { return this.nv.volumes.length > 0; }

  // The parts of the view: {slices: [{has(pixel), place(pixel), pixel(place), off(place): mm off the slice, normal}],
  // solid: {has, pixel, move(place, pixel): the place that is seen at a pixel, as deep as another one}, null: no 3D}.
  // Pixels are those of the page, of the canvas; places LPS.
  parts() {
    const dpr = this.nv.uiData.dpr || 1, slices = [];
    let solid = null;
    this.nv.screenSlices.forEach((tile, number) => {
      const [left, top, width, height] = tile.leftTopWidthHeight[2] ? tile.leftTopWidthHeight : [0, 0, this.canvas.width, this.canvas.height];
      const has = ([x, y]) => x * dpr >= left && x * dpr < left + width && y * dpr >= top && y * dpr < top + height;
      const corners = [[left, top], [left + width, top], [left + width, top + height], [left, top + height]].map(([x, y]) => [x / dpr, y / dpr]);
      if (tile.axCorSag > 2) {
        const move = (place, [x, y]) => {
          const near = this.unproject(x * dpr, y * dpr, number, -1), sight = minus(this.unproject(x * dpr, y * dpr, number, 1), near);
          return add(near, sight, dot(minus(place, near), sight) / dot(sight, sight));
        };
        solid = { has, pixel: (place) => this.project(place), move, isSolid: true };
        return;
      }
      const at = (x, y) => flip(this.nv.frac2mm(this.nv.screenXY2TextureFrac(x, y, number, false), 0, true));
      const from = at(left, top), u = minus(at(left + 100, top), from).map((x) => (x * dpr) / 100), v = minus(at(left, top + 100), from).map((x) => (x * dpr) / 100);
      const [uu, uv, vv] = [dot(u, u), dot(u, v), dot(v, v)], det = uu * vv - uv * uv, normal = unit(cross(u, v));
      const place = ([x, y]) => add(add(from, u, x - left / dpr), v, y - top / dpr);
      const pixel = (p) => { const d = minus(p, from), a = dot(d, u), b = dot(d, v); return [left / dpr + (a * vv - b * uv) / det, top / dpr + (b * uu - a * uv) / det]; };
      slices.push({ has, place, pixel, corners, normal, off: (p) => dot(minus(p, from), normal) });
    });
    return { slices, solid };
  }

  // The scan's box: its least and highest place along each axis, LPS; and the box of its voxels around a box in the
  // body's axes, as eight corners.
  extent() {
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((c) => flip(this.nv.frac2mm([c & 1, (c >> 1) & 1, c >> 2], 0, true)));
    return [Math.min, Math.max].map((of) => [0, 1, 2].map((a) => of(...corners.map((p) => p[a]))));
  }

  around(low, high) {
    const fracs = [0, 1, 2, 3, 4, 5, 6, 7].map((c) => [...this.nv.mm2frac(flip([0, 1, 2].map((a) => ((c >> a) & 1 ? high[a] : low[a]))), 0, true)]);
    const ends = [Math.min, Math.max].map((of) => [0, 1, 2].map((a) => Math.min(1, Math.max(0, of(...fracs.map((f) => f[a]))))));
    return [0, 1, 2, 3, 4, 5, 6, 7].map((c) => flip(this.nv.frac2mm([0, 1, 2].map((a) => ends[(c >> a) & 1][a]), 0, true)));
  }

  // Part of the view under the mouse: {kind: "slice", normal (LPS; of the slice, which is as oblique as the
  // scan), thickness (of the scan's slices along it, mm), perMm (pixels of the page)} or {kind: "3D", sight
  // (LPS)}; null: none, or a slice beyond the scan.
  partAt(event) {
    const [x, y] = this.pixel(event), tile = this.nv.tileIndex(x, y);
    if (tile < 0) return null;
    if (this.is3D(event)) return { kind: "3D", tile, sight: unit(minus(this.unproject(x, y, tile, 1), this.unproject(x, y, tile, -1))) };
    const right = this.wayAt(event, 8, 0), down = this.wayAt(event, 0, 8);
    if (!right || !down) return null;
    const normal = unit(cross(right, down));
    return { kind: "slice", tile, normal, thickness: this.thicknessAlong(normal), perMm: 8 / Math.hypot(...right) };
  }

  // Way (LPS mm) from the place under the mouse to that some pixels beside it; null beyond the scan.
  wayAt(event, dx, dy) {
    const here = this.placeAt(event);
    for (const sign of here ? [1, -1] : []) {
      const there = this.placeAt({ clientX: event.clientX + sign * dx, clientY: event.clientY + sign * dy });
      if (there) return minus(there, here).map((x) => sign * x);
    }
    return null;
  }

  // The crosshair as if the mouse were there, in the first slice of the view.
  crosshair() {
    const frame = this.canvas.getBoundingClientRect(), dpr = this.nv.uiData.dpr || 1, at = this.nv.frac2canvasPos(this.nv.scene.crosshairPos);
    return { clientX: frame.left + at[0] / dpr, clientY: frame.top + at[1] / dpr };
  }

  pixel(event) {
    const frame = this.canvas.getBoundingClientRect(), dpr = this.nv.uiData.dpr || 1;
    return [(event.clientX - frame.left) * dpr, (event.clientY - frame.top) * dpr];
  }

  // Distance of the scan's slices that lie most across a direction (LPS).
  thicknessAlong(normal) {
    const affine = this.nv.volumes[0].hdr.affine, columns = [0, 1, 2].map((c) => [0, 1, 2].map((r) => affine[r][c]));
    const share = (v) => Math.abs(dot(v, flip(normal))) / Math.hypot(...v);
    return Math.hypot(...columns.reduce((best, v) => (share(v) > share(best) ? v : best)));
  }

  // Place (LPS) that is seen at a pixel of the 3D view: depth -1 is in front, 1 behind.
  unproject(x, y, tile, depth) {
    const [left, top, width, height] = this.nv.screenSlices[tile].leftTopWidthHeight;
    const matrix = this.nv.calculateMvpMatrix(null, [left, top, width, height], this.nv.scene.renderAzimuth, this.nv.scene.renderElevation)[0];
    const clip = [(2 * (x - left)) / width - 1, 1 - (2 * (y - top)) / height, depth];
    return flip(solve(matrix, clip));
  }

  intensityAt(place) {
    const volume = this.nv.volumes[0], vox = this.nv.frac2vox(this.nv.mm2frac(flip(place), 0, true));
    return volume.getValue(vox[0], vox[1], vox[2]);
  }

  // Draws the points {place, entry} as spheres.
  showPoints(points) {
    if (this.points) this.nv.removeMesh(this.points);
    this.points = null;
    if (points.length === 0) return;
    const nodes = points.map((p) => { const at = flip(p.place); return { name: "", x: at[0], y: at[1], z: at[2], colorValue: p.entry ? 1 : 2, sizeValue: 1.2 }; });
    this.points = this.nv.loadConnectomeAsMesh({ name: "points", nodeColormap: "hemotile_points", nodeColormapNegative: "", nodeMinColor: 0, nodeMaxColor: 3, nodeScale: 1, edgeColormap: "warm", edgeColormapNegative: "", edgeMin: 1, edgeMax: 2, edgeScale: 1, legendLineThickness: 0, showLegend: false, nodes, edges: [] });
    this.nv.addMesh(this.points);
  }

  // Draws the planes {place, normal, radius, kind, isLit} as discs. One mesh has all: its points are replaced,
  // as a new mesh would load the scan again.
  showPlanes(planes) {
    this.planePlaces = planes.map((p) => p.place);
    const mesh = discs(planes);
    if (!this.planes) {
      if (planes.length === 0 || !this.nv.volumes.length) { this.waitingPlanes = planes; return; }
      this.planes = new niivue.NVMesh(mesh.pts, mesh.tris, "planes", mesh.colours, 1, true, this.nv.gl);
      this.nv.addMesh(this.planes);
      return;
    }
    [this.planes.pts, this.planes.tris, this.planes.rgba255] = [mesh.pts, mesh.tris, mesh.colours];
    this.planes.visible = planes.length > 0;
    if (planes.length) this.planes.updateMesh(this.nv.gl);
    this.nv.drawScene();
  }

  // Returns the place on the canvas of a place in the 3D view, CSS pixels; null: there is no such view.
  project(place) {
    const tile = this.nv.screenSlices.find((s) => s.axCorSag === types.render), dpr = this.nv.uiData.dpr || 1;
    if (!tile) return null;
    const [left, top, width, height] = tile.leftTopWidthHeight[2] ? tile.leftTopWidthHeight : [0, 0, this.canvas.width, this.canvas.height];
    const [m] = this.nv.calculateMvpMatrix(null, [left, top, width, height], this.nv.scene.renderAzimuth, this.nv.scene.renderElevation);
    const p = [...flip(place), 1], [x, y, , w] = [0, 1, 2, 3].map((r) => m[r] * p[0] + m[r + 4] * p[1] + m[r + 8] * p[2] + m[r + 12] * p[3]);
    return [(left + ((x / w + 1) / 2) * width) / dpr, (top + ((1 - y / w) / 2) * height) / dpr];
  }

  // Shows a mesh of that name in place of its earlier one; points null: removes it. `points`: LPS, mm, one after
  // the other; `values` (null: none): a number of each point, coloured from `low` to `high`.
  showMesh(name, points, triangles, colour, values = null, low = 0, high = 1) {
    if (!points && this.meshes[name]) this.nv.removeMesh(this.meshes[name]);
    if (!points) return delete this.meshes[name];
    const turned = Float32Array.from(points, (x, i) => (i % 3 < 2 ? -x : x)), corners = Uint32Array.from(triangles);
    const mesh = this.meshes[name] ?? new niivue.NVMesh(turned, corners, name, new Uint8Array(colour), colour[3] / 255, true, this.nv.gl);
    Object.assign(mesh, { pts: turned, tris: corners, colorbarVisible: false });
    if (values) mesh.layers = [{ values, colormap: "viridis", cal_min: low, cal_max: high, global_min: low, global_max: high, opacity: 1, nFrame4D: 1, frame4D: 0, colormapNegative: "", useNegativeCmap: false, colormapInvert: false, colormapType: 0, isTransparentBelowCalMin: false, isAdditiveBlend: false, outlineBorder: 0, colorbarVisible: false, showLegend: false }];
    mesh.updateMesh(this.nv.gl);
    if (this.meshes[name]) this.nv.drawScene(); // adding it anew would draw all twice
    else this.nv.addMesh(mesh);
    this.meshes[name] = mesh;
  }

  // Shows in slices of one direction the brightest value of a slab that thick; mm 0: the slice alone.
  setSlab(mm, layout) {
    const volume = this.nv.volumes[0], way = { sagittal: 0, coronal: 1, axial: 2 }[layout];
    if (!volume || (!this.alone && !mm)) return;
    this.alone ??= volume.img;
    const axis = Math.abs(volume.permRAS[way] ?? 1) - 1, count = Math.round(mm / volume.pixDims[1 + axis]);
    volume.img = mm && way !== undefined && count > 1 ? brightest(this.alone, volume.dims.slice(1, 4), axis, count) : this.alone;
    this.nv.updateGLVolume();
  }

  setLayout(name) { this.nv.setSliceType(types[name]); }

  setWindow(text) {
    const volume = this.nv.volumes[0];
    if (!volume) return;
    const [level, width] = text.split(",").map(Number);
    [volume.cal_min, volume.cal_max] = text === "auto" ? this.automatic : [level - width / 2, level + width / 2];
    this.nv.updateGLVolume();
  }

  // Moves the crosshair; returns whether the place is in the scan, else nothing moves.
  move(place) {
    const inside = [...this.nv.mm2frac(flip(place), 0, true)];
    if (!inside.every((x) => x >= 0 && x <= 1)) return false;
    this.nv.scene.crosshairPos = inside;
    this.nv.drawScene();
    this.nv.createOnLocationChange();
    return true;
  }

  // Moves the crosshair by `count` of the scan's smallest voxel sides.
  step(direction, count) {
    const side = Math.min(...this.nv.volumes[0].pixDims.slice(1, 4)), place = this.place();
    this.move(place.map((x, a) => x + count * side * direction[a]));
  }
}
