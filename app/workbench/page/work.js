// Part 3: the command that runs, or the last one, and its progress.
import { get } from "./api.js";
import { drawCurve } from "./curve.js";
import { byId } from "./page.js";
import { timeText } from "./plan.js";

const codes = { 0: "done", 4: "not begun, as the flow takes too long: choose \"Time for the flow\" above, or fewer nodes", 13: "no vessel was taken: none was found, or several could be meant (see the output, and the list under 1)", 32: "ended before the flow was steady; the results are marked so", 130: "stopped", 143: "stopped" };
const ending = (code) => codes[code] ?? (code > 128 ? `crashed (signal ${code - 128})` : `failed (exit code ${code}): see the end of the output`);

let bench;

// State of the case folder that matters more than the command's; "" where there is none.
function exception(state) {
  if (!state.is_there && !state.job.running && state.job.number > 1) return "The case's folder is gone: put it back, or end the workbench.";
  return state.others_work ? "Another hemotile works in this folder (one of a terminal, or begun before): wait until it has ended." : "";
}

function running(job, name) {
  if (job.place > 0) return `${name} waits: ${job.place} before it in the queue.`;
  return bench.fileOf("vessel_found.stl") ? "The vessel is found; now its ends ..." : `${name} runs ...`;
}

function showJob(state) {
  const job = state.job, status = byId("status");
  const isEstimate = / --dry-run( |$)/.test(job.typed), name = isEstimate ? "estimate" : job.name;
  const last = job.number === 0 ? "Nothing runs." : `${name}: ${ending(job.exit_code)}${isEstimate && job.exit_code === 0 ? "; no flow was computed" : ""}`;
  status.textContent = exception(state) || (job.running ? running(job, name) : last);
  status.classList.toggle("bad", job.number > 0 && !job.running && job.exit_code !== 0);
  byId("stop").disabled = !job.running;
  byId("stop").textContent = job.place > 0 ? "Remove from the queue" : "Stop";
  byId("typed").value = job.typed;
  if (byId("output").textContent === job.output) return;
  byId("output").textContent = job.output;
  byId("output").scrollTop = byId("output").scrollHeight;
}

// ---- progress ----

let stamp = 0;

function describe(now) {
  const parts = [`${now.stage} (${now.number} of ${now.of})`];
  if (now.total > 0) parts.push(`${Math.min(100, Math.round((100 * now.done) / now.total))} %`);
  if (now.left_s !== undefined) parts.push(`about ${timeText(now.left_s)} left`);
  if (now.mflups) parts.push(`${Number(now.mflups.toPrecision(3))} million node updates a second`);
  return parts.join(", ");
}

// Follows the work in the folder, also that of a terminal.
async function showProgress(state) {
  const file = bench.fileOf("progress.json"), isWorking = state.job.running || state.others_work;
  byId("progress").hidden = !isWorking || !file;
  if (!isWorking || !file || file.stamp === stamp) return;
  stamp = file.stamp;
  const now = await get("/api/progress");
  if (!now.stage) return; // it went with its command
  const bar = byId("progress-bar");
  bar.max = now.total > 0 ? now.total : 1;
  if (now.total > 0) bar.value = now.done;
  else bar.removeAttribute("value");
  byId("progress-text").textContent = describe(now);
  const isCurve = now.changes.length > 1;
  byId("progress-curve").hidden = !isCurve;
  if (isCurve) drawCurve(byId("progress-curve"), now.changes, { x: "step", y: "relative change", level: now.limit, isLog: true, name: "Change of the flow, and the limit below which it ends" });
}

export function begin(of) {
  bench = of;
  byId("stop").onclick = () => bench.begin("stop", {});
  bench.onState.push(showJob, showProgress);
}
