// SPDX-License-Identifier: Apache-2.0
// socket.mjs URL: a WebSocket that sends the lines of its input, and tells what comes.
import readline from "node:readline";
import { WebSocket } from "ws";

const socket = new WebSocket(process.argv[2], "weir.v1");

function tell(line) {
  console.log(JSON.stringify(line));
}

socket.on("open", () => {
  tell({ protocol: socket.protocol });
  readline.createInterface({ input: process.stdin }).on("line", (line) => socket.send(line));
});
socket.on("message", (message, isBinary) => tell({ isBinary, ...JSON.parse(message.toString()) }));
socket.on("unexpected-response", (_, response) => {
  tell({ refused: response.statusCode });
  process.exit(0);
});
socket.on("close", (code) => {
  tell({ closed: code });
  process.exit(0);
});
