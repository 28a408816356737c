// A curve with its axes, as SVG.
const space = "http://www.w3.org/2000/svg";

function shape(name, attributes, text) {
  const node = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

const short = (x) => (x !== 0 && Math.abs(x) < 0.01 ? x.toExponential(1) : Number(x.toPrecision(3)).toString());

// Draws `points` [[x, y], ...] into the node; {x, y: labels with units; level: a line at this y; isLog: y by its
// logarithm; name: what it shows}.
export function drawCurve(node, points, { x, y, level, isLog, name }) {
  const width = 340, height = 130, left = 58, bottom = 34, top = 8, right = 8;
  const up = (v) => (isLog ? Math.log10(v) : v);
  const shown = points.filter((p) => Number.isFinite(up(p[1])));
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, class: "curve", role: "img", "aria-label": name });
  node.replaceChildren(svg);
  if (shown.length < 2) return;
  const ys = shown.map((p) => p[1]).concat(level > 0 || (!isLog && level !== undefined) ? [level] : []);
  const [x0, x1] = [shown[0][0], shown[shown.length - 1][0]], low = Math.min(...ys), high = Math.max(...ys);
  const across = (v) => left + ((v - x0) / (x1 - x0 || 1)) * (width - left - right);
  const down = (v) => height - bottom - ((up(v) - up(low)) / (up(high) - up(low) || 1)) * (height - bottom - top);
  svg.append(shape("path", { class: "axis", d: `M${left} ${top}V${height - bottom}H${width - right}` }));
  if (ys.length > shown.length) svg.append(shape("path", { class: "level", d: `M${left} ${down(level)}H${width - right}` }));
  svg.append(shape("polyline", { points: shown.map((p) => `${across(p[0]).toFixed(1)},${down(p[1]).toFixed(1)}`).join(" ") }));
  svg.append(shape("text", { x: left - 4, y: down(high) + 8, "text-anchor": "end" }, short(high)), shape("text", { x: left - 4, y: down(low), "text-anchor": "end" }, short(low)));
  svg.append(shape("text", { x: left, y: height - bottom + 14 }, short(x0)), shape("text", { x: width - right, y: height - bottom + 14, "text-anchor": "end" }, short(x1)));
  svg.append(shape("text", { x: (left + width) / 2, y: height - 4, "text-anchor": "middle" }, x));
  svg.append(shape("text", { transform: `translate(10 ${(height - bottom + top) / 2}) rotate(-90)`, "text-anchor": "middle" }, y));
}
