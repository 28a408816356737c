// The server's calls. Each answer is JSON; an error is thrown with the server's message. A call is about the case
// that the page's address names; the page of many cases gives its number.
const own = new URLSearchParams(location.search).get("case");

// Address of a call about a case.
export function address(path, number = own) {
  return number === null ? path : `${path}${path.includes("?") ? "&" : "?"}case=${number}`;
}

async function answerOf(response) {
  const text = await response.text();
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error(text || `the server answers ${response.status}`);
  }
  if (answer.error) throw new Error(answer.error.message);
  return answer;
}

// Starts something. `settings`: an object, or a file that is sent as it is.
export const start = async (name, settings, number = own) =>
  answerOf(await fetch(address(`/api/${name}`, number), settings instanceof Blob ? { method: "POST", body: settings }
    : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(settings) }));

export const get = async (path, number = own) => answerOf(await fetch(address(path, number)));

export const fileAddress = (file) => address(`/api/file?number=${file.number}&stamp=${file.stamp}`);

export async function readFile(file) {
  const response = await fetch(fileAddress(file));
  if (!response.ok) throw new Error(`${file.name}: ${await response.text()}`);
  return response;
}

// Reads the corrected mask, or what a step changed of it: the state, with `surface`, `triangles` (places LPS
// mm) and the `voxels` of its box.
async function maskOf(response) {
  if (!response.ok) await answerOf(response); // throws the server's message
  const bytes = await response.arrayBuffer(), length = new DataView(bytes).getUint32(0, true);
  const mask = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
  let at = (4 + length + 3) & ~3;
  const { points, triangles } = mask;
  mask.surface = new Float32Array(bytes, at, 3 * points);
  at += 12 * points;
  mask.triangles = new Uint32Array(bytes, at, 3 * triangles);
  at += 12 * triangles;
  mask.voxels = new Uint8Array(bytes, at);
  return mask;
}

// `known`: a revision of the list of steps; if it is the present one, only the state is read (box.nx 0).
export const readMask = async (known = 0) => maskOf(await fetch(address(`/api/edit?revision=${known}`)));
export const changeMask = async (change) =>
  maskOf(await fetch(address("/api/edit/do"), { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(change) }));

// Calls `tell` with each new state of the case, and with null while the server does not answer.
export function follow(tell) {
  const events = new EventSource(address("/api/events"));
  events.onmessage = (event) => tell(JSON.parse(event.data));
  events.onerror = () => tell(null);
}
