// Curves as SVG, from the tables of the case.
"use strict";
(() => {
  // Okabe & Ito's colours, which the colour-blind tell apart; dashes tell the curves apart in print.
  // Their values are in report.css, for light and dark.
  const colours = [0, 1, 2, 3, 4, 5].map((c) => `var(--curve-${c})`);
  const dashes = ["", "7 4", "2 3", "9 3 2 3", "14 4", "4 2"];
  const svg = (tag, attributes, ...content) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...content);
    return node;
  };

  // Splits the names in the first line of a CSV; one with a comma or a quote is in quotes.
  function readNames(line) {
    const names = [""];
    let quoted = false, before = "";
    for (const c of line) {
      if (c === '"') {
        if (!quoted && before === '"') names[names.length - 1] += c; // two quotes: one belongs to the name
        quoted = !quoted;
      } else if (c === "," && !quoted) names.push("");
      else names[names.length - 1] += c;
      before = c;
    }
    return names;
  }

  // Reads a CSV with one line of names into {name: [numbers]}; null: there is none.
  function readTable(id) {
    const lines = page.byId(id).textContent.trim().split("\n");
    if (lines.length < 3) return null;
    const names = readNames(lines[0]), columns = {};
    names.forEach((name, i) => (columns[name] = lines.slice(1).map((line) => {
      const text = line.split(",")[i];
      return text === "" || text === undefined ? NaN : Number(text);
    })));
    return columns;
  }

  // Chooses round ticks: some five on an axis.
  function ticksOf(low, high) {
    const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw) || power;
    const ticks = [];
    for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + 1e-9 * step; t += step) ticks.push(Math.abs(t) < step * 1e-6 ? 0 : t);
    return ticks;
  }

  function rangeOf(values, fromZero) {
    const good = values.filter(isFinite);
    let low = Math.min(...good), high = Math.max(...good);
    if (low === high) { low -= Math.abs(low) * 0.1 || 1; high += Math.abs(high) * 0.1 || 1; }
    const margin = 0.05 * (high - low);
    return [fromZero && low === 0 ? 0 : low - margin, high + margin];
  }

  // Draws a plot. curves: [{name, x, y}]; dots: points in place of a line.
  // powers: the values are powers of ten.
  // fromZero: the axis begins at 0, so that a small change looks small.
  function plot(title, xTitle, yTitle, curves, note, { powers = false, fromZero = false } = {}) {
    const wide = 480, high = 280, box = { l: 62, r: 12, t: 10, b: 44 };
    const label = (t) => (powers ? page.number(10 ** t, 2).replace(/^1\.0 × /, "") : page.number(t).replace(/\.?0+ ×/, " ×"));
    const [x0, x1] = [Math.min(...curves.flatMap((c) => c.x)), Math.max(...curves.flatMap((c) => c.x))];
    const [y0, y1] = rangeOf(curves.flatMap((c) => c.y).concat(fromZero ? 0 : []), fromZero);
    const ticks = ticksOf(y0, y1).filter((t) => !powers || Number.isInteger(t));
    box.l = Math.max(box.l, 26 + 7.5 * Math.max(...ticks.map((t) => label(t).length)));
    const px = (x) => box.l + ((x - x0) / (x1 - x0)) * (wide - box.l - box.r);
    const py = (y) => high - box.b - ((y - y0) / (y1 - y0)) * (high - box.t - box.b);
    const root = svg("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `${title}. ${curves.map((c) => `${c.name}: from ${label(Math.min(...c.y.filter(isFinite)))} to ${label(Math.max(...c.y.filter(isFinite)))}`).join("; ")}. ${yTitle} over ${xTitle}.` });
    const text = (x, y, words, more) => svg("text", { x, y, fill: "currentColor", "font-size": 13, ...more }, words);
    for (const t of ticks) root.append(svg("line", { x1: box.l, x2: wide - box.r, y1: py(t), y2: py(t), stroke: "currentColor", "stroke-opacity": t === 0 ? 0.5 : 0.15 }), text(box.l - 6, py(t) + 4, label(t), { "text-anchor": "end" }));
    for (const t of ticksOf(x0, x1)) root.append(svg("line", { x1: px(t), x2: px(t), y1: high - box.b, y2: high - box.b + 5, stroke: "currentColor" }), text(Math.min(px(t), wide - 4 - 3.6 * String(page.number(t)).length), high - box.b + 19, page.number(t), { "text-anchor": "middle" }));
    root.append(svg("line", { x1: box.l, x2: wide - box.r, y1: high - box.b, y2: high - box.b, stroke: "currentColor" }),
      text((box.l + wide - box.r) / 2, high - 8, xTitle, { "text-anchor": "middle" }),
      text(14, (box.t + high - box.b) / 2, yTitle, { "text-anchor": "middle", transform: `rotate(-90 14 ${(box.t + high - box.b) / 2})` }));
    const legend = page.make("ul", { class: "legend" });
    curves.forEach((c, i) => {
      const look = { fill: "none", style: `stroke: ${colours[i % colours.length]}`, "stroke-width": 2.2, "stroke-dasharray": dashes[i % dashes.length], "stroke-linejoin": "round" };
      if (c.dots) {
        const dot = (x, y) => svg("circle", { cx: x, cy: y, r: 3, style: `fill: ${colours[i % colours.length]}` });
        c.x.forEach((x, k) => isFinite(c.y[k]) && root.append(dot(px(x).toFixed(1), py(c.y[k]).toFixed(1))));
        legend.append(page.make("li", {}, svg("svg", { viewBox: "0 0 32 10", "aria-hidden": "true" }, dot(16, 5)), c.name));
        return;
      }
      let path = "", pen = "M";
      c.x.forEach((x, k) => {
        if (!isFinite(c.y[k])) { pen = "M"; return; }
        const alone = pen === "M" && !isFinite(c.y[k + 1] ?? NaN); // a dash: a line needs two
        path += `${pen}${px(x).toFixed(1)} ${py(c.y[k]).toFixed(1)}${alone ? "m-2 0h4" : ""}`;
        pen = "L";
      });
      root.append(svg("path", { d: path, ...look }));
      if (curves.length > 1) legend.append(page.make("li", {}, svg("svg", { viewBox: "0 0 32 10", "aria-hidden": "true" }, svg("line", { x1: 0, x2: 32, y1: 5, y2: 5, ...look })), c.name));
    });
    page.byId("plots").append(page.make("figure", {}, root, legend, page.make("figcaption", {}, page.make("b", {}, title + ". "), note || "")));
    page.byId("plots-section").classList.remove("empty");
  }

  const openings = page.summary.openings.map((o) => o.name);
  const named = (table, x, prefix) => openings.filter((n) => table[prefix + n]).map((n) => ({ name: n, x: table[x], y: table[prefix + n] }));

  const beat = readTable("data-waveforms");
  if (beat) {
    const time = page.kind.pulses ? "time from the start of the beat, s" : "time, s";
    plot("Flow through the openings", time, "flow, mL/s", named(beat, "time_s", "flow_ml_s_"), "Into the vessel at inlets, out of it at outlets.", { fromZero: true });
    plot("Pressure at the openings", time, "pressure, mmHg", named(beat, "time_s", "pressure_mmhg_"), "Gauge pressure, mean over the section.");
  }
  const inflow = readTable("data-inflow"), given = page.summary.inflow;
  if (inflow && given) {
    const curves = [{ name: "inflow", x: inflow.time_s, y: inflow.flow_ml_s }];
    if (inflow.sample_ml_s.some((v) => isFinite(v))) curves.push({ name: "samples of the waveform", x: inflow.time_s, y: inflow.sample_ml_s, dots: true });
    plot("Inflow that was given", "time from the start of the beat, s", "flow, mL/s", curves,
      `The waveform ${given.waveform}, scaled to the mean flow of all inlets: mean ${page.number(given.mean_ml_s)}, highest ${page.number(given.highest_ml_s)}, lowest ${page.number(given.lowest_ml_s)} mL/s; a beat of ${page.number(given.period_s)} s, ${page.number(given.rate_per_min)} per minute${given.end_of_beat ? `: ${given.end_of_beat}` : ""}.`, { fromZero: true });
  }
  const line = readTable("data-centreline");
  if (line) {
    const x = line.position_mm, along = "position along the vessel, mm";
    const pressure = [{ name: page.kind.pulses ? "mean over the beat" : "pressure", x, y: line.pressure_mmhg }];
    if (page.kind.pulses) pressure.push({ name: "at the largest inflow", x, y: line.pressure_at_peak_flow_mmhg });
    plot("Pressure along the vessel", along, "pressure, mmHg", pressure, "From the inlet to the widest outlet, mean over each section. Gaps: a sac or a branch, whose section is not the vessel's alone.");
    plot("Diameter along the vessel", along, "diameter, mm", [{ name: "diameter", x, y: line.diameter_mm }], "Diameter of the circle with the section's area.", { fromZero: true });
    const speed = [{ name: "mean over the section", x, y: line.mean_velocity_m_s }, { name: "highest in the section", x, y: line.highest_velocity_m_s }];
    plot("Velocity along the vessel", along, "velocity, m/s", speed, page.kind.pulses ? "The highest is that of the whole beat." : "", { fromZero: true });
    /* Tells whether there are values: folders of earlier versions lack some columns, and a short vessel has no curvature. */
    const has = (values) => values && values.some((v) => Number.isFinite(v));
    if (has(line.wss_mean_pa))
      plot("Wall shear stress along the vessel", along, "wall shear stress, Pa", [{ name: "mean around the section", x, y: line.wss_mean_pa }], page.kind.pulses ? "The mean over the beat (TAWSS), around each section." : "Mean around each section.", { fromZero: true });
    if (has(line.curvature_per_mm))
      plot("Bend of the centreline", along, "1/mm", [{ name: "curvature", x, y: line.curvature_per_mm }, { name: "torsion", x, y: line.torsion_per_mm }], "Curvature: 1 / radius of the bend. Torsion: how fast the plane of the bend turns; no value where the vessel is straight.");
  }

  // The convergence of the run, on an axis of powers of ten.
  const flow = page.summary.flow;
  if ((flow.changes || []).filter((c) => c > 0).length > 1)
    plot("Convergence", "time step", page.kind.pulses ? "change between beats" : "change per step", [{ name: "change", x: flow.change_steps, y: flow.changes.map((c) => (c > 0 ? Math.log10(c) : NaN)) }],
      page.kind.pulses ? "Relative change of the velocity at peak inflow from one beat to the next." : "Relative change of the velocity in one time step; the run ends when it is small enough.", { powers: true });
})();
