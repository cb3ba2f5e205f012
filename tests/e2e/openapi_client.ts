// SPDX-License-Identifier: Apache-2.0
// A client as its users would write it: the types are generated from /openapi.json, so every name
// and every shape below is checked by the compiler.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

declare const process: { argv: string[] };

type Definition = components["schemas"]["Definition"];
type Event = components["schemas"]["Event"];

function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`expected ${what}`);
  return value;
}

function same(found: unknown, expected: unknown, what: string): void {
  if (found !== expected) throw new Error(`${what}: expected ${expected}, found ${found}`);
}

const client = createClient<paths>({ baseUrl: must(process.argv[2], "the address of a broker") });

// Every dialect, and every member of the configuration.
const definition: Definition = {
  types: ["quote"],
  filters: [
    { weir: "data.price > 20" },
    { not: { exact: { subject: "ignored" } } },
    { any: [{ prefix: { source: "/ny" } }, { suffix: { source: "se" } }] },
    { all: [{ sql: "tier = 'gold'" }, { cesql: "tier <> 'lead'" }] },
  ],
  config: {
    outbox: { policy: "drop_oldest", limit: 10 },
    initial: "none",
    start: "now",
    highlight: { characters: 100, snippets: 2, html: true, before: "<b>", after: "</b>" },
  },
};

// An extension attribute is a member like any other.
const event: Event = {
  specversion: "1.0", id: "1", source: "/nyse", type: "quote", tier: "gold", data: { price: 21 },
};

const id = { params: { path: { id: "typed" } } };

async function put(): Promise<void> {
  const created = await client.PUT("/subscriptions/{id}", { ...id, body: definition });
  same(created.response.status, 201, "status of the first PUT");
  same(created.data?.config?.outbox?.limit, 10, "limit of the outbox");
  const replaced = await client.PUT("/subscriptions/{id}", { ...id, body: definition });
  same(replaced.response.status, 200, "status of the second PUT");
}

async function publish(): Promise<void> {
  const headers = { "Content-Type": "application/cloudevents+json" };
  const one = await client.POST("/events", { headers, body: event });
  same(one.response.status, 202, "status of a publication");
  const again = await client.POST("/events", { headers, body: event });
  same(again.response.status, 200, "status of a duplicate");
  const batch: Event[] = [{ ...event, id: "2" }, { ...event, id: "3", data: { price: 1 } }];
  const many = await client.POST("/events", {
    headers: { "Content-Type": "application/cloudevents-batch+json" }, body: batch,
  });
  const results = must(many.data, "the results of a batch");
  same("results" in results && results.accepted, 2, "events accepted of a batch");
}

async function read(): Promise<void> {
  const page = must((await client.GET("/subscriptions")).data, "a page");
  same(page.subscriptions.map((one) => one.id).join(), "typed", "the subscriptions");
  for (;;) {
    const { data } = await client.GET("/subscriptions/{id}", id);
    const status = must(data, "a subscription").status;
    if (status.pending === 2) break;
  }
  const explained = await client.POST("/subscriptions/{id}/explain", {
    ...id, headers: { "Content-Type": "application/cloudevents+json" }, body: event,
  });
  same(explained.data?.outcome, "passed", "the explanation");
  const { response } = await client.POST("/subscriptions/{id}/ack", { ...id, body: { upto: 0 } });
  same(response.status, 204, "status of an acknowledgement");
}

async function fail(): Promise<void> {
  const { error } = await client.POST("/subscriptions", {
    body: { filters: [{ weir: "price >" }] },
  });
  const problem = must(error, "a problem");
  same(problem.name, "filter.syntax", "the name of the error");
  same(must(problem.position, "a position").line, 1, "the line of the error");
}

async function remove(): Promise<void> {
  same((await client.DELETE("/subscriptions/{id}", id)).response.status, 204, "status of DELETE");
  const gone = await client.GET("/subscriptions/{id}", id);
  same(gone.error?.status, 404, "status of a subscription that is gone");
}

await put();
await publish();
await read();
await fail();
await remove();
console.log("all is well");
