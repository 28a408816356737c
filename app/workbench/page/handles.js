// What the mouse drags in the view: lines and grips over it, drawn at once; what they change follows when the
// button is up. A part adds an object of functions of `view` ({slices, solid}: viewer.js):
//   lines(view)   [{points: [[x, y], ...], isClosed, isDashed, colour}], pixels of the canvas
//   grips(view)   [{x, y, at: the slice or the 3D part, ...}]
//   begin(at, pixel)      a grip for a press beside all grips, or null
//   drag(grip, pixel), drop(grip)
import { byId } from "./page.js";

const reach = 9; // pixels around a grip

export class Handles {
  constructor(bench) {
    this.bench = bench;
    this.parts = [];
    this.held = null; // {part, grip} while the button is down
    this.isTaken = false; // until the click that follows the button
    bench.viewer.onDraw = () => this.draw();
    const view = byId("canvas").parentElement;
    view.addEventListener("pointerdown", (event) => this.press(event), { capture: true });
    for (const name of ["mousedown", "touchstart", "click"]) view.addEventListener(name, (event) => this.keep(event), { capture: true });
    addEventListener("pointermove", (event) => this.move(event), { capture: true });
    addEventListener("pointerup", (event) => this.release(false, event), { capture: true });
    addEventListener("keydown", (event) => { if (event.key === "Escape" && this.held) this.release(true); }, { capture: true });
  }

  add(part) { this.parts.push(part); }

  pixel(event) {
    const frame = byId("canvas").getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
  }

  gripAt([x, y], view) {
    let best = null, least = reach;
    for (const part of this.parts)
      for (const grip of part.grips(view)) {
        const off = Math.hypot(grip.x - x, grip.y - y);
        if (off < least) { best = { part, grip }; least = off; }
      }
    return best;
  }

  press(event) {
    this.isTaken = false;
    if (event.button !== 0 || this.bench.isMouseTaken?.()) return;
    const pixel = this.pixel(event), view = this.bench.viewer.parts();
    this.held = this.gripAt(pixel, view);
    this.pressed = this.held ? pixel : null; // null: it has moved, or is no grip
    const at = view.slices.find((s) => s.has(pixel));
    for (const part of this.held || !at ? [] : this.parts) {
      const grip = part.begin?.(at, pixel);
      if (grip) this.held = { part, grip };
    }
    this.isTaken = !!this.held;
    this.keep(event);
    if (this.held) this.draw();
  }

  // The viewer does not see the events of what is held here.
  keep(event) {
    if (!this.isTaken) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  move(event) {
    if (!this.held) {
      if (!event.buttons && event.target === byId("canvas") && !this.bench.isMouseTaken?.()) byId("canvas").style.cursor = this.gripAt(this.pixel(event), this.bench.viewer.parts()) ? "grab" : "";
      return;
    }
    event.stopPropagation();
    const pixel = this.pixel(event);
    if (this.pressed && Math.hypot(pixel[0] - this.pressed[0], pixel[1] - this.pressed[1]) < 3) return;
    this.pressed = null;
    this.held.part.drag(this.held.grip, pixel);
    this.draw();
  }

  release(isCancelled, event) {
    if (!this.held) return;
    const { part, grip } = this.held;
    this.held = null;
    if (this.pressed && event) this.click(grip, event);
    else if (!this.pressed) part.drop(grip, isCancelled);
    this.draw();
  }

  // A click on a grip that was not moved is one on what lies below it.
  click(grip, event) {
    const place = grip.at.isSolid ? null : this.bench.viewer.placeAt(event);
    if (!place) return;
    this.bench.viewer.move(place);
    this.bench.viewer.onPick(place);
  }

  draw() {
    const canvas = byId("handles"), frame = canvas.getBoundingClientRect(), dpr = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(frame.width * dpr), Math.round(frame.height * dpr)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const to = canvas.getContext("2d", { willReadFrequently: true }); // kept by the processor: few lines, often drawn
    to.setTransform(dpr, 0, 0, dpr, 0, 0);
    to.clearRect(0, 0, frame.width, frame.height);
    const view = this.bench.viewer.hasScan() ? this.bench.viewer.parts() : null;
    let count = 0;
    for (const part of view ? this.parts : []) {
      const lines = part.lines(view), grips = this.bench.isMouseTaken?.() ? [] : part.grips(view);
      for (const line of lines) this.drawLine(to, line);
      for (const grip of grips) this.drawGrip(to, grip, this.held?.grip.key === grip.key && this.held?.part === part);
      count += lines.length + grips.length;
    }
    canvas.style.visibility = count ? "visible" : "hidden"; // an emptied canvas may be shown as it was
  }

  drawLine(to, { points, isClosed, isDashed, colour }) {
    for (const [width, style] of [[3.5, "rgba(0, 0, 0, 0.6)"], [1.5, colour]]) {
      to.beginPath();
      points.forEach(([x, y], i) => to[i ? "lineTo" : "moveTo"](x, y));
      if (isClosed) to.closePath();
      to.setLineDash(isDashed ? [5, 4] : []);
      to.lineWidth = width;
      to.strokeStyle = style;
      to.stroke();
    }
    to.setLineDash([]);
  }

  drawGrip(to, { x, y, colour }, isHeld) {
    to.beginPath();
    to.arc(x, y, isHeld ? 7 : 5, 0, 2 * Math.PI);
    to.fillStyle = colour;
    to.strokeStyle = "#000";
    to.lineWidth = 1.5;
    to.fill();
    to.stroke();
  }
}
