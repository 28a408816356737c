// Part 3: the command that runs, or the last one.
import { byId } from "./page.js";

const codes = { 0: "done", 13: "failed: no vessel was found, or several (see the output)", 130: "stopped", 143: "stopped" };
const ending = (code) => codes[code] ?? (code > 128 ? `crashed (signal ${code - 128})` : `failed (exit code ${code}): see the end of the output`);

// State of the case folder that matters more than the command's; "" where there is none.
function exception(state) {
  if (!state.is_there && !state.job.running && state.job.number > 1) return "The case's folder is gone: put it back, or end the workbench.";
  return state.others_work ? "Another hemotile works in this folder (one of a terminal, or begun before): wait until it has ended." : "";
}

const running = (job) => (job.place > 0 ? `${job.name} waits: ${job.place} before it in the queue.` : `${job.name} runs ...`);

function showJob(state) {
  const job = state.job, status = byId("status");
  const last = job.number === 0 ? "Nothing runs." : `${job.name}: ${ending(job.exit_code)}`;
  status.textContent = exception(state) || (job.running ? running(job) : last);
  status.classList.toggle("bad", job.number > 0 && !job.running && job.exit_code !== 0);
  byId("stop").disabled = !job.running;
  byId("stop").textContent = job.place > 0 ? "Remove from the queue" : "Stop";
  byId("typed").value = job.typed;
  if (byId("output").textContent === job.output) return;
  byId("output").textContent = job.output;
  byId("output").scrollTop = byId("output").scrollHeight;
}

export function begin(bench) {
  byId("stop").onclick = () => bench.begin("stop", {});
  bench.onState.push(showJob);
}
