// Part 2: what the run will take and resolve, before it begins; the command that does the same.
import { get, fileAddress } from "./api.js";
import { reasonToSearch } from "./find.js";
import { byId, make } from "./page.js";
import { makeField } from "./settings.js";

let bench, settings;
let offers = null;  // the server's answer
let stamp = "";
let asking = null;

const few = (x, digits = 3) => Number(Number(x).toPrecision(digits)).toLocaleString("en-GB");
const memoryText = (mb) => (mb >= 1000 ? `${few(mb / 1000)} GB` : `${few(mb)} MB`);

export function timeText(seconds) {
  if (seconds < 100) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 6000) return `${Math.round(seconds / 60)} minutes`;
  return seconds < 2 * 86400 ? `${few(seconds / 3600, 2)} hours` : `${few(seconds / 86400, 2)} days`;
}

const offerOf = (across) => offers?.lattices?.find((l) => l.nodes_across === Math.round(across));
const prescribed = () => Number(settings.key("lattice.nodes_across")?.value) || 0;

// ---- what it takes ----

const timeForFlow = () => settings.key("lattice.within")?.value ?? "auto";

function showOffer(across) {
  const isAuto = !across, offer = offerOf(across || offers?.auto_nodes_across);
  const lines = [], add = (name, text) => lines.push(make("dt", {}, name), make("dd", {}, text));
  byId("across-text").textContent = isAuto ? `automatic${offers?.auto_nodes_across ? `: ${offers.auto_nodes_across} nodes` : ""}` : `${across} nodes`;
  if (offer) {
    const most = offer.longest_s > 1.2 * offer.seconds ? `, up to ${timeText(offer.longest_s)}` : "";
    add("Time", offer.seconds ? `about ${timeText(offer.seconds)}${most} on ${offers.device ?? "this machine"}` : "not known");
    add("Memory", `about ${memoryText(offer.memory_mb)}${offers.free_mb ? `; ${memoryText(offers.free_mb)} are free` : ""}`);
    add("Reynolds number", `${few(offers.reynolds)} at the inlet, by the mean flow`);
    add("Nodes", `${few(offer.inlet_across)} across the inlet (${few(offers.inlet_mm)} mm)` + (offer.throat_across ? `, ${few(offer.throat_across)} across the narrowest section between the openings (${few(offers.narrowest_mm)} mm)` : ""));
    add("Lattice", `${few(offer.spacing_mm)} mm, ${few(offer.fluid_nodes, 2)} fluid nodes, ${few(offer.steps, 2)} steps, ${offer.collision}`);
  }
  byId("plan").replaceChildren(...lines);
  const why = offer?.why ? `${offer.verdict === "refused" ? "This would be refused. " : "Coarse: "}${offer.why}` : "No place has too few nodes.";
  const late = timeForFlow() === "auto" && offer?.longest_s * offers?.flows > offers?.unasked_s ? `A flow of more than ${timeText(offers.unasked_s)} is not begun unasked: choose "Time for the flow", or fewer nodes.` : "";
  byId("plan-why").textContent = offer ? [why, late].filter(Boolean).join(" ") : "";
  byId("plan-why").classList.toggle("bad", !!(offer?.why || late));
}

// The most nodes that fit into 15 minutes and an hour, as marks of the slider and in words; what a given time does.
function showFits() {
  const fits = offers?.within ?? [], time = timeForFlow();
  const texts = fits.map((f) => (f.nodes_across ? `${f.time}: up to ${f.nodes_across} nodes` : `${f.time}: none fits`));
  if (offers && time !== "auto" && time !== "no") texts.push(`where the flow takes more than ${time}, a coarser lattice is taken`);
  byId("across-marks").replaceChildren(...fits.filter((f) => f.nodes_across).map((f) => make("option", { value: f.nodes_across, label: f.time })));
  byId("across-fits").textContent = texts.join("; ");
}

async function askForOffers() {
  const wanted = stamp;
  try {
    const answer = await get("/api/lattices");
    if (wanted !== stamp) return;
    offers = answer;
    byId("plan-problem").textContent = answer.problem ?? (answer.auto_nodes_across ? "" : "No automatic lattice: the flow is too fast for it. Look at the flow, or set the nodes.");
  } catch (error) {
    if (wanted !== stamp) return;
    offers = null;
    byId("plan-problem").textContent = error.message;
  }
  show();
}

function show() {
  const across = prescribed();
  if (byId("across") !== document.activeElement) byId("across").value = across || offers?.auto_nodes_across || 20;
  byId("across").disabled = !offers;
  showFits();
  showOffer(offers?.chosen_across || across);
  if (offers?.chosen_across) byId("across-text").textContent += ", by the time for the flow";
  showCommand();
}

// ---- the command ----

const word = (text) => (/^[A-Za-z0-9_.,:\/=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

function showCommand() {
  if (!bench.state) return;
  const sets = settings.given().map(([name, text]) => `--set ${word(`${name}=${text}`)}`);
  byId("plan-command").value = ["hemotile run", word(bench.state.folder), ...sets, ...(byId("look-before").checked ? ["--first-look auto"] : [])].join(" ");
}

async function copy(text, button) {
  await navigator.clipboard.writeText(text);
  const was = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = was; }, 1500);
}

async function copyCase() {
  const file = bench.fileOf("case.yaml");
  if (file) copy(await (await fetch(fileAddress(file))).text(), byId("copy-case"));
}

// ---- the run ----

async function run(more) {
  if (!(await settings.settled())) return;
  bench.begin("run", { set: settings.given(), ...more });
}

const before = () => (byId("look-before").checked ? { first_look: "auto" } : {});

function showButtons() {
  const reason = reasonToSearch(), isThere = bench.fileOf("scan.nii.gz") || bench.fileOf("mask.nii.gz");
  byId("flow-hint").textContent = reason;
  for (const id of ["run", "estimate", "restart", "look"]) byId(id).disabled = bench.isBusy() || !!reason || !isThere;
  byId("look").hidden = !!bench.fileOf("summary.json");
  const goesOn = !!settings.now?.checkpoint;
  byId("run").textContent = goesOn ? "Go on with the flow" : "Compute the flow";
  byId("restart").hidden = !goesOn && !settings.now?.other_checkpoint;
}

export function follow(state) {
  showButtons();
  // What the offers depend on: they hold for every number of nodes.
  const files = ["openings.json", "mask.nii.gz"].map((name) => bench.fileOf(name)?.stamp ?? 0);
  const now = JSON.stringify([files, settings.given().filter(([name]) => !["lattice.nodes_across", "lattice.spacing_mm"].includes(name)), settings.now?.inflow]);
  if (now === stamp || state.job.running || state.others_work) return;
  stamp = now;
  if (!bench.fileOf("openings.json")) {
    offers = null;
    return show();
  }
  clearTimeout(asking);
  asking = setTimeout(askForOffers, 50);
}

export function begin(of) {
  bench = of;
  settings = bench.settings;
  byId("across-field").replaceChildren(makeField(settings, { key: "lattice.nodes_across", id: "nodes_across", label: "Lattice nodes across the widest opening", placeholder: "automatic" }).node);
  byId("within-field").replaceChildren(makeField(settings, { key: "lattice.within", isText: true, pairs: (text) => [["lattice.within", text || "auto"]], label: "Time for the flow", placeholder: "15min, 1h, no: any time" }).node);
  byId("device-field").replaceChildren(makeField(settings, { key: "flow.device", label: "Compute on", words: { auto: "the GPU, if there is one", cpu: "the processor", cuda: "the GPU" } }).node);
  byId("across").oninput = () => showOffer(Number(byId("across").value));
  byId("across").onchange = async () => { const problem = await settings.change([["lattice.nodes_across", byId("across").value]]); if (problem) bench.tell(problem); };
  byId("run").onclick = () => run(before());
  byId("restart").onclick = () => run({ restart: true, ...before() });
  byId("look").onclick = () => run({ first_look: "only" });
  byId("look-before").checked = localStorage.getItem("look-before") !== "no"; // as long as this workbench runs
  byId("look-before").onchange = () => { localStorage.setItem("look-before", byId("look-before").checked ? "yes" : "no"); showCommand(); };
  byId("estimate").onclick = () => run({ dry_run: true });
  byId("copy-command").onclick = () => copy(byId("plan-command").value, byId("copy-command"));
  byId("copy-case").onclick = copyCase;
  settings.onChange.push(show, showButtons);
}
