// The page of many cases: their table, the folder with scans, the archive. The server has the truth; this file
// has only what is marked, sorted and typed.
import { get, start } from "./api.js";
import { showSeries } from "./open.js";
import { ask, byId, make, replacedText } from "./page.js";

const POLL_MS = 1000;
const tell = (message) => { byId("status").textContent = message; };
const attempt = (work) => async (...values) => {
  try {
    tell("");
    return await work(...values);
  } catch (error) {
    tell(error.message);
    return null;
  }
};

// ---- the table ----

// Main numbers of a case, by their names in summary.csv, with units; as on the page of a batch.
// WSS: wall shear stress (of a pulse: of its mean flow).
const numbers = {
  "steady": "Steady, periodic", "flow.max_velocity_m_s": "Highest velocity, m/s", "flow.reynolds": "Reynolds number",
  "narrowing.mean_mmhg": "Drop over narrowing, mmHg", "wall.wss_mean_pa": "WSS, mean, Pa",
  "wall.wss_p99_pa": "WSS, 99 % below, Pa", "wall.cycle.tawss_mean_pa": "TAWSS, mean, Pa",
  "wall.cycle.osi_mean": "OSI, mean", "sac.volume_mm3": "Sac, volume, mm\u00b3", "sac.aspect_ratio": "Sac, aspect ratio",
  "flow.spacing_mm": "Lattice spacing, mm",
};
const exits = { 13: "no vessel was found, or several", 32: "did not become steady", 130: "stopped", 143: "stopped" };
const failure = (code) => (code > 128 && !exits[code] ? `crashed (signal ${code - 128})` : `exit code ${code}${exits[code] ? `: ${exits[code]}` : ""}`);

const doing = { import: "importing", segment: "finding the vessel", run: "computing the flow" };
const isAtWork = ({ live }) => live.others_work || (live.job.running && live.job.place === 0); // its numbers may be older ones
const numberOf = (one, key) => (isAtWork(one) ? "" : one.row.values?.[key] ?? "");

// What a case is doing, or where it stands, in words; `isBad`: it needs a look; `more`: the message.
function standing({ live, row }) {
  const job = live.job;
  if (job.running) return { words: job.place > 0 ? `waits: ${job.name} (${job.place} before it)` : `${doing[job.name] ?? job.name} ...` };
  if (live.others_work) return { words: "a command works here that the page did not start" };
  if (job.number > 0 && job.exit_code !== 0) return job.exit_code === 143 || job.exit_code === 130 ? { words: `${row.stage}; ${job.name} was stopped` } : { words: `${job.name} failed, ${failure(job.exit_code)}`, more: row.failure, isBad: true };
  if (job.number === 0 && ["failed", "refused"].includes(live.batch_state)) return { words: `${live.batch_state}, ${failure(Number(live.exit_code))}`, more: live.message, isBad: true };
  if (job.number === 0 && row.failure) return { words: `${row.stage}; the last command failed`, more: row.failure, isBad: true };
  if (row.newer) return { words: "computed, but older", more: `The results are older: ${row.newer} since. Run it again.`, isBad: true };
  return { words: live.batch_state === "waiting" ? "waits in the batch" : row.stage };
}

const shortNumber = (text) => (text === "true" ? "yes" : text === "false" ? "no" : text !== "" && Number.isFinite(Number(text)) ? Number(Number(text).toPrecision(4)).toString() : text);
let table = { cases: [] };
let marked = [];              // numbers of cases to compare, at most two
let sorting = { key: "name", down: false };
const rows = new Map();       // number -> {node, key}

const valueOf = (one, key) => {
  if (key === "name") return one.live.name;
  if (key === "state") return standing(one).words;
  if (key === "warnings") return one.row.warnings?.length ?? 0;
  const text = numberOf(one, key);
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
};

function compareValues(a, b) {
  if (typeof a === typeof b) return typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
  return typeof a === "number" ? -1 : 1; // cases without the number come last
}

function sorted() {
  const order = (a, b) => compareValues(valueOf(a, sorting.key), valueOf(b, sorting.key)) * (sorting.down ? -1 : 1);
  return [...table.cases].sort((a, b) => order(a, b) || a.live.number - b.live.number);
}

const runAgain = (one) => attempt(async () => {
  if (one.row.stage === "computed" && !(await ask(`${one.live.name}: ${replacedText("", false)}`, "Compute the flow"))) return;
  await act("run", one.live.number)();
});
const act = (name, number, settings = {}) => attempt(async () => { await start(name, settings, number); await poll(); });

function caseRow(one, columns) {
  const { live, row } = one, where = standing(one), n = live.number, label = live.name;
  const mark = make("input", { type: "checkbox", "data-act": "mark", "aria-label": `Mark ${label} to compare`, onchange: () => { marked = marked.filter((m) => m !== n); if (mark.checked) marked = [...marked, n].slice(-2); showTable(); } });
  mark.checked = marked.includes(n);
  mark.disabled = row.stage !== "computed";
  const again = row.stage === "computed" ? "Run again" : "Run";
  const buttons = [];
  if (live.job.running) buttons.push(make("button", { type: "button", "data-act": "stop", onclick: act("stop", n), "aria-label": `${live.job.place > 0 ? "Remove" : "Stop"} ${label}` }, live.job.place > 0 ? "Remove" : "Stop"));
  else if (!live.others_work && row.stage !== "new") buttons.push(make("button", { type: "button", "data-act": "run", onclick: runAgain(one), "aria-label": `${again}: ${label}` }, again));
  const warnings = row.warnings ?? [];
  return [
    make("td", {}, mark),
    make("td", {}, live.picture === undefined ? "" : make("a", { href: `/?case=${n}`, tabindex: "-1" }, make("img", { src: `/api/file?case=${n}&number=${live.picture}&stamp=${live.stamp}`, alt: "", loading: "lazy" }))),
    make("th", { scope: "row" }, make("a", { href: `/?case=${n}`, "data-act": "open" }, label)),
    make("td", where.isBad ? { class: "bad" } : {}, where.more ? make("details", {}, make("summary", { "data-act": "state" }, where.words), make("p", {}, where.more)) : where.words, ...buttons),
    ...columns.map((key) => make("td", { class: "number" }, shortNumber(numberOf(one, key)))),
    make("td", {}, warnings.length ? make("details", {}, make("summary", { "data-act": "warnings" }, String(warnings.length)), ...warnings.map((text) => make("p", {}, text))) : row.stage === "computed" ? "0" : ""),
  ];
}

function showHead(columns) {
  const titles = [["name", "Case"], ["state", "State"], ...columns.map((key) => [key, numbers[key]]), ["warnings", "Warnings"]];
  const head = byId("case-head"), key = JSON.stringify([titles, sorting]);
  if (head.dataset.key === key) return;
  head.dataset.key = key;
  const focused = document.activeElement?.dataset?.sort;
  const cell = ([id, title]) => make("th", { scope: "col", "aria-sort": sorting.key !== id ? "none" : sorting.down ? "descending" : "ascending" },
    make("button", { type: "button", "data-sort": id, onclick: () => { sorting = { key: id, down: sorting.key === id && !sorting.down }; showTable(); } }, title, sorting.key === id ? (sorting.down ? " \u25bc" : " \u25b2") : ""));
  head.replaceChildren(make("th", { scope: "col" }, "Mark"), make("th", { scope: "col" }, "Picture"), ...titles.map(cell));
  if (focused) head.querySelector(`[data-sort="${CSS.escape(focused)}"]`)?.focus();
}

function showTable() {
  const list = sorted(), columns = Object.keys(numbers).filter((key) => list.some((one) => one.row.values?.[key] !== undefined));
  byId("no-cases").hidden = list.length > 0;
  byId("cases").hidden = list.length === 0;
  showHead(columns);
  marked = marked.filter((n) => list.some((one) => one.live.number === n));
  const body = byId("case-rows");
  list.forEach((one, place) => {
    const n = one.live.number, key = JSON.stringify([one, columns, marked.includes(n)]);
    if (!rows.has(n)) rows.set(n, { node: make("tr", {}), key: "" });
    const kept = rows.get(n);
    if (kept.key !== key) {
      const focused = kept.node.contains(document.activeElement) ? document.activeElement.dataset.act : null, open = [...kept.node.querySelectorAll("details[open] > summary")].map((summary) => summary.dataset.act);
      kept.node.replaceChildren(...caseRow(one, columns));
      kept.key = key;
      for (const what of open) kept.node.querySelector(`details > [data-act="${what}"]`)?.parentNode.setAttribute("open", "");
      if (focused) kept.node.querySelector(`[data-act="${focused}"]`)?.focus();
    }
    if (body.children[place] !== kept.node) body.insertBefore(kept.node, body.children[place] ?? null);
  });
  while (body.children.length > list.length) body.lastChild.remove();
  byId("compare").disabled = marked.length !== 2 || table.about.comparison.job.running;
}

// ---- what waited when an earlier workbench ended ----

function showLeft(left) {
  const nameOf = (number) => table.cases.find((one) => one.live.number === number)?.live.name ?? "a case that is gone";
  byId("left").hidden = left.length === 0;
  const text = left.length ? `When the workbench ended, these waited: ${left.map((one) => `${nameOf(one.number)} (${doing[one.name]})`).join(", ")}. ` : "";
  if (byId("left-text").textContent !== text) byId("left-text").textContent = text;
}
for (const [id, again] of [["left-again", 1], ["left-forget", 0]]) byId(id).onclick = attempt(async () => { await start("waiting", { again }); await poll(); });

// ---- comparison ----

function showComparison({ job, output, is_there: isThere }) {
  byId("compare-stop").hidden = !job.running;
  byId("comparison").hidden = job.running || !isThere;
  const error = output.split("\n").filter((line) => line.startsWith("hemotile: error: ")).join(" ").replace("hemotile: error: ", "");
  const text = job.number === 0 ? "" : job.running ? `${job.typed} ${job.place > 0 ? "waits" : "runs"} ...` : job.exit_code === 0 ? job.typed : `The comparison failed: ${error || failure(job.exit_code)}`;
  if (byId("compare-status").textContent !== text) byId("compare-status").textContent = text;
  if (job.running) byId("comparison-frame").hidden = true;
}

byId("compare").onclick = attempt(async () => { await start("compare", { first: marked[0], second: marked[1] }); await poll(); });
byId("compare-stop").onclick = attempt(() => start("compare-stop", {}));
byId("comparison").onclick = () => {
  const frame = byId("comparison-frame");
  frame.hidden = !frame.hidden;
  if (!frame.hidden) frame.src = `/api/comparison?number=${table.about.comparison.job.number}`;
  byId("comparison").textContent = frame.hidden ? "Show the comparison" : "Hide the comparison";
};

// ---- the server's table ----

let wasLost = false;
async function poll() {
  try {
    table = await get("/api/cases");
    if (wasLost) tell("");
    wasLost = false;
  } catch (error) {
    wasLost = true;
    return tell(error instanceof TypeError ? "The workbench does not answer: was it ended in the terminal? The cases are in their folders." : error.message);
  }
  byId("case").textContent = table.about.folder;
  byId("archive").hidden = !table.about.has_archive;
  showTable();
  showComparison(table.about.comparison);
  showLeft(table.about.left);
  if (table.about.has_archive) await showFetch();
}
async function pollForever() {
  if (!document.hidden) await poll();
  setTimeout(pollForever, POLL_MS);
}

// ---- the folder ----

let folder = null;
let chosen = 0; // counts the choices: an older one is no longer shown

const size = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
const day = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);

function entryRow(entry) {
  if (entry.kind === "folder") return make("li", {}, make("button", { type: "button", class: "plain", onclick: () => showFolder(entry.number) }, `${entry.name}/`));
  if (entry.kind === "case") return make("li", { class: "soft" }, `${entry.name}/ (a case)`);
  return make("li", {}, make("button", { type: "button", class: "plain", onclick: () => choose(entry.number, entry.name) }, entry.name), ` ${size(entry.bytes)}, ${day(entry.changed)}`);
}

const showFolder = attempt(async (number) => {
  folder = await get(`/api/folder?entry=${number}`);
  byId("path").textContent = folder.name || "the start folder";
  byId("up").disabled = folder.parent < 0;
  byId("entries").replaceChildren(...folder.entries.map(entryRow));
  const notes = [];
  if (folder.others) notes.push(`${folder.others} other files${folder.has_dicom ? ", DICOM among them" : ""}.`);
  if (folder.links) notes.push(`${folder.links} links are left out.`);
  if (folder.is_cut) notes.push("There are more entries than are shown.");
  const where = folder.name || "this folder";
  byId("entries-note").replaceChildren(notes.join(" ") + " ", make("button", { type: "button", id: "look-here", onclick: () => choose(folder.number, where) }, "Look for DICOM series here"));
  if (folder.has_dicom) choose(folder.number, where);
  else { chosen++; byId("choice").hidden = true; }
});
byId("up").onclick = () => showFolder(folder.parent);

// Shows the series of an entry, and imports the clicked one as a new case.
const choose = attempt(async (entry, title) => {
  const turn = ++chosen, list = make("div", {}), name = make("input", { id: "case-name", placeholder: "made for you", maxlength: "64", spellcheck: "false" });
  byId("choice").hidden = false;
  byId("choice").replaceChildren(make("h3", { id: "choice-title" }, title),
    make("label", {}, "Name of the new case ", name), make("p", { class: "soft" }, "A pseudonym: the name is in the results. Click on the series to import it."), list);
  byId("choice").scrollIntoView({ block: "nearest" });
  await showSeries(list, entry, attempt(async (series) => {
    const settings = { entry };
    if (series) settings.series = series;
    if (name.value.trim()) settings.name = name.value.trim();
    const { case: number } = await start("import", settings);
    location.href = `/?case=${number}`;
  }), () => turn === chosen);
});

// ---- dropped files ----

const endings = [".nii.gz", ".nii", ".nrrd", ".mha", ".zip", ".stl", ".obj", ".ply", ".vtp", ".dcm"]; // as in entries.c
const endingOf = (name) => endings.findIndex((ending) => name.toLowerCase().endsWith(ending));

// Files below what was dropped; a folder is read to its ground.
async function filesOf(entry) {
  if (entry.isFile) return [await new Promise((resolve, reject) => { entry.file(resolve, reject); })];
  const reader = entry.createReader(), found = [];
  for (;;) {
    const part = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (part.length === 0) break;
    for (const inner of part) found.push(...(await filesOf(inner)));
  }
  return found;
}

// One file may be any scan; several are the files of DICOM series, whatever their names.
const send = attempt(async (files) => {
  const list = files.filter((file) => !file.name.startsWith("."));
  if (list.length === 0) return;
  const isWhole = list.length === 1 && endingOf(list[0].name) >= 0;
  const { drop, entry } = await start("drop", {});
  let last = entry;
  byId("drop-progress").hidden = false;
  try {
    for (const [i, file] of list.entries()) {
      byId("drop-progress").value = i / list.length;
      const ending = isWhole ? endingOf(file.name) : endings.indexOf(".dcm");
      last = (await start(`drop-file?drop=${drop}&ending=${ending}`, file)).entry;
    }
  } finally {
    byId("drop-progress").hidden = true;
  }
  await choose(isWhole ? last : entry, list.length === 1 ? "The dropped file" : `${list.length} dropped files`);
});

const zone = document.body;
zone.addEventListener("dragover", (event) => { event.preventDefault(); byId("drop").classList.add("over"); });
zone.addEventListener("dragleave", () => byId("drop").classList.remove("over"));
zone.addEventListener("drop", attempt(async (event) => {
  event.preventDefault();
  byId("drop").classList.remove("over");
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean), files = [];
  for (const entry of entries) files.push(...(await filesOf(entry)));
  await send(files);
}));
byId("drop-files").onchange = () => send([...byId("drop-files").files]);

// ---- the archive ----

let fetches = -1; // number of the latest fetch that was shown as ended

const fetchMatch = (settings) => attempt(async () => { await start("archive-get", settings); await showFetch(); });

async function showFetch() {
  const state = await get("/api/archive");
  if (state.number > 0) {
    const error = state.output.split("\n").filter((line) => line.startsWith("hemotile: error: ")).join(" ").replace("hemotile: error: ", "");
    const text = state.running ? `Fetching into ${state.folder} ${state.place > 0 ? "waits" : "..."}` : state.exit_code === 0 ? `Fetched into ${state.folder}: open it above.` : `The fetch failed: ${error || failure(state.exit_code)}`;
    if (byId("archive-status").textContent !== text) byId("archive-status").textContent = text;
  }
  if (fetches >= 0 && !state.running && state.number > fetches && folder) await showFolder(folder.number);
  fetches = state.running ? state.number - 1 : state.number;
}

function matchRow(match, study) {
  const words = study ? [match.modality, match.images, match.description] : [match.date, match.patient_id, match.patient_name, match.modality, match.series, match.images, match.description];
  const buttons = [make("button", { type: "button", onclick: fetchMatch(study ? { study, series: match.number } : { study: match.number }) }, study ? "Fetch the series" : "Fetch")];
  if (!study) buttons.push(make("button", { type: "button", onclick: () => search({ study: match.number }) }, "Series"));
  return make("tr", {}, ...words.map((text) => make("td", {}, text === -1 ? "" : String(text))), make("td", { class: "actions" }, ...buttons));
}

const search = attempt(async (settings) => {
  byId("archive-status").textContent = "Searching ...";
  try {
    const found = await start("archive-find", settings), study = settings.study ?? 0;
    const titles = study ? ["Modality", "Images", "Description", ""] : ["Date", "Patient's number", "Name", "Modality", "Series", "Images", "Description", ""];
    byId("archive-matches").hidden = false;
    byId("archive-matches").replaceChildren(make("thead", {}, make("tr", {}, ...titles.map((title) => make("th", { scope: "col" }, title)))), make("tbody", {}, ...found.matches.map((match) => matchRow(match, study))));
    byId("archive-status").textContent = found.matches.length ? (found.more ? "There are more: narrow the search." : "") : "Nothing was found.";
  } catch (error) {
    byId("archive-status").textContent = "";
    throw error;
  }
});
byId("archive-form").onsubmit = (event) => {
  event.preventDefault();
  const settings = {};
  for (const [id, key] of [["patient", "patient_id"], ["date", "date"], ["modality", "modality"], ["description", "description"]])
    if (byId(`archive-${id}`).value.trim()) settings[key] = byId(`archive-${id}`).value.trim();
  if (Object.keys(settings).length === 0) tell("Type something to search for.");
  else search(settings);
};

// ---- begin ----

pollForever();
showFolder(0);
window.hemotileCases = { table: () => table, send }; // for tests
