// Part 2: the openings and the flow.
import { readFile } from "./api.js";
import { byId, make, readNumbers } from "./page.js";
import { reasonToSearch } from "./find.js";

let bench;
let stamp = 0;

async function showOpenings() {
  const file = bench.fileOf("openings.json");
  if (stamp === (file?.stamp ?? 0)) return;
  stamp = file?.stamp ?? 0;
  const openings = file ? (await (await readFile(file)).json()).openings : [];
  byId("openings").replaceChildren(...openings.map((o) => make("tr", { tabindex: "0", onclick: () => bench.go(o.centre_mm), onkeydown: (e) => { if (e.key === "Enter") bench.go(o.centre_mm); } },
    make("td", {}, o.name), make("td", {}, o.role), make("td", {}, o.radius_mm.toFixed(2)))));
}

function showHint() {
  const reason = reasonToSearch(), isThere = bench.fileOf("scan.nii.gz") || bench.fileOf("mask.nii.gz");
  byId("flow-hint").textContent = reason;
  for (const id of ["run", "estimate"]) byId(id).disabled = bench.isBusy() || !!reason || !isThere;
}

function beginRun(settings) {
  if (readNumbers(bench, { ml_s: "flow", nodes_across: "nodes_across" }, settings)) bench.begin("run", settings);
}

export function begin(of) {
  bench = of;
  byId("run").onclick = () => beginRun({});
  byId("estimate").onclick = () => beginRun({ dry_run: true });
  bench.onState.push(showHint, showOpenings);
}
