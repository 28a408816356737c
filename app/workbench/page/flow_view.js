// The flow in the view: a first look at it, plainly marked, and the results that replace it in place. Speed in the
// slices, the load on the wall in 3D; both as files of the case, which are read here.
import { readFile } from "./api.js";
import { byId } from "./page.js";

const files = { // by what they show
  look: ["first_look/first_look_velocity.nii.gz", "first_look/first_look_wall.vtp"],
  run: ["velocity.nii.gz", "wall.vtp"],
};
let bench;
let source = null;      // {key, kind, files}: what there is to show; null: nothing
let drawn = "";         // key of what the view shows
let record = null, recordStamp = 0; // first_look.json
let doubted = "";       // key of results that are not steady

// ---- the files ----

const inflate = async (bytes, kind) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(kind))).arrayBuffer());

// Reads an image of velocities (NIfTI, three components one after the other). Returns one of their magnitude: its file
// and its values.
async function readSpeed(file) {
  const bytes = await inflate(await (await readFile(file)).arrayBuffer(), "gzip"), head = new DataView(bytes.buffer);
  const count = [42, 44, 46].reduce((n, at) => n * head.getInt16(at, true), 1), from = new Float32Array(bytes.buffer, head.getFloat32(108, true), 3 * count);
  const buffer = new ArrayBuffer(352 + 4 * count), to = new DataView(buffer), values = new Float32Array(buffer, 352);
  new Uint8Array(buffer).set(bytes.subarray(0, 348));
  [3, ...[42, 44, 46].map((at) => head.getInt16(at, true)), 1, 1, 1, 1].forEach((n, i) => to.setInt16(40 + 2 * i, n, true));
  to.setInt16(68, 0, true); // no vectors
  to.setFloat32(108, 352, true);
  for (let i = 0; i < count; i++) values[i] = Math.hypot(from[i], from[count + i], from[2 * count + i]);
  return { buffer, values };
}

// Reads a wall (VTK's PolyData, appended raw, zlib) with its shear stress; of a beat the mean of its magnitude.
async function readWall(file) {
  const bytes = new Uint8Array(await (await readFile(file)).arrayBuffer()), text = new TextDecoder("latin1").decode(bytes.subarray(0, 65536));
  const begin = text.indexOf("_", text.indexOf("<AppendedData")) + 1, arrays = [...text.matchAll(/<DataArray type="\w+" (?:Name="(\w+)" )?[^>]*offset="(\d+)"/g)];
  const read = async (name) => {
    const entry = arrays.find((a) => a[1] === name), at = begin + Number(entry[2]), head = new DataView(bytes.buffer, at);
    const size = (i) => Number(head.getBigUint64(8 * i, true)), blocks = size(0), parts = [];
    for (let i = 0, next = at + 8 * (3 + blocks); i < blocks; next += size(3 + i++)) parts.push(await inflate(bytes.subarray(next, next + size(3 + i)), "deflate"));
    return new Blob(parts).arrayBuffer();
  };
  const isBeat = arrays.some((a) => a[1] === "tawss_pa");
  return { points: new Float32Array(await read(undefined)), triangles: new Uint32Array(await read("connectivity")), values: new Float32Array(await read(isBeat ? "tawss_pa" : "wss_magnitude_pa")), isBeat };
}

// Value that a share of those above 0 do not exceed; 1 where there is none.
function highOf(values, share) {
  const sorted = values.filter((v) => v > 0).sort();
  return sorted[Math.floor(share * (sorted.length - 1))] || 1;
}

// ---- the view ----

// Shows it, once the scan is in the view.
export async function show() {
  const isOn = source && byId("show-flow").checked, key = isOn ? source.key : "";
  if (drawn === key) return;
  drawn = key;
  byId("flow-bar").hidden = !isOn;
  if (!isOn) {
    await bench.viewer.showSpeed(null);
    return bench.viewer.showMesh("flow", null);
  }
  const [speed, wall] = await Promise.all([readSpeed(source.files[0]), readWall(source.files[1])]);
  if (drawn !== key) return;
  if (source.kind === "run" && !(await (await readFile(bench.fileOf("summary.json"))).json()).steady) {
    doubted = key;
    tell(bench.state);
  }
  const fast = highOf(speed.values, 0.99), high = highOf(wall.values, 0.99), few = (x) => Number(x.toPrecision(2));
  if (byId("show-vessel").checked) byId("show-vessel").click(); // it lies over the flow
  await bench.viewer.showSpeed(speed.buffer, fast);
  bench.viewer.showMesh("flow", null); // a mesh keeps its first points
  bench.viewer.showMesh("flow", wall.points, wall.triangles, [200, 200, 200, 255], wall.values, 0, high);
  const isLook = source.kind === "look";
  byId("flow-low").textContent = isLook ? "slow; on the wall: little shear stress" : "0";
  byId("flow-high").textContent = isLook ? "fast; much" : `≥ ${few(fast)} m/s${wall.isBeat ? " (mean of the beat)" : ""}; on the wall ≥ ${few(high)} Pa (${wall.isBeat ? "TAWSS" : "shear stress"})`;
}

// Says in the banner what must not be missed.
function tell(state) {
  const isShown = source && byId("show-flow").checked, hasNote = record?.none && bench.fileOf("first_look/first_look.json") && source?.kind !== "run";
  const text = hasNote || (isShown && source.kind === "look") ? lookText(state) : isShown && doubted === source.key ? "The flow is not steady, or not periodic: do not use these numbers." : "";
  byId("look-banner").hidden = !text;
  if (byId("look-banner").textContent !== text) byId("look-banner").textContent = text;
}

function lookText(state) {
  if (record.none) return `No first look: ${record.none}.`;
  const runs = state.job.running && state.job.name === "run" && !/--first-look only/.test(state.job.typed);
  return `First look: ${record.nodes_across} nodes across, mean flow${record.steady ? "" : ", not steady"}${record.outlets_closed ? `, ${record.outlets_closed} thin outlet${record.outlets_closed > 1 ? "s" : ""} closed` : ""}. `
    + (runs ? "The run goes on; its numbers replace this." : "No number may be taken from it.");
}

// Finds what there is to show. A look stays in the view until the results of its run are there.
async function find(state) {
  const json = bench.fileOf("first_look/first_look.json"), of = (kind) => files[kind].map((name) => bench.fileOf(name));
  const isOld = json && ["edits.jsonl", "mask.nii.gz", "case.yaml"].some((name) => (bench.fileOf(name)?.stamp ?? 0) > json.stamp); // of another vessel, or other settings
  if (json && json.stamp !== recordStamp) {
    record = await (await readFile(json)).json();
    recordStamp = json.stamp;
  }
  const results = of("run"), look = of("look");
  if (bench.fileOf("summary.json") && !bench.isBusy() && results.every(Boolean)) return { kind: "run", key: `run ${results.map((f) => f.stamp)}`, files: results };
  if (json && !isOld && !record.none && look.every(Boolean)) return { kind: "look", key: `look ${json.stamp}`, files: look };
  return !json && source?.kind === "look" && state.job.running && state.job.name === "run" ? source : null;
}

async function follow(state) {
  const was = source;
  source = await find(state);
  byId("show-flow-label").hidden = !source;
  if (source?.kind === "look" && source.key !== was?.key) byId("show-flow").checked = true;
  tell(state);
}

export function begin(of) {
  bench = of;
  byId("show-flow").onchange = () => bench.changed();
  byId("measure-colour").addEventListener("change", () => { if (byId("measure-colour").value && byId("show-flow").checked) byId("show-flow").click(); });
  bench.onKey.push((event) => {
    if (event.key !== "f" || byId("show-flow-label").hidden) return false;
    byId("show-flow").click();
    return true;
  });
  bench.onState.push(follow);
}
