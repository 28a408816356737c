// Part "Open": the series of a scan with small pictures, to choose one by a click. Used by the page of many
// cases, and by a case whose import needs a choice.
import { get, start } from "./api.js";
import { byId, make } from "./page.js";

const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const short = (value) => Number(value.toPrecision(3)).toString();

function describe(one, patients) {
  const lines = [`${one.number}  ${one.format} ${one.modality}`.trim() + (one.description ? ` "${one.description}"` : "") + (one.stack ? ` stack ${one.stack}` : "")];
  if (patients > 1 && one.patient) lines.push(`patient ${one.patient} of ${patients}`);
  if (one.voxels[0] > 0) lines.push(`${one.voxels.join(" x ")} voxels of ${one.spacing_mm.map(short).join(" x ")} mm`);
  else if (one.images > 1) lines.push(`${one.images} images`);
  if (one.aside && !one.problem) lines.push(`left out unless chosen: ${one.aside}`);
  if (one.note) lines.push(one.note);
  return lines;
}

function seriesRow(look, one, list, choose) {
  const image = one.has_picture ? make("img", { src: `/api/series-picture?look=${look}&series=${one.number}`, alt: "middle slice" }) : make("span", { class: "no-picture" }, "no picture");
  const words = make("span", {}, ...describe(one, list.patients).flatMap((line) => [line, make("br", {})]));
  if (one.problem) words.append(make("span", { class: "bad" }, `cannot be imported: ${one.problem}`));
  const button = make("button", { type: "button", class: "series", onclick: () => choose(one.number) }, image, words);
  if (one.problem) button.disabled = true;
  return make("li", {}, button);
}

// Shows the series of the entry in the node. `choose(number, list)`: one was clicked; with a single series
// `number` is 0. `isWanted()`: false once another entry is shown.
export async function showSeries(node, entry, choose, isWanted) {
  node.replaceChildren(make("p", { role: "status" }, "Looking at the files ..."));
  const { look } = await start("look", { entry });
  let state;
  do {
    await wait(200);
    state = await get(`/api/look?look=${look}`);
  } while (state.running && isWanted());
  if (!isWanted()) return;
  const message = state.output.trim().split("\n").filter((line) => line.startsWith("hemotile: error: ")).join(" ").replace("hemotile: error: ", "");
  if (!state.has_list) {
    node.replaceChildren(make("p", { class: "bad", role: "alert" }, message || `hemotile info ended with code ${state.exit_code}`));
    return;
  }
  const list = await get(`/api/series?look=${look}`);
  node.replaceChildren(make("ul", { class: "series-list", "aria-label": "Series" }, ...list.series.map((one) => seriesRow(look, one, list, (number) => choose(list.series.length > 1 ? number : 0, list)))));
  if (message) node.append(make("p", { class: "bad", role: "alert" }, message));
}

// The case whose import failed: its scan's series.
export function begin(bench) {
  let shown = 0; // number of the import that failed
  bench.onState.push((state) => {
    byId("all-cases").hidden = !state.is_one_of_many;
    const job = state.job, failed = job.name === "import" && !job.running && job.exit_code !== 0 && state.scan >= 0;
    byId("open").hidden = !failed;
    if (!failed) shown = 0;
    if (!failed || shown === job.number) return;
    shown = job.number;
    const isWanted = () => shown === job.number;
    showSeries(byId("open-series"), state.scan, (series) => bench.begin("import", series ? { entry: state.scan, series } : { entry: state.scan }), isWanted)
      .catch((error) => bench.tell(error.message));
  });
}
