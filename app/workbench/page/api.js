// The server's calls. Each answer is JSON; an error is thrown with the server's message.
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

export const start = async (name, settings) =>
  answerOf(await fetch(`/api/${name}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(settings) }));

export const ask = async (address) => answerOf(await fetch(address));

// Sends the text of a file.
export const sendText = async (name, text) =>
  answerOf(await fetch(`/api/${name}`, { method: "POST", headers: { "Content-Type": "text/csv" }, body: text }));

export const fileAddress = (file) => `/api/file?number=${file.number}&stamp=${file.stamp}`;

export async function readFile(file) {
  const response = await fetch(fileAddress(file));
  if (!response.ok) throw new Error(`${file.name}: the server answers ${response.status}`);
  return response;
}

// Calls `tell` with each new state of the case, and with null while the server does not answer.
export function follow(tell) {
  const events = new EventSource("/api/events");
  events.onmessage = (event) => tell(JSON.parse(event.data));
  events.onerror = () => tell(null);
}
