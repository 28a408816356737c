// Fills in the words and numbers of the page, from summary.json.
"use strict";
const page = {
  summary: JSON.parse(document.getElementById("data-summary").textContent),
  byId: (id) => document.getElementById(id),
  // Makes an element: make("td", {class: "n"}, "text", child, ...).
  make(tag, attributes, ...content) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {}))
      if (value !== undefined && value !== null && value !== false) node.setAttribute(key, value);
    node.append(...content.filter((c) => c !== undefined && c !== null));
    return node;
  },
  // Formats a number to `digits` digits; no exponent between 0.001 and a million.
  number(value, digits = 3) {
    if (typeof value !== "number" || !isFinite(value)) return "not known";
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e6 || size < 1e-3) {
      const [head, power] = value.toExponential(digits - 1).split("e");
      return `${head} × 10${[...String(Number(power))].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("")}`;
    }
    const whole = Math.floor(Math.log10(size)) + 1;
    return whole > digits ? String(Math.round(value)) : String(Number(value.toPrecision(digits)));
  },
  // Finds the inlet that pressure drops count from, by the rule of ht_is_larger_inflow (core/vessel/openings.h).
  mainInlet: (openings) => openings.filter((o) => o.role === "inlet").reduce((most, o) => (most && !(o.flow_ml_s > 1.01 * most.flow_ml_s) ? most : o), null),
};

page.kind = (() => {
  const s = page.summary;
  const sac = s.sac && s.sac.found ? s.sac : null;
  // A sac as long as the vessel is wide is the subject; a smaller one only where nothing is narrow.
  // A healthy artery tapers by some 15 % of its diameter: less than 20 % is in the tables alone.
  const narrow = s.narrowing && s.narrowing.narrowing_by_diameter_percent >= 20 ? s.narrowing : null;
  return { pulses: s.flow.period_s > 0, narrow, cycle: s.wall.cycle, sac, ofSac: sac && (!narrow || sac.size_ratio >= 1) };
})();

function tellOrigin() {
  const s = page.summary, m = s.manifest, flow = s.flow, options = m.options;
  const inlets = s.openings.filter((o) => o.role === "inlet"), outlets = s.openings.filter((o) => o.role === "outlet");
  const inflow = inlets.reduce((sum, o) => sum + o.flow_ml_s, 0);
  const scan = [m.input.modality, (m.input.signs || "")].filter((t) => t).join(", ");
  const model = (options.blood || {}).model || "newtonian";
  const blood = model === "newtonian" ? "blood of constant viscosity" : `shear-thinning blood (${model})`;
  const parts = [
    `${page.kind.pulses ? "Pulsatile blood flow" : page.summary.steady ? "Steady blood flow" : "Blood flow with a steady inflow"} and its load on the wall, from ${m.input.path}${scan ? ` (${scan})` : ""}`,
    s.mask_edited ? "with a vessel mask that was edited by hand" : "",
    `with ${page.number(inflow)} mL/s ${page.kind.pulses ? `on average over a beat of ${page.number(flow.period_s)} s ` : ""}through ${inlets.length === 1 ? `the inlet ‘${inlets[0].name}’` : `${inlets.length} inlets`} and ${outlets.length} outlet${outlets.length === 1 ? "" : "s"}`,
  ].filter((t) => t).join(", ");
  page.byId("origin").textContent = `${parts}. Lattice of ${page.number(flow.spacing_mm)} mm with ${flow.fluid_nodes.toLocaleString("en-GB")} nodes in the blood; ${blood}. hemotile ${m.hemotile} (${m.commit}), ${m.written.slice(0, 10)}.`;
  page.byId("made").textContent = `hemotile ${m.hemotile} (${m.commit}). The numbers are those of summary.json in the same folder.`;
}

const percent = (value) => (Math.abs(value) < 0.001 ? "less than 0.001\u00a0%" : `${page.number(Math.abs(value), 2)}\u00a0%`);

function tellState() {
  const s = page.summary, at = page.byId("state");
  const say = (kind, strong, text) => at.append(page.make("p", { class: kind, role: kind === "bad" ? "alert" : "status" }, page.make("strong", {}, strong), " " + text));
  if (!s.steady && !s.averages)
    say("bad", "Do not use these numbers.", page.kind.pulses ? `${s.flow.cycles > 1 ? `The last two beats differ by ${percent(100 * s.flow.cycle_change)} (at most 1\u00a0%)` : "One beat does not show whether the flow repeats"}; in- and outflow differ by ${percent(s.flow.mass_imbalance_percent)} (at most 0.5\u00a0%). The warnings say what to do.` : "The flow was stopped before it came to rest.");
  else if (s.averages)
    say("warn", "Means of a flow that never settles.", `The numbers are means over ${s.averages.beats > 1 ? `${s.averages.beats} beats` : `${s.averages.samples} samples`}.`);
  else if (page.kind.pulses)
    say("good", "The flow repeats.", `The last two of ${s.flow.cycles} beats differ by ${percent(100 * s.flow.cycle_change)}, in- and outflow by ${percent(s.flow.mass_imbalance_percent)}.`);
  else
    say("good", "The flow is steady.", `In- and outflow differ by ${percent(s.flow.mass_imbalance_percent)}.`);
}

// Compares the flow with what is usual in such a vessel; writes nothing where the flow is no result.
function tellPlausible() {
  const p = page.summary.plausibility;
  if (!p) return;
  const usual = (least, most) => (typeof least === "number" ? `${page.number(least)} to ${page.number(most)}` : `at most ${page.number(most)}`);
  const words = [["mean velocity", p.mean_velocity_m_s, "m/s", p.usual_least_velocity_m_s, p.usual_most_velocity_m_s],
    ["mean wall shear stress", p.wss_mean_pa, "Pa", p.usual_least_wss_pa, p.usual_most_wss_pa],
    ["pressure drop", p.pressure_drop_mmhg, "mmHg", p.usual_least_drop_mmhg, p.usual_most_drop_mmhg]]
    .filter(([, value]) => typeof value === "number")
    .map(([what, value, unit, least, most]) => `${what} ${page.number(value)}\u00a0${unit} (usual ${usual(least, most)})${value > most || value < least ? ", outside it" : ""}`);
  page.byId("state").append(page.make("p", { class: p.is_beyond ? "bad" : "good", role: p.is_beyond ? "alert" : "status" },
    page.make("strong", {}, p.is_beyond ? "Outside the usual range." : "Within the usual range."), ` Compared with ${p.beside} at rest (here ${page.number(p.diameter_mm)}\u00a0mm): ${words.join("; ")}.`));
}

function tellWarnings() {
  const list = page.summary.warnings, at = page.byId("warnings");
  if (list.length === 0) at.append(page.make("p", {}, "None."));
  else {
    // Keeps options and file names in one piece.
    const words = (text) => text.split(/(--[a-z-]+|`[^`]+`)/).map((part, i) => (i % 2 ? page.make("code", { class: "option" }, part.replace(/`/g, "")) : part.replace(/(\d) (?=[%a-zA-Z])/g, "$1\u00a0")));
    const items = list.map((text) => page.make("li", {}, ...words(text.replace(/^[a-z](?=[a-z]* )/, (c) => c.toUpperCase()) + ".")));
    // Shows all warnings: they are in the order of the stages, so the most important may be the last.
    at.append(page.make("ol", { class: "warn" }, ...items));
  }
}

// Returns [label, value, unit, note] of the five numbers for this kind of case.
// A standard error says how much the beats differ, nothing about the lattice.
function narrowNumbers(n, wall) {
  const over = page.summary.averages && page.summary.averages.beats > 1 ? `of the mean over ${page.summary.averages.beats} beats` : "of the mean over time";
  const plus = (error) => (error > 0 ? ` Standard error ${over}: ${page.number(error, 2)} mmHg, without the error of the lattice.` : "");
  const recovered = ` ${page.number(n.recovery_mmhg)} mmHg are recovered after the jet.`;
  const drop = page.kind.pulses
    ? [["Pressure drop over the narrowing, peak to peak", n.peak_to_peak_mmhg, "mmHg", "highest pressure before it minus highest after it, as from a catheter pull-back." + plus(n.peak_to_peak_error_mmhg)],
       ["Highest pressure drop at one moment", n.highest_mmhg, "mmHg", `at ${page.number(n.highest_time_s)} s of the beat; mean over the beat ${page.number(n.mean_mmhg)} mmHg.` + plus(n.highest_error_mmhg)]]
    : [["Pressure drop over the narrowing", n.mean_mmhg, "mmHg", "from the section before it to where the pressure has recovered." + plus(n.mean_error_mmhg)],
       ["The same from velocities (Bernoulli)", n.bernoulli_full_mmhg, "mmHg", "4 (v2² - v1²), as from Doppler: it is the drop to the jet." + recovered]];
  return [...drop,
    ["Highest velocity of the jet", n.velocity_jet_m_s, "m/s", `${page.number(n.velocity_proximal_m_s)} m/s before the narrowing` + (typeof n.jet_angle_deg === "number" ? `; the jet points ${page.number(n.jet_angle_deg, 2)}° off the vessel's axis` : "")],
    ["Narrowing, by diameter", n.narrowing_by_diameter_percent, "%", `${page.number(n.throat_diameter_mm)} mm at the throat; by area ${page.number(n.narrowing_by_area_percent)} %`],
    wall];
}

// Returns the range of the aspect ratio with the neck's plane moved by a voxel.
function neckSpread(sac) {
  const moved = [sac.neck_into_sac, sac.neck_to_vessel].filter((m) => m && typeof m.aspect_ratio === "number");
  if (!moved.length) return "";
  const all = [sac.aspect_ratio, ...moved.map((m) => m.aspect_ratio)];
  return `; ${page.number(Math.min(...all))} to ${page.number(Math.max(...all))} with the neck's plane moved by ${page.number(Math.max(...moved.map((m) => m.by_mm)), 2)} mm`;
}

function sacNumbers(sac) {
  const times = (value) => (typeof value === "number" ? `${page.number(value, 2)} times that of the vessel next to it (${page.number(sac.parent_wss_mean_pa)} Pa)` : "that of the vessel next to it is not known");
  const share = typeof sac.inflow_share === "number" ? `${page.number(100 * sac.inflow_share)} % of the vessel's flow; ` : "";
  const last = page.kind.cycle
    ? ["Oscillatory shear index of the sac, mean", sac.osi_mean, "", `no unit, 0 to 0.5; highest ${page.number(sac.osi_max)}. For rigid walls: with moving walls 101 aneurysms had 36 % less to 674 % more`]
    : ["Size ratio", sac.size_ratio, "", `no unit: the sac's length of ${page.number(sac.length_mm)} mm over the vessel's diameter of ${page.number(sac.parent_diameter_mm)} mm`];
  return [
    [`Wall shear stress of the sac${page.kind.cycle ? " over the beat (TAWSS)" : ""}, mean`, sac.wss_mean_pa, "Pa", times(sac.wss_mean_over_parent)],
    ["Sac with low wall shear stress", sac.wss_below_tenth_of_parent_area_percent, "%", "of its area has less than a tenth of the mean of the vessel next to it"],
    ["Flow into the sac", sac.inflow_ml_s, "mL/s", `${share}it fills the sac in ${page.number(sac.turnover_time_s)} s`],
    ["Aspect ratio", sac.aspect_ratio, "", `no unit: height of ${page.number(sac.height_mm)} mm over the neck's width of ${page.number(sac.neck_width_mm)} mm; volume ${page.number(sac.volume_mm3)} mm³${neckSpread(sac)}`],
    last];
}

// Returns a note if the lattice does not resolve the layer at the wall (from 1 % on there is a warning, too).
function tooLow() {
  const share = page.summary.wall.dx_plus_above_5_percent;
  return share > 1 ? `. Too low on ${page.number(share, 2)} % of the wall, where the lattice does not resolve the layer at the wall (dx+ above 5)` : "";
}

function mainNumbers() {
  const s = page.summary, cycle = page.kind.cycle, wall = s.wall, low = tooLow();
  const inlet = page.mainInlet(s.openings);
  const outlets = s.openings.filter((o) => o.role === "outlet").sort((a, b) => b.flow_ml_s - a.flow_ml_s), main = outlets[0];
  const high = cycle ? ["Wall shear stress over the beat (TAWSS), high end", cycle.tawss_p99_pa, "Pa", "99 % of the wall has less" + low]
    : ["Wall shear stress, high end", wall.wss_p99_pa, "Pa", "99 % of the wall has less" + low];
  if (page.kind.ofSac) return sacNumbers(page.kind.sac);
  if (page.kind.narrow) return narrowNumbers(s.narrowing, high);
  if (cycle)
    return [
      ["Wall shear stress over the beat (TAWSS), mean", cycle.tawss_mean_pa, "Pa", `99 % of the wall has less than ${page.number(cycle.tawss_p99_pa)} Pa` + low],
      ["Wall with low shear stress", cycle.tawss_below_0_4_pa_percent, "%", "of the area has a TAWSS below 0.4 Pa"],
      ["Oscillatory shear index, mean", cycle.osi_mean, "", `no unit, 0 to 0.5; 99 % of the wall has less than ${page.number(cycle.osi_p99)}`],
      ["Wall shear stress at peak inflow, high end", cycle.wss_peak_p99_pa, "Pa", `99 % of the wall has less; inflow ${page.number(cycle.peak_flow_ml_s)} mL/s at ${page.number(cycle.peak_time_s)} s` + low],
      ["Highest velocity", s.flow.max_velocity_m_s, "m/s", "in the vessel, over the beat"]];
  return [
    ["Wall shear stress, mean", wall.wss_mean_pa, "Pa", "over the area of the wall" + low],
    high,
    ["Highest velocity", s.flow.max_velocity_m_s, "m/s", `in the vessel; mean at ‘${inlet.name}’: ${page.number(inlet.mean_velocity_m_s)} m/s`],
    ["Pressure drop through the vessel", main && main.pressure_drop_from_inlet_mmhg, "mmHg", main ? `from ‘${inlet.name}’ to ‘${main.name}’` : ""],
    outlets.length > 1 ? ["Share of the largest outlet", main.flow_percent, "%", `of the flow leaves through ‘${main.name}’`]
      : ["Flow through the vessel", main && main.flow_ml_s, "mL/s", main ? `out of ‘${main.name}’` : ""]];
}

// Returns the place of the sac, and what to check.
function sacWords() {
  const sac = page.kind.sac, place = sac.neck_mm.map((c) => c.toFixed(1)).join(", ");
  return sac.neck_from === "case" ? `The aneurysm's sac, cut off at the neck that the case gives, at (${place}) mm (LPS).`
    : `The program found this sac, with its neck at (${place}) mm (LPS). Check in the 3D view (‘sac’) that it is an aneurysm and no branch; its numbers depend on the neck.`;
}

function tellNumbers() {
  if (page.kind.ofSac) page.byId("cards").before(page.make("p", { class: "soft" }, sacWords()));
  for (const [label, value, unit, note] of mainNumbers())
    page.byId("cards").append(page.make("div", {}, page.make("dt", {}, label),
      page.make("dd", { class: "value" }, page.number(value), page.make("span", { class: "unit" }, unit ? " " + unit : "")),
      page.make("dd", { class: "note" }, note.replace(/(\d) (?=[%a-zA-Z])/g, "$1\u00a0"))));
}

// Makes a table. rows: arrays of cells; numbers are right-aligned.
page.table = (caption, heads, rows) => {
  const cell = (value) => typeof value === "number" || value === null || value === undefined
    ? page.make("td", { class: "n" }, value === null || value === undefined ? "" : page.number(value, 4)) : page.make("td", { class: "text" }, String(value));
  const head = page.make("tr", {}, ...heads.map((h, i) => page.make("th", { scope: "col", class: rows.some((r) => typeof r[i] === "number") ? "n" : null }, h)));
  return page.make("div", { class: heads.length > 5 ? "scroll wide" : "scroll", tabindex: "0", role: "region", "aria-label": caption }, page.make("table", {}, page.make("caption", {}, caption), page.make("thead", {}, head),
    page.make("tbody", {}, ...rows.map((row) => page.make("tr", {}, ...row.map(cell))))));
};

function openingsTable() {
  const pulses = page.kind.pulses;
  const heads = ["Opening", "Role", "Radius, mm", "Flow, mL/s", "Share, %", "Mean velocity, m/s", "Pressure, mmHg"];
  if (pulses) heads.push("Lowest, mmHg", "Highest, mmHg");
  const inlets = page.summary.openings.filter((o) => o.role === "inlet");
  heads.push(inlets.length > 1 ? `Drop from ‘${page.mainInlet(inlets).name}’, mmHg` : "Drop from the inlet, mmHg");
  const rows = page.summary.openings.map((o) => {
    const row = [o.name, o.role, o.radius_mm, o.flow_ml_s, o.flow_percent, o.mean_velocity_m_s, o.pressure_mmhg];
    if (pulses) row.push(o.lowest_pressure_mmhg, o.highest_pressure_mmhg);
    return [...row, o.pressure_drop_from_inlet_mmhg];
  });
  return page.table(`Openings${pulses ? ", means over the beat" : ""}; pressures are gauge`, heads, rows);
}

function wallTable() {
  const w = page.summary.wall, c = w.cycle;
  const heads = ["Load", "Mean", "Median", "99 % below", "Highest"];
  const rows = c ? [
    ["TAWSS: mean of the magnitude, Pa", c.tawss_mean_pa, c.tawss_median_pa, c.tawss_p99_pa, c.tawss_max_pa],
    ["Magnitude of the mean, Pa", c.mean_wss_magnitude_mean_pa, null, c.mean_wss_magnitude_p99_pa, c.mean_wss_magnitude_max_pa],
    ["Oscillatory shear index, no unit", c.osi_mean, null, c.osi_p99, c.osi_max],
    ["At the largest inflow, Pa", c.wss_peak_mean_pa, null, c.wss_peak_p99_pa, c.wss_peak_max_pa],
  ] : [["Wall shear stress, Pa", w.wss_mean_pa, null, w.wss_p99_pa, w.wss_max_pa]];
  rows.push([`Lattice spacing in wall units (dx+), no unit; above 5 on ${page.number(w.dx_plus_above_5_percent, 2)} % of the wall${w.dx_plus_above_5_percent > 1 ? ", where the stresses are off" : ""}`, null, null, w.dx_plus_p99, w.dx_plus_max]);
  if (!c) for (const row of [heads, ...rows]) row.splice(2, 1); // no median is known
  return page.table(`Wall of ${page.number(w.area_mm2, 4)} mm²; a highest value is the least certain number`, heads, rows);
}

// Returns the rows of a table: the known numbers among `words` ({key: label}).
const known = (of, words) => Object.entries(words).filter(([key]) => typeof of[key] === "number").map(([key, label]) => [label, of[key]]);

function narrowTable() {
  const n = page.summary.narrowing;
  const names = { proximal: "Section before it", throat: "Section: throat", distal: "Section after it" };
  const at = Object.keys(names).filter((k) => n[k]).map((k) => [names[k], `${page.number(n[k].position_mm)} mm along the vessel, ${page.number(n[k].area_mm2)} mm²`]);
  return page.table("The narrowing: size, pressure drop and velocities", ["Quantity", "Value"], [...at, ...known(n, {
    throat_diameter_mm: "Diameter of the throat, mm", reference_diameter_before_mm: "Diameter of the vessel before it, mm", reference_diameter_behind_mm: "Diameter of the vessel after it, mm",
    narrowing_by_diameter_percent: "Narrowing by diameter, %", narrowing_by_area_percent: "Narrowing by area, %",
    ...(page.kind.pulses ? { peak_to_peak_mmhg: "Pressure drop, peak to peak, mmHg", highest_mmhg: "Pressure drop, highest at one moment, mmHg", mean_mmhg: "Pressure drop, mean, mmHg" } : { mean_mmhg: "Pressure drop, mmHg" }),
    ...(!page.summary.averages ? {} : page.kind.pulses ? { peak_to_peak_error_mmhg: "Standard error, peak to peak, mmHg", highest_error_mmhg: "Standard error, highest at one moment, mmHg", mean_error_mmhg: "Standard error, mean, mmHg" } : { mean_error_mmhg: "Standard error of the drop, mmHg" }),
    to_jet_mmhg: "Pressure drop to the jet, mmHg", recovery_mmhg: "Pressure recovered after the jet, mmHg", recovery_percent: "The same, % of the drop to the jet",
    velocity_jet_m_s: "Velocity of the jet, m/s", velocity_proximal_m_s: "Velocity before it, m/s", jet_angle_deg: "Angle of the jet with the vessel's axis, degrees",
    bernoulli_simplified_mmhg: "4 v2² (v2: the jet), mmHg", bernoulli_full_mmhg: "4 (v2² - v1²), mmHg", ...(page.kind.pulses ? { bernoulli_mean_mmhg: "Mean of 4 v2², mmHg" } : {}) })]);
}

// Makes the table of a flow that neither comes to rest nor repeats.
function turbulenceTable() {
  const s = page.summary;
  return page.table("Turbulence: the energy of the deviations from the mean (in beats: at the same phase)", ["Quantity", "Value"], [
    ...known(s.averages, page.kind.pulses ? { beats: "Beats averaged" } : { samples: "Samples averaged", duration_s: "Time averaged, s" }),
    ...known(s.turbulence, { tke_mean_mj: page.kind.pulses ? "Turbulent kinetic energy, mean over the beat, mJ" : "Turbulent kinetic energy, mJ",
      ...(page.kind.pulses ? { tke_max_mj: "The same, highest at one moment, mJ", tke_max_time_s: "That moment of the beat, s" } : {}), tke_highest_j_m3: "Highest at one node, J/m³" })]);
}

function sacTables() {
  const sac = page.kind.sac, pulses = page.kind.pulses;
  const shape = known(sac, { volume_mm3: "Volume, mm³", wall_area_mm2: "Area of its wall, mm²", height_mm: "Height above the neck, mm", length_mm: "Length from the neck's centre, mm", width_mm: "Width, mm",
    neck_width_mm: "Neck: width, mm", neck_widest_mm: "Neck: widest, mm", neck_narrowest_mm: "Neck: narrowest, mm", neck_area_mm2: "Neck: area, mm²", parent_diameter_mm: "Diameter of the vessel, mm",
    aspect_ratio: "Aspect ratio (height / neck's width)", size_ratio: "Size ratio (length / vessel's diameter)", bottleneck_factor: "Bottleneck factor (width / neck's widest)",
    undulation_index: "Undulation index", ellipticity_index: "Ellipticity index", non_sphericity_index: "Non-sphericity index",
    vessel_angle_deg: "Angle of vessel and neck, degrees", inclination_angle_deg: "Angle of sac and neck, degrees", flow_angle_deg: "Angle of sac and vessel's flow, degrees" });
  const words = { inflow_ml_s: "Flow into the sac, mL/s", parent_flow_ml_s: "Flow of the vessel before it, mL/s", inflow_area_mm2: "Area of the inflow, mm²", inflow_concentration_index: "Inflow concentration index",
    turnover_time_s: "Time that the inflow takes to fill the sac, s", mean_speed_m_s: "Speed in the sac, mean, m/s", highest_speed_m_s: "Speed in the sac, highest, m/s",
    viscous_dissipation_uw: `Viscous dissipation in the sac, µW${pulses ? " (that of the mean flow is less than the mean over the beat)" : ""}`, viscous_dissipation_ratio: "Viscous dissipation per volume, over the vessel's", vortex_core_length_mm: "Length of the vortex cores, mm",
    energy_loss_uw: "Energy loss past the sac, µW", pressure_loss_coefficient: "Pressure loss coefficient" };
  const phase = sac.at_phase;
  const flow = Object.entries(words).filter(([key]) => typeof sac[key] === "number").map(([key, label]) => (phase ? [label, sac[key], phase[key]] : [label, sac[key]]));
  const load = known(sac, { wss_mean_pa: `${pulses ? "TAWSS" : "Wall shear stress"}: mean of the sac, Pa`, wss_max_pa: `${pulses ? "TAWSS" : "Wall shear stress"}: highest of the sac, Pa`, parent_wss_mean_pa: "Mean of the vessel next to it, Pa",
    wss_mean_over_parent: "Mean of the sac over that of the vessel", wss_max_over_parent: "Highest of the sac over the vessel's mean", wss_below_tenth_of_parent_area_percent: "Sac with less than a tenth of the vessel's mean, % of its area",
    low_shear_area_percent: "Low shear area (below the vessel's mean less its deviation), %", low_shear_index: "Low shear index", shear_concentration_index: "Shear concentration index",
    osi_mean: "Oscillatory shear index, mean (rigid walls)", osi_max: "Oscillatory shear index, highest (rigid walls)", rrt_mean_per_pa: "Relative residence time, mean, 1/Pa (rigid walls)" });
  const rigid = pulses && typeof sac.osi_mean === "number" ? " The walls do not move: 101 aneurysms computed with moving walls had 36 % less to 674 % more oscillatory shear index (Front. Bioeng. Biotechnol. 12 (2024) 1433811); RRT and ECAP come from it" : "";
  const heads = phase ? ["Quantity", "Mean flow of the beat", `At ${page.number(page.summary.flow.phase_time_s)} s`] : ["Quantity", "Value"];
  return [page.table("The aneurysm's sac: size and shape; no unit where none is given", ["Quantity", "Value"], shape),
    page.table("The aneurysm's sac: flow", heads, flow), page.table("The aneurysm's sac: load on its wall" + (rigid && `.${rigid}`), ["Quantity", "Value"], load)];
}

function sensitivityTable() {
  const s = page.summary.sensitivity;
  return page.table(`The wall moved by ${page.number(s.offset_mm)} mm, half a voxel of the scan${s.thinner && s.thicker && s.thinner.moved_mm && s.thicker.moved_mm ? `; measured: ${page.number(-s.thinner.moved_mm, 2)} mm inwards, ${page.number(s.thicker.moved_mm, 2)} mm outwards` : ""}`, ["Number", "Thinner", "As is", "Thicker", "Spread, %"],
    (s.figures || []).map((f) => [(f.outlet ? f.outlet + ": " : "") + f.figure, f.thinner, f.as_is, f.thicker, f.spread_percent]));
}

function tellTables() {
  const at = page.byId("tables"), s = page.summary;
  at.append(openingsTable(), wallTable());
  if (s.narrowing) at.append(narrowTable());
  if (s.turbulence) at.append(turbulenceTable());
  if (page.kind.sac && !page.kind.ofSac) at.append(page.make("p", {}, sacWords()));
  if (page.kind.sac) at.append(...sacTables());
  else if (s.sac) at.append(page.make("p", {}, `No aneurysm's sac was found: ${s.sac.why_not}.`));
  if (s.sensitivity) at.append(sensitivityTable());
  const q = s.manifest.quality;
  if (q && q.has_scan)
    at.append(page.table("The vessel that was found (the mask) against the scan", ["Measure", "Value"], known(q, { scan_voxel_mm: "Voxel of the scan, mm", contrast_to_noise: "Contrast to noise: whole vessel", lowest_contrast_to_noise: "Contrast to noise: lowest along the vessel", edge_width_voxels: "Width of the edge, voxels", wall_without_edge_percent: "Wall without an edge in the scan, %", thinnest_diameter_mm: "Thinnest section, mm", thinnest_voxels: "Thinnest section, voxels of the scan" })));
}

// Turns an object into rows "a.b.c | value".
function flatten(value, name, rows) {
  if (value !== null && typeof value === "object" && !(Array.isArray(value) && value.every((v) => typeof v !== "object")))
    for (const [key, inner] of Object.entries(value)) flatten(inner, name ? `${name}.${Array.isArray(value) ? Number(key) + 1 : key}` : key, rows);
  else rows.push([name, Array.isArray(value) ? value.join(", ") : String(value)]);
  return rows;
}

function tellRecord() {
  const { options, ...record } = page.summary.manifest;
  page.byId("settings").append(page.table("Settings, as in case.yaml", ["Key", "Value"], flatten(options, "", [])));
  page.byId("record").append(page.table("As in manifest.json", ["Key", "Value"], flatten({ ...record, flow: page.summary.flow, tiling: page.summary.tiling, speed: page.summary.speed, time: page.summary.time }, "", [])));
}

tellOrigin();
tellState();
tellPlausible();
tellWarnings();
tellNumbers();
tellTables();
tellRecord();
// Puts a picture of the wall in place of the 3D view in print.
const printed = document.querySelector(".pictures figure");
if (printed) {
  printed.classList.add("on-top");
  page.byId("view").append(page.make("figure", { class: "printed" }, page.make("img", { src: printed.querySelector("img").src, alt: "" }), printed.querySelector("figcaption").cloneNode(true)));
}
// Lets one picture at a time take the whole width: side by side they are small.
for (const figure of document.querySelectorAll(".pictures figure")) {
  const button = page.make("button", { type: "button", class: "enlarge", "aria-pressed": "false" }, "Enlarge");
  const toggle = () => {
    const large = figure.classList.toggle("large");
    button.textContent = large ? "Smaller" : "Enlarge";
    button.setAttribute("aria-pressed", String(large));
    figure.scrollIntoView({ block: "nearest" });
  };
  button.addEventListener("click", toggle);
  figure.querySelector("img").addEventListener("click", toggle);
  figure.querySelector("figcaption").append(" ", button);
}
// Closes the moving picture for users who prefer less motion; they can open it.
if (page.byId("beat") && window.matchMedia("(prefers-reduced-motion: reduce)").matches) page.byId("beat").open = false;
