// The one file that knows the viewer (NiiVue). Places are LPS in mm; NiiVue's are RAS.
import { fileAddress } from "./api.js";

const flip = (p) => [-p[0], -p[1], p[2]];
const types = { multi: 3, render: 4, axial: 0, coronal: 1, sagittal: 2 };

export class Viewer {
  // `onPick(place)`: a click at this place; `onPlace(place, value)`: the crosshair is there.
  constructor(canvas, onPick, onPlace) {
    this.canvas = canvas;
    this.onPick = onPick;
    this.onPlace = onPlace;
    this.shown = {};
  }

  async begin() {
    this.nv = new niivue.Niivue({ backColor: [0, 0, 0, 1], logLevel: "error", dragAndDropEnabled: false, loadingText: "", isRadiologicalConvention: true, show3Dcrosshair: true, multiplanarForceRender: true, isSliceMM: true, meshXRay: 0.4, meshThicknessOn2D: 0.5, crosshairWidth: 0.6, isColorbar: false });
    await this.nv.attachToCanvas(this.canvas);
    this.nv.onLocationChange = (at) => this.onPlace(flip(at.mm), at.values?.[0]?.value);
    // NiiVue moves its crosshair at the button's press and release; `click` comes after both.
    let pressed = null;
    this.canvas.addEventListener("pointerdown", (event) => { pressed = [event.clientX, event.clientY]; });
    this.canvas.addEventListener("click", (event) => {
      const moved = pressed ? Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) : 9;
      pressed = null;
      if (moved < 4 && event.detail < 2) this.onPick(this.placeAt(event)); // not the second click of two
    });
  }

  // Place of the crosshair. `true`: by the scan's own axes, which may be oblique.
  place() {
    return flip(this.nv.frac2mm(this.nv.scene.crosshairPos, 0, true));
  }

  // Place of the scan under the mouse; null in 3D and beyond the scan.
  placeAt(event) {
    const frame = this.canvas.getBoundingClientRect(), dpr = this.nv.uiData.dpr || 1;
    const x = (event.clientX - frame.left) * dpr, y = (event.clientY - frame.top) * dpr;
    const tile = this.nv.tileIndex(x, y);
    if (tile < 0 || this.nv.screenSlices[tile].axCorSag > 2) return null;
    const inside = this.nv.screenXY2TextureFrac(x, y, tile, true);
    return inside[0] >= 0 && inside.every((v) => v >= 0 && v <= 1) ? flip(this.nv.frac2mm(inside, 0, true)) : null;
  }

  async showScan(file, level) {
    if (this.shown.scan === file.stamp) return;
    await this.nv.loadVolumes([{ url: fileAddress(file), name: "scan.nii.gz", colormap: "gray" }]);
    this.shown.scan = file.stamp;
    this.automatic = [this.nv.volumes[0].cal_min, this.nv.volumes[0].cal_max];
    this.setWindow(level);
  }

  async showVessel(file, isVisible) {
    if (this.shown.vessel === file?.stamp) return;
    if (this.vessel) this.nv.removeMesh(this.vessel);
    this.vessel = null;
    this.shown.vessel = undefined;
    if (!file) return;
    const reader = await niivue.NVMesh.loadFromUrl({ url: fileAddress(file), name: "vessel.stl", gl: this.nv.gl, rgba255: [220, 60, 50, 255] });
    for (let i = 0; i < reader.pts.length; i += 3) { reader.pts[i] = -reader.pts[i]; reader.pts[i + 1] = -reader.pts[i + 1]; }
    reader.updateMesh(this.nv.gl);
    this.vessel = reader;
    this.nv.addMesh(reader);
    this.shown.vessel = file.stamp;
    this.setVesselVisible(isVisible);
  }

  setVesselVisible(is) {
    if (!this.vessel) return;
    this.vessel.visible = is;
    this.vessel.opacity = is ? 1 : 0;
    this.nv.drawScene();
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

  // Shows a mesh of that name in place of its earlier one; points null: removes it. `points`: LPS, mm, one after
  // the other; `values` (null: none): a number of each point, coloured from `low` to `high`.
  showMesh(name, points, triangles, colour, values = null, low = 0, high = 1) {
    this.meshes ??= {};
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
