// SPDX-License-Identifier: Apache-2.0
// sink.mjs: a webhook that reads its deliveries by the CloudEvents SDK, and tells each.
import http from "node:http";
import { HTTP } from "cloudevents";

const server = http.createServer(async (request, response) => {
  if (request.method === "OPTIONS") {
    response.writeHead(200, { "WebHook-Allowed-Origin": "*", "WebHook-Allowed-Rate": "*" }).end();
    return;
  }
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  for (const event of [HTTP.toEvent({ headers: request.headers, body })].flat()) {
    event.validate();
    console.log(JSON.stringify(event));
  }
  response.writeHead(204).end();
});
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ port: server.address().port })));
