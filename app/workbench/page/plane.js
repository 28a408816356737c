// A plane across the vessel that the mouse moves along it and turns: in the slices and in 3D. Used for the openings
// and for the section that is measured.
import { across, add, cross, dot, minus, unit } from "./vector.js";

// Place on a line of places that is nearest to another: {index of the first of the two around it, share of the way to
// the next, off: distance}.
function nearestOn(line, place) {
  let best = { index: 0, share: 0, off: Infinity };
  for (let i = 0; i + 1 < line.length; i++) {
    const way = minus(line[i + 1], line[i]), share = Math.min(1, Math.max(0, dot(minus(place, line[i]), way) / (dot(way, way) || 1)));
    const off = Math.hypot(...minus(place, add(line[i], way, share)));
    if (off < best.off) best = { index: i, share, off };
  }
  return best;
}

// Distance along a line of places {place, along} that is nearest to a pixel of the part of the view, or to the place
// there.
export function alongAt(line, at, pixel) {
  const flat = at.isSolid ? line.map((s) => [...at.pixel(s.place), 0]) : line.map((s) => s.place);
  const { index, share } = nearestOn(flat, at.isSolid ? [...pixel, 0] : at.place(pixel));
  return line[index].along + share * ((line[index + 1] ?? line[index]).along - line[index].along);
}

// Handles of a plane. `of`: {plane: () => {place, normal, radius} or null; colour; slide(at, pixel): moves it along the
// vessel; turn(normal): a new direction; drop(isCancelled)}.
export function planeHandles(of) {
  const arm = (plane) => 2.2 * plane.radius + 2; // mm from the middle to the grip that turns it
  const rim = (plane) => {
    const [u, v] = across(plane.normal), sides = 32;
    return Array.from({ length: sides }, (_, k) => add(add(plane.place, u, 1.25 * plane.radius * Math.cos((2 * Math.PI * k) / sides)), v, 1.25 * plane.radius * Math.sin((2 * Math.PI * k) / sides)));
  };
  const tipOf = (plane, sign) => add(plane.place, plane.normal, sign * arm(plane));
  // The tip that the part of the view shows: {tip, sign: -1: on the other side of the plane}; null: none, or too near.
  const tipIn = (plane, at) => [1, -1].map((sign) => ({ sign, tip: at.pixel(tipOf(plane, sign)) })).find(({ tip }) => at.has(tip) && Math.hypot(...[0, 1].map((k) => tip[k] - at.pixel(plane.place)[k])) > 12) ?? null;
  const parts = (view) => [...view.slices, ...(view.solid ? [view.solid] : [])];
  // Whether the plane is seen in the part: its middle lies near the slice.
  const isSeen = (plane, at) => at.isSolid || Math.abs(at.off(plane.place)) < Math.max(1, 0.5 * plane.radius);
  // Direction of the plane within a slice; null where it lies in the slice.
  const inSlice = (plane, at) => { const way = cross(at.normal, plane.normal); return Math.hypot(...way) > 0.3 ? unit(way) : null; };
  return {
    lines(view) {
      const plane = of.plane(), list = [];
      for (const at of plane ? parts(view).filter((one) => isSeen(plane, one)) : []) {
        const middle = at.pixel(plane.place), end = tipIn(plane, at), way = at.isSolid ? null : inSlice(plane, at);
        if (!at.has(middle)) continue;
        if (at.isSolid) list.push({ points: rim(plane).map((p) => at.pixel(p)), isClosed: true, colour: of.colour });
        if (way) list.push({ points: [at.pixel(add(plane.place, way, -1.25 * plane.radius)), at.pixel(add(plane.place, way, 1.25 * plane.radius))], colour: of.colour });
        if (end) list.push({ points: [middle, end.tip], colour: of.colour });
      }
      return list;
    },
    grips(view) {
      const plane = of.plane(), list = [];
      for (const at of plane ? parts(view).filter((one) => isSeen(plane, one)) : []) {
        const middle = at.pixel(plane.place), end = tipIn(plane, at);
        if (!at.has(middle)) continue;
        list.push({ x: middle[0], y: middle[1], at, colour: of.colour, key: "slide" });
        if (end) list.push({ x: end.tip[0], y: end.tip[1], at, sign: end.sign, colour: "#fff", key: "turn" });
      }
      return list;
    },
    drag(grip, pixel) {
      const plane = of.plane();
      if (!plane) return;
      if (grip.key === "slide") return of.slide(grip.at, pixel);
      const tip = tipOf(plane, grip.sign), at = grip.at;
      // Within a slice the direction keeps its part across the slice; in 3D the tip moves across the sight.
      const to = at.isSolid ? at.move(tip, pixel) : add(at.place(pixel), at.normal, at.off(tip));
      const way = minus(to, plane.place);
      if (Math.hypot(...way) > 0.2) of.turn(unit(way).map((x) => grip.sign * x));
    },
    drop: (grip, isCancelled) => of.drop(isCancelled, grip),
  };
}
