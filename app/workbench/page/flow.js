// Part 2: the patient, the flow into the vessel and its waveform, the outlets' model.
import { start } from "./api.js";
import { drawCurve } from "./curve.js";
import { byId } from "./page.js";
import { makeField } from "./settings.js";

const most = 65536; // bytes of a waveform's file, as the server takes them

let settings;

const flowFields = [
  { key: "flow.inlet_flow_ml_s", id: "ml_s", label: "Mean flow into the inlet, mL/s", placeholder: "usual, if known" },
];
const patientFields = [
  { key: "patient.kind", label: "The vessel is", words: { none: "not said", head: "an artery of head or neck", aorta: "the aorta" } },
  { key: "patient.age_years", label: "Age, years" },
  { key: "patient.cardiac_output_l_min", label: "Cardiac output, L/min", placeholder: "by age" },
  { key: "patient.heart_rate_per_min", label: "Heart rate, beats a minute", placeholder: "by age, or the waveform's" },
  { key: "patient.blood_pressure_mmhg", label: "Blood pressure, mmHg", placeholder: "as 120/80", isPair: true },
  { key: "patient.state", label: "State", words: { rest: "rest", dobutamine: "stress (dobutamine)" } },
];
const waveFields = [
  { key: "flow.period_s", label: "Length of a beat, s", placeholder: "the waveform's own" },
  { key: "flow.cycles", label: "Beats to compute" },
];
const outletFields = [
  { key: "outlets.model", label: "Outlets", words: { auto: "automatic", pressure: "a pressure each", area: "flow by area", murray: "flow by Murray's law", fractions: "flow by shares", windkessel: "Windkessels" } },
];
const moreFields = [
  { key: "outlets.mean_pressure_mmhg", label: "Mean pressure for Windkessels, mmHg" },
  { key: "outlets.compliance_ml_mmhg", label: "Their compliance together, mL/mmHg" },
  { key: "outlets.wave_speed_m_s", label: "Pulse wave velocity, m/s" },
  { key: "outlets.murray_exponent", label: "Exponent of Murray's law" },
  { key: "blood.model", label: "Blood", words: { newtonian: "Newtonian", "carreau-yasuda": "Carreau-Yasuda", casson: "Casson" } },
  { key: "blood.viscosity_pa_s", label: "Viscosity, Pa s" },
];

// Mean flow by which a published waveform is drawn, mL/s; 0: not known here.
function meanFlow() {
  const flow = Number(settings.key("flow.inlet_flow_ml_s").value), heart = settings.now.heart?.output_l_min;
  const inlets = settings.now.openings.map((o) => Number(o.flow_ml_s)).filter((f) => f > 0);
  return flow > 0 ? flow : inlets.length === 1 ? inlets[0] : heart > 0 ? (heart * 1000) / 60 : 0;
}

function showWaveform() {
  const inflow = settings.now?.inflow, select = byId("waveform");
  if (!inflow) return;
  select.value = inflow.of_file ? "file" : settings.key("flow.waveform").value;
  byId("waveform-curve").hidden = byId("wave-fields").hidden = !(inflow.period_s > 0);
  const heart = settings.now.heart;
  byId("waveform-note").textContent = (inflow.of_file ? `From a file: mean ${Number(inflow.mean.toPrecision(4))} ${inflow.unit}. ` : "")
    + (inflow.period_s > 0 ? `A beat of ${Number(inflow.period_s.toPrecision(4))} s (${Number((60 / inflow.period_s).toPrecision(3))} a minute). ` : "")
    + (heart ? `Heart: ${[[heart.output_l_min, "L/min"], [heart.rate_per_min, "beats a minute"], [heart.stroke_ml, "mL a beat"]].map(([x, unit]) => x && `${Number(x.toPrecision(3))} ${unit}`).filter(Boolean).join(", ")}.` : "");
  const flow = meanFlow(), isFlow = inflow.unit === "mL/s" || (!inflow.unit && flow > 0);
  const scale = inflow.unit === "m/s" ? 1 : flow > 0 ? flow / inflow.mean : inflow.unit ? 1 : 1 / inflow.mean;
  const points = [...inflow.values, inflow.values[0]].map((v, i) => [(inflow.period_s * i) / inflow.values.length, scale * v]);
  if (inflow.period_s > 0) drawCurve(byId("waveform-curve"), points, { x: "time, s", y: inflow.unit === "m/s" ? "velocity, m/s" : isFlow ? "flow, mL/s" : "flow / mean", level: 0, name: "Flow into the inlet over a beat" });
}

function say(message) {
  byId("waveform-error").textContent = message;
  if (message) settings.bad.set(byId("waveform"), message);
  else settings.bad.delete(byId("waveform"));
}

async function chooseWaveform() {
  const word = byId("waveform").value;
  if (word === "file") return byId("waveform-file").click();
  say(await settings.change([["flow.waveform", word]]));
  showWaveform();
}

async function takeFile() {
  const [file] = byId("waveform-file").files;
  byId("waveform-file").value = "";
  if (!file) return showWaveform();
  if (file.size > most) return say(`${file.name} has ${file.size} bytes; a waveform has at most ${most}.`);
  say(await settings.change([], () => start("waveform", file)));
  showWaveform();
}

export function begin(bench) {
  settings = bench.settings;
  const put = (id, list) => byId(id).replaceChildren(...list.map((of) => makeField(settings, of).node));
  put("flow-fields", flowFields);
  put("patient-fields", patientFields);
  put("wave-fields", waveFields);
  put("outlet-fields", outletFields);
  put("more-fields", moreFields);
  byId("waveform").onchange = chooseWaveform;
  byId("waveform-file").onchange = takeFile;
  byId("waveform-file").oncancel = showWaveform;
  settings.onChange.push(showWaveform);
}
