// SPDX-License-Identifier: Apache-2.0
// events.mjs URL [ID]: reads a stream by an EventSource, as a browser has it, and tells what comes.
// Its first connection says that ID is the last event it has seen.
import { EventSource } from "eventsource";
import { HTTP } from "cloudevents";

const [url, firstId] = process.argv.slice(2);
const headers = { "content-type": "application/cloudevents+json" };
let connections = 0;

function tell(line) {
  console.log(JSON.stringify(line));
}

const source = new EventSource(url, {
  fetch: (input, init) => {
    const first = connections++ === 0 && firstId ? { "Last-Event-ID": firstId } : {};
    const sent = { ...init.headers, ...first };
    tell({ connects: sent["Last-Event-ID"] ?? null });
    return fetch(input, { ...init, headers: sent });
  },
});
source.onmessage = (message) => {
  const event = HTTP.toEvent({ headers, body: message.data });
  event.validate();
  tell({ number: message.lastEventId, id: event.id, data: event.data });
};
source.addEventListener("notice", (message) => {
  tell({ notice: JSON.parse(message.data), number: message.lastEventId });
});
source.onerror = (error) => {
  tell({ error: error.code ?? null, closed: source.readyState === EventSource.CLOSED });
};
