// What the parts of the page share: short names for the document, and the `bench`.
export const byId = (id) => document.getElementById(id);

export function make(name, attributes, ...inside) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (key.startsWith("on")) node[key] = value; else node.setAttribute(key, value);
  node.append(...inside);
  return node;
}

// Place or vector in mm, for a person.
export const placeText = (place) => place.map((x) => x.toFixed(1)).join(", ");

// Reads a number that was typed, or NaN; a comma is a decimal point.
export const numberOf = (typed) => (/^-?\d+([.,]\d+)?$/.test(typed.trim()) ? Number(typed.trim().replace(",", ".")) : NaN);

// Reads the fields {id: key of the request} into the settings. Returns whether all of them are numbers or
// empty.
export function readNumbers(bench, fields, settings) {
  for (const [id, key] of Object.entries(fields)) {
    const typed = byId(id).value.trim();
    if (typed === "") continue;
    if (Number.isNaN(numberOf(typed))) {
      byId(id).focus();
      bench.tell(`'${typed}' is no number: write 2.5 for two and a half.`);
      return false;
    }
    settings[key] = numberOf(typed);
  }
  return true;
}

// Asks before what cannot be taken back. Escape, or the first button, is no. Returns whether the answer is yes.
export function ask(text, yes) {
  return new Promise((resolve) => {
    const dialog = make("dialog", { "aria-label": text }, make("p", {}, text), make("form", { method: "dialog" }, make("button", { value: "no", autofocus: "" }, "Keep what is there"), " ", make("button", { value: "yes", class: "main" }, yes)));
    dialog.onclose = () => { dialog.remove(); resolve(dialog.returnValue === "yes"); };
    document.body.append(dialog);
    dialog.showModal();
  });
}

// What a new flow, or another vessel, replaces.
export const replacedText = (since, isMeasured) => `This replaces the results${since ? ` of ${since}` : ""}: the flow, its tables, pictures and report.`
  + (isMeasured ? " The kept measurements become measurements_before.csv, for their places." : "");

const stoppedText = "A flow that was stopped is here, and it cannot go on after this: with the settings that it has, it can.";

// What a part may use: `viewer`, `state` (the server's latest; null before the first), and the functions here.
// A part adds to `onState` a function of each new state, to `onKey` a function of a key (event, isOnCanvas) that
// returns whether it used it. Clicks in the view go to one part at a time, `picker`.
export class Bench {
  constructor(start) {
    this.start = start; // (name, settings): starts a command
    this.state = null;
    this.onState = [];
    this.onKey = [];
    this.picker = null; // a function of the clicked place, which is null in 3D and beyond the scan
  }

  // File of the case: {name, number, stamp}; undefined: absent.
  fileOf(name) { return this.state?.files.find((f) => f.name === name); }

  // Whether a command works in the case folder.
  isBusy() { return !this.state || this.state.job.running || this.state.others_work; }

  // Says what is wrong with what was just done, until the next state.
  tell(message) {
    byId("status").textContent = message;
    byId("status").classList.add("bad");
  }

  // Moves the crosshair to a place.
  go(place) { return this.viewer.move(place) || this.tell(`${placeText(place)} lies outside the scan.`); }

  // Whether a command may start: one that replaces results asks once. A run that goes on has none to replace.
  async mayReplace(name, settings) {
    const results = this.fileOf("summary.json");
    if (!["run", "segment"].includes(name) || settings.dry_run || settings.first_look === "only") return true;
    const now = this.settings.now, isLost = now?.stopped_flow && (name === "segment" || !now.checkpoint);
    const yes = name === "run" ? "Compute the flow" : "Find the vessel";
    if (!results) return isLost ? ask(stoppedText, yes) : true;
    const since = new Date(results.stamp / 1000).toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short" });
    return ask(replacedText(since, !!this.fileOf("measurements.csv")), yes);
  }

  // Starts a command. Returns whether it started.
  async begin(name, settings) {
    if (!(await this.mayReplace(name, settings))) return false;
    try {
      await this.start(name, settings);
      return true;
    } catch (error) {
      this.tell(error.message);
      return false;
    }
  }
}
