// The settings of the case as its case.yaml has them, and the fields that change them. A change is written at
// once; what is refused stands beside its field, in the words of the command line.
import { get, start } from "./api.js";
import { make, numberOf } from "./page.js";

export class Settings {
  constructor(bench) {
    this.bench = bench;
    this.now = null;      // the server's answer
    this.problem = "";    // why there is none
    this.onChange = [];
    this.bad = new Map(); // field: what is wrong with it
    this.work = Promise.resolve();
    this.stamp = "";
  }

  key(name) { return this.now?.keys.find((k) => k.name === name); }

  take(answer) {
    this.now = answer;
    for (const tell of this.onChange) tell();
  }

  // Loads them where the state says that they changed: here, in another page, or by a command.
  async follow(state) {
    const stamps = ["case.yaml", "openings.json", "mask.nii.gz", "edits.jsonl", "manifest.json"].map((name) => this.bench.fileOf(name)?.stamp ?? 0);
    const stamp = [...stamps, state.job.number, state.job.running, state.others_work].join();
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    try {
      this.problem = "";
      this.take(stamps[0] ? await get("/api/settings") : null);
    } catch (error) {
      this.problem = error.message;
      this.take(null);
    }
  }

  // Changes settings, [[name, text], ...] or a function that gives them once it is their turn, after those that
  // are under way. Returns what is wrong, or "".
  change(pairs, send = () => start("settings", { set: typeof pairs === "function" ? pairs() : pairs })) {
    const done = this.work.then(async () => {
      try {
        this.take(await send());
        return "";
      } catch (error) {
        return error.message;
      }
    });
    this.work = done;
    return done;
  }

  // Waits for all changes. Returns whether none was refused; else the first is shown.
  async settled() {
    await this.work;
    const [first] = this.bad;
    if (!first) return true;
    first[0].focus();
    this.bench.tell(first[1]);
    return false;
  }

  // Settings that differ from what is usual, for a command that repeats the case.
  given() {
    if (!this.now) return [];
    const pairs = this.now.keys.filter((k) => k.given && k.name.includes(".") && !/^(region|segment|vessel)\./.test(k.name) && !(k.name === "flow.waveform" && this.now.inflow.of_file)).map((k) => [k.name, k.value]);
    for (const o of this.now.openings) {
      if (!o.name) continue;
      const put = (key) => pairs.push([`openings.${o.name}.${key}`, o[key]]);
      if (!o.point && o.centre_mm) { put("centre_mm"); if (o.normal) put("normal"); }
      if (!o.point && o.role) put("role");
      if (o.flow_ml_s !== "auto") put("flow_ml_s");
      if (o.pressure_pa && o.pressure_pa !== "0" && o.role === "outlet") put("pressure_pa");
      if (o.flow_fraction !== "auto") put("flow_fraction");
      if (o.windkessel_mmhg_ml_s) put("windkessel_mmhg_ml_s");
    }
    return pairs;
  }
}

let fields = 0;

// Makes a field of one setting: {key: its name, or a function of it; value: its text, by default that of a case
// key; label, with the unit; words: {value: label}; parts: labels of several numbers; id; placeholder; isText}.
// What is typed stays until the case has it, whatever the case becomes meanwhile.
// Returns {node, update, isOpen: whether it has the focus, or what the case does not have yet; drop}.
export function makeField(settings, of) {
  const name = () => (typeof of.key === "function" ? of.key() : of.key);
  const key = () => settings.key(name());
  const value = of.value ?? (() => key()?.value ?? "");
  const id = of.id ?? `field-${++fields}`;
  const isNumber = !of.words && !of.isText;
  const note = make("p", { class: "note", id: `${id}-note` });
  const inputs = of.words ? [make("select", { id }, ...Object.entries(of.words).map(([word, text]) => make("option", { value: word }, text)))]
    : (of.parts ?? [""]).map((part, i) => make("input", { id: i ? `${id}-${i}` : id, inputmode: isNumber ? "decimal" : "text", autocomplete: "off", ...(part ? { placeholder: part, "aria-label": `${of.label}: ${part}` } : { placeholder: of.placeholder ?? "" }) }));
  const node = make("div", { class: "field" }, make("label", { for: id }, of.label), make("span", { class: "inputs" }, ...inputs), note);
  inputs.forEach((input) => input.setAttribute("aria-describedby", note.id));
  let typing = 0, kept = 0; // counts what was typed; the latest that the case has
  let sending = 0;          // changes under way
  let isWaiting = false;    // for a command to end
  let isDropped = false;

  function say(message) {
    if (message) settings.bad.set(inputs[0], message);
    else settings.bad.delete(inputs[0]);
    inputs.forEach((input) => input.setAttribute("aria-invalid", String(!!message)));
    note.textContent = message || of.note?.() || (key()?.idle ? `no effect: ${key().idle}` : "");
    note.classList.toggle("bad", !!message);
  }
  // Text of the fields as a case file has it; null: no number, and said so.
  function typed() {
    const texts = inputs.map((input) => input.value.trim());
    if (!isNumber) return texts[0];
    if (texts.every((text) => !text)) return of.empty ?? (key() && !key().auto ? key().usual : "auto");
    if (of.isPair) return texts[0];
    const wrong = texts.find((text) => Number.isNaN(numberOf(text)));
    if (wrong !== undefined) {
      const message = `'${wrong}' is no number: write 2.5 for two and a half.`;
      say(message);
      settings.bench.tell(message);
      return null;
    }
    const numbers = texts.map((text) => text.replace(",", "."));
    return of.parts ? `[${numbers.join(", ")}]` : numbers[0];
  }
  const refuse = (message) => {
    if (isDropped) settings.bench.tell(`${of.label}: ${message}`);
    else say(message);
  };
  async function commit() {
    if (of.parts && inputs.some((input) => !input.value.trim()) && inputs.some((input) => input.value.trim())) return; // more is to come
    const text = typed(), number = typing;
    if (text === null) return;
    if (text === value() && !sending) {
      kept = number;
      settings.bad.delete(inputs[0]);
      return update();
    }
    isWaiting = settings.bench.isBusy();
    if (isWaiting) return refuse("A command works in the case's folder: this is saved when it has ended.");
    settings.bad.set(inputs[0], "This is being saved.");
    sending++;
    const refused = await settings.change(() => (of.pairs ? of.pairs(text) : [[name(), text]]));
    sending--;
    if (sending) return; // of two, the later counts
    isWaiting = /wait until it has ended/.test(refused); // a command began meanwhile
    if (refused) refuse(refused);
    else settings.bad.delete(inputs[0]);
    if (refused && of.words) { // the list shows what the case has
      inputs[0].value = value();
      settings.bad.delete(inputs[0]);
    }
    if (!refused || of.words) kept = number;
    if (!refused) update();
  }
  inputs.forEach((input) => {
    input.oninput = () => { typing++; };
    input.onchange = () => { typing++; commit(); };
    input.onblur = () => { if (!note.classList.contains("bad")) update(); };
  });

  function update() {
    if (isDropped) return;
    if (isWaiting && !settings.bench.isBusy()) return commit();
    if (typing !== kept || sending || settings.bad.has(inputs[0])) return;
    const text = value();
    const parts = text === "auto" || text === "" ? [] : of.parts || of.isPair ? text.replace(/[[\]]/g, "").split(/,\s*/) : [text];
    const shown = of.words ? [text] : of.isPair ? [parts.join("/")] : parts;
    inputs.forEach((input, i) => { if (input !== document.activeElement || of.words) input.value = shown[i] ?? ""; });
    node.title = of.help ?? key()?.help ?? "";
    inputs.forEach((input) => { input.disabled = !settings.now || settings.bench.isBusy(); });
    say("");
  }
  settings.onChange.push(update);
  return {
    node, update,
    isOpen: () => typing !== kept || sending > 0 || inputs.includes(document.activeElement),
    drop() {
      isDropped = true;
      if (typing !== kept && !sending) settings.bench.tell(`${of.label}: ${inputs.map((input) => input.value).join(" ")} was not saved.`);
      settings.bad.delete(inputs[0]);
      settings.onChange = settings.onChange.filter((f) => f !== update);
    },
  };
}
