// Part 4: the report and the pictures. What is older than the vessel or the settings is marked.
import { fileAddress } from "./api.js";
import { byId, make } from "./page.js";

const names = ["wall", "streamlines", "straightened", "sections", "projection", "candidates"];

let bench;
let reportStamp = 0;

function showReport(report, isOpen) {
  const frame = byId("report-frame");
  if (isOpen && (frame.hidden || reportStamp !== report.stamp)) frame.src = fileAddress(report);
  reportStamp = isOpen ? report.stamp : 0;
  frame.hidden = !isOpen;
  document.querySelector(".canvas").hidden = isOpen;
  byId("place").hidden = isOpen;
  byId("report").textContent = isOpen ? "Back to the scan" : "Show the report";
}

function showAge() {
  const newer = (bench.fileOf("summary.json") && bench.settings.now?.newer) || "";
  byId("older").textContent = newer && `These results are older: ${newer} since. Compute the flow again.`;
}

function showResults() {
  const report = bench.fileOf("report.html");
  if (!byId("report-frame").hidden) showReport(report, !!report);
  byId("no-results").hidden = !!bench.fileOf("summary.json");
  byId("report").hidden = !report;
  const vessel = bench.fileOf("vessel.stl")?.stamp ?? 0; // found after the candidates
  const wanted = names.map((name) => bench.fileOf(`pictures/${name}.png`)).filter((file) => file && !(file.name.endsWith("candidates.png") && file.stamp < vessel)), key = wanted.map(fileAddress).join();
  if (byId("pictures").dataset.key === key) return;
  byId("pictures").dataset.key = key;
  byId("pictures").replaceChildren(...wanted.map((f) => make("img", { src: fileAddress(f), alt: f.name, loading: "lazy" })));
}

export function begin(of) {
  bench = of;
  byId("report").onclick = () => showReport(bench.fileOf("report.html"), byId("report-frame").hidden);
  bench.onState.push(showResults);
  bench.settings.onChange.push(showAge);
}
