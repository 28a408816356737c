// Part 4: the report and the pictures.
import { fileAddress } from "./api.js";
import { byId, make } from "./page.js";

const names = ["candidates", "projection", "straightened", "sections", "wall", "streamlines"];

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

function showResults() {
  const report = bench.fileOf("report.html");
  if (!byId("report-frame").hidden) showReport(report, !!report);
  byId("no-results").hidden = !!report;
  byId("report").hidden = !report;
  const wanted = names.map((name) => bench.fileOf(`pictures/${name}.png`)).filter(Boolean), key = wanted.map(fileAddress).join();
  if (byId("pictures").dataset.key === key) return;
  byId("pictures").dataset.key = key;
  byId("pictures").replaceChildren(...wanted.map((f) => make("img", { src: fileAddress(f), alt: f.name, loading: "lazy" })));
}

export function begin(of) {
  bench = of;
  byId("report").onclick = () => showReport(bench.fileOf("report.html"), byId("report-frame").hidden);
  bench.onState.push(showResults);
}
