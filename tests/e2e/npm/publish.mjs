// SPDX-License-Identifier: Apache-2.0
// publish.mjs URL: publishes events by the CloudEvents SDK in every mode that it knows.
import { CloudEvent, HTTP, Mode, emitterFor, httpTransport } from "cloudevents";

const url = `${process.argv[2]}/events`;

function event(id, members) {
  return new CloudEvent({ id, source: "/sdk", type: "com.example.reading", ...members });
}

function tell(what, answer) {
  console.log(JSON.stringify({ what, ...answer }));
}

async function post(what, message) {
  const answer = await fetch(url, { method: "POST", headers: message.headers, body: message.body });
  tell(what, { status: answer.status, body: await answer.json() });
}

// In ASCII, and with data: in binary mode the SDK sends other attributes in Latin-1, and none at all
// without data.
const kinds = {
  object: { data: { celsius: 20.5, "k\u00fche": ["a", null] }, subject: "hall 1", room: "7" },
  text: { data: "gr\u00fcn & \"blue\"", datacontenttype: "text/plain" },
  bytes: { data: new Uint8Array([0, 1, 254, 255]), datacontenttype: "application/octet-stream" },
};

for (const mode of [Mode.BINARY, Mode.STRUCTURED]) {
  const emit = emitterFor(httpTransport(url), { mode });
  for (const [kind, members] of Object.entries(kinds)) {
    const sent = await emit(event(`${mode}-${kind}`, members));
    tell(`${mode}-${kind}`, { body: JSON.parse(sent.body) });
  }
}

const batch = ["a", "b", "a"].map((id) => event(`batch-${id}`, { data: { id } }).toJSON());
await post("batch", {
  headers: { "content-type": "application/cloudevents-batch+json" },
  body: JSON.stringify(batch),
});
await post("duplicate", HTTP.binary(event("binary-object", kinds.object)));
await post("invalid", { headers: { ...HTTP.binary(event("x", {})).headers, "ce-id": "" }, body: "" });
