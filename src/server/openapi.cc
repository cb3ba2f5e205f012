// SPDX-License-Identifier: Apache-2.0
#include "server/openapi.h"

namespace weir::server {
namespace {

// In two parts: the paths, and what they refer to.
constexpr std::string_view kDocument = R"json({
"openapi": "3.1.0",
"info": {
  "title": "Weir",
  "version": "1",
  "summary": "An event broker that delivers less",
  "description": "Publish CloudEvents, subscribe with filters, receive by SSE or WebSocket.",
  "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}
},
"servers": [{"url": "/"}],
"security": [{"bearer": []}, {"query": []}, {}],
"paths": {
  "/": {
    "get": {
      "summary": "The resources",
      "security": [],
      "responses": {"200": {"description": "Paths and their methods",
        "content": {"application/json": {"schema": {"type": "object"}}}}}
    }
  },
  "/healthz": {
    "get": {
      "summary": "Whether the process lives",
      "security": [],
      "responses": {"200": {"$ref": "#/components/responses/Status"}}
    }
  },
  "/readyz": {
    "get": {
      "summary": "Whether events can be published",
      "security": [],
      "responses": {
        "200": {"$ref": "#/components/responses/Status"},
        "503": {"$ref": "#/components/responses/Problem"}
      }
    }
  },
  "/metrics": {
    "get": {
      "summary": "Prometheus metrics; for an admin",
      "responses": {
        "200": {"description": "Text format 0.0.4",
          "content": {"text/plain": {"schema": {"type": "string"}}}},
        "401": {"$ref": "#/components/responses/Problem"},
        "403": {"$ref": "#/components/responses/Problem"}
      }
    }
  },
  "/openapi.json": {
    "get": {
      "summary": "This document",
      "security": [],
      "responses": {"200": {"description": "OpenAPI 3.1",
        "content": {"application/json": {"schema": {"type": "object"}}}}}
    }
  },
  "/events": {
    "post": {
      "summary": "Publish one event, or a batch; answered when they are durable",
      "description": "In binary mode the attributes are ce- headers and the body is the data.",
      "requestBody": {
        "required": false,
        "content": {
          "application/cloudevents+json": {"schema": {"$ref": "#/components/schemas/Event"}},
          "application/cloudevents-batch+json": {"schema": {"type": "array",
            "items": {"$ref": "#/components/schemas/Event"}}},
          "*/*": {}
        }
      },
      "responses": {
        "200": {"description": "A duplicate, or the outcomes of a batch",
          "content": {"application/json": {"schema": {"oneOf": [
          {"$ref": "#/components/schemas/Outcome"},
          {"$ref": "#/components/schemas/BatchOutcome"}]}}}},
        "202": {"description": "Accepted",
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Outcome"}}}},
        "400": {"$ref": "#/components/responses/Problem"},
        "401": {"$ref": "#/components/responses/Problem"},
        "403": {"$ref": "#/components/responses/Problem"},
        "408": {"$ref": "#/components/responses/Problem"},
        "413": {"$ref": "#/components/responses/Problem"},
        "415": {"$ref": "#/components/responses/Problem"},
        "429": {"$ref": "#/components/responses/Problem"},
        "503": {"$ref": "#/components/responses/Problem"}
      }
    }
  },
  "/subscriptions": {
    "get": {
      "summary": "Subscriptions, in the order of their ids",
      "parameters": [
        {"name": "after", "in": "query", "description": "The last id of the page before",
          "schema": {"type": "string"}},
        {"$ref": "#/components/parameters/Limit"}
      ],
      "responses": {
        "200": {"description": "A page",
          "content": {"application/json": {"schema": {"type": "object",
          "required": ["subscriptions"], "properties": {"subscriptions": {"type": "array",
          "items": {"$ref": "#/components/schemas/Subscription"}}, "next": {"type": "string"}}}}}},
        "400": {"$ref": "#/components/responses/Problem"},
        "401": {"$ref": "#/components/responses/Problem"}
      }
    },
    "post": {
      "summary": "Create a durable subscription",
      "requestBody": {"$ref": "#/components/requestBodies/Definition"},
      "responses": {
        "201": {"$ref": "#/components/responses/Subscription"},
        "400": {"$ref": "#/components/responses/Problem"},
        "401": {"$ref": "#/components/responses/Problem"},
        "403": {"$ref": "#/components/responses/Problem"},
        "409": {"$ref": "#/components/responses/Problem"},
        "429": {"$ref": "#/components/responses/Problem"}
      }
    }
  },
  "/subscriptions/{id}": {
    "parameters": [{"$ref": "#/components/parameters/Id"}],
    "get": {
      "summary": "A subscription with its status",
      "responses": {
        "200": {"$ref": "#/components/responses/Subscription"},
        "404": {"$ref": "#/components/responses/Problem"}
      }
    },
    "put": {
      "summary": "Create or replace a subscription",
      "requestBody": {"$ref": "#/components/requestBodies/Definition"},
      "responses": {
        "200": {"$ref": "#/components/responses/Subscription"},
        "201": {"$ref": "#/components/responses/Subscription"},
        "400": {"$ref": "#/components/responses/Problem"},
        "403": {"$ref": "#/components/responses/Problem"}
      }
    },
    "delete": {
      "summary": "Delete a subscription with all that waits for it",
      "responses": {
        "204": {"description": "Deleted"},
        "404": {"$ref": "#/components/responses/Problem"}
      }
    }
  },
  "/subscriptions/{id}/ack": {
    "parameters": [{"$ref": "#/components/parameters/Id"}],
    "post": {
      "summary": "Acknowledge deliveries up to a number",
      "requestBody": {"required": true,
        "content": {"application/json": {"schema": {"type": "object", "required": ["upto"],
        "properties": {"upto": {"type": "integer", "minimum": 0}},
        "additionalProperties": false}}}},
      "responses": {
        "204": {"description": "Acknowledged for good"},
        "400": {"$ref": "#/components/responses/Problem"},
        "404": {"$ref": "#/components/responses/Problem"}
      }
    }
  },
  "/subscriptions/{id}/forget": {
    "parameters": [{"$ref": "#/components/parameters/Id"}],
    "post": {
      "summary": "What has the event's keys is new to the filter again, once this is answered",
      "requestBody": {"$ref": "#/components/requestBodies/OneEvent"},
      "responses": {
        "200": {"description": "Whether it had been seen",
          "content": {"application/json": {"schema": {"type": "object", "required": ["forgotten"],
          "properties": {"forgotten": {"type": "boolean"}}}}}},
        "400": {"$ref": "#/components/responses/Problem"},
        "403": {"$ref": "#/components/responses/Problem"},
        "404": {"$ref": "#/components/responses/Problem"},
        "415": {"$ref": "#/components/responses/Problem"},
        "429": {"$ref": "#/components/responses/Problem"}
      }
    }
  },
  "/subscriptions/{id}/explain": {
    "parameters": [{"$ref": "#/components/parameters/Id"}],
    "post": {
      "summary": "What would become of the event if it were published now, and why",
      "requestBody": {"$ref": "#/components/requestBodies/OneEvent"},
      "responses": {
        "200": {"description": "The outcome and what decided; nothing has changed",
          "content": {"application/json": {"schema":
          {"$ref": "#/components/schemas/Explanation"}}}},
        "400": {"$ref": "#/components/responses/Problem"},
        "401": {"$ref": "#/components/responses/Problem"},
        "403": {"$ref": "#/components/responses/Problem"},
        "404": {"$ref": "#/components/responses/Problem"},
        "413": {"$ref": "#/components/responses/Problem"},
        "415": {"$ref": "#/components/responses/Problem"}
      }
    }
  },
  "/subscriptions/{id}/dead-letters": {
    "parameters": [{"$ref": "#/components/parameters/Id"}],
    "get": {
      "summary": "Deliveries that a sink refused, the oldest first",
      "parameters": [
        {"name": "after", "in": "query", "description": "The last number of the page before",
          "schema": {"type": "integer", "minimum": 0}},
        {"$ref": "#/components/parameters/Limit"}
      ],
      "responses": {
        "200": {"description": "A page",
          "content": {"application/json": {"schema": {"type": "object",
          "required": ["dead_letters"], "properties": {"dead_letters": {"type": "array",
          "items": {"type": "object", "required": ["number", "at", "reason", "events"],
          "properties": {"number": {"type": "integer"}, "at": {"type": "string",
          "format": "date-time"}, "reason": {"type": "string"}, "events": {"type": "array",
          "items": {"$ref": "#/components/schemas/Event"}}}}}, "next": {"type": "integer"}}}}}},
        "404": {"$ref": "#/components/responses/Problem"}
      }
    }
  },)json"
                                       R"json(
  "/subscriptions/{id}/events": {
    "parameters": [{"$ref": "#/components/parameters/Id"}],
    "get": {
      "summary": "The deliveries of a subscription, by SSE, or by WebSocket (weir.v1)",
      "parameters": [
        {"name": "Last-Event-ID", "in": "header",
          "description": "Everything up to this number has been received",
          "schema": {"type": "integer", "minimum": 0}},
        {"name": "last_event_id", "in": "query",
          "description": "The same, where headers cannot be set", "schema": {"type": "integer",
          "minimum": 0}},
        {"$ref": "#/components/parameters/Envelope"}
      ],
      "responses": {
        "101": {"description": "WebSocket"},
        "200": {"$ref": "#/components/responses/Events"},
        "400": {"$ref": "#/components/responses/Problem"},
        "403": {"$ref": "#/components/responses/Problem"},
        "404": {"$ref": "#/components/responses/Problem"},
        "409": {"$ref": "#/components/responses/Problem"}
      }
    }
  },
  "/stream": {
    "get": {
      "summary": "Events that pass a filter, as long as the connection lasts",
      "parameters": [
        {"name": "filter", "in": "query",
          "description": "In the weir language; all events without it",
          "schema": {"type": "string"}},
        {"name": "outbox", "in": "query",
          "description": "What happens if the reader is too slow",
          "schema": {"enum": ["drop_oldest", "conflate"]}},
        {"name": "limit", "in": "query", "description": "Of the outbox",
          "schema": {"type": "integer", "minimum": 1}},
        {"$ref": "#/components/parameters/Envelope"}
      ],
      "responses": {
        "101": {"description": "WebSocket"},
        "200": {"$ref": "#/components/responses/Events"},
        "400": {"$ref": "#/components/responses/Problem"},
        "401": {"$ref": "#/components/responses/Problem"},
        "429": {"$ref": "#/components/responses/Problem"}
      }
    }
  }
},
"components": {
  "securitySchemes": {
    "bearer": {"type": "http", "scheme": "bearer"},
    "query": {"type": "apiKey", "in": "query", "name": "access_token"}
  },
  "parameters": {
    "Id": {"name": "id", "in": "path", "required": true, "schema": {"type": "string",
      "maxLength": 128}},
    "Limit": {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1,
      "maximum": 1000, "default": 100}},
    "Envelope": {"name": "envelope", "in": "query",
      "description": "SSE: data as the messages of weir.v1", "schema": {"type": "boolean",
      "default": false}}
  },
  "requestBodies": {
    "OneEvent": {
      "description": "In binary mode the attributes are ce- headers and the body is the data.",
      "required": false,
      "content": {
        "application/cloudevents+json": {"schema": {"$ref": "#/components/schemas/Event"}},
        "*/*": {}
      }
    },
    "Definition": {"required": true,
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Definition"}}}}
  },
  "responses": {
    "Status": {"description": "All is well",
      "content": {"application/json": {"schema": {"type": "object",
      "properties": {"status": {"type": "string"}}}}}},
    "Problem": {"description": "An error",
      "content": {"application/problem+json": {"schema":
      {"$ref": "#/components/schemas/Problem"}}}},
    "Subscription": {"description": "The subscription",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Subscription"}}}},
    "Events": {"description": "A stream of deliveries",
      "content": {"text/event-stream": {"schema": {"type": "string"}}}}
  },
  "schemas": {
    "Event": {"type": "object", "description": "A CloudEvent 1.0 in JSON format",
      "required": ["specversion", "id", "source", "type"],
      "properties": {"specversion": {"const": "1.0"}, "id": {"type": "string", "minLength": 1},
      "source": {"type": "string", "format": "uri-reference", "minLength": 1},
      "type": {"type": "string", "minLength": 1}, "subject": {"type": "string"},
      "time": {"type": "string", "format": "date-time"}, "datacontenttype": {"type": "string"},
      "dataschema": {"type": "string", "format": "uri"}, "data": {},
      "data_base64": {"type": "string"}}},
    "Definition": {"type": "object", "additionalProperties": false,
      "properties": {"id": {"type": "string"}, "source": {"type": "string"},
      "types": {"type": "array", "items": {"type": "string"}}, "filters": {"type": "array",
      "items": {"type": "object", "minProperties": 1, "maxProperties": 1}},
      "sink": {"type": "string", "format": "uri"}, "protocol": {"const": "HTTP"},
      "config": {"type": "object"}}},
    "Subscription": {"type": "object", "required": ["id", "owner", "created", "status"],
      "properties": {"id": {"type": "string"}, "owner": {"type": "string"},
      "created": {"type": "string", "format": "date-time"}, "status": {"type": "object",
      "properties": {"pending": {"type": "integer"}, "delivered": {"type": "integer"},
      "acknowledged": {"type": "integer"}, "dropped": {"type": "integer"},
      "conflated": {"type": "integer"}, "redelivered": {"type": "integer"},
      "dead_letters": {"type": "integer"}, "connected": {"type": "boolean"},
      "window": {"$ref": "#/components/schemas/Window"}, "trouble": {"type": "string"}}}}},
    "Window": {"type": "object", "description": "Of a distinct clause",
      "required": ["keys", "keys_max", "bytes", "hits", "refuted_hits", "overflow"],
      "properties": {"keys": {"type": "integer"}, "keys_max": {"type": "integer"},
      "bytes": {"type": "integer"}, "bytes_max": {"type": "integer",
      "description": "Absent if keys may be of any length"}, "hits": {"type": "integer"},
      "refuted_hits": {"type": "integer"}, "overflow": {"type": "integer"}}},
    "Explanation": {"type": "object", "required": ["delivered", "outcome", "reason", "filter"],
      "properties": {"delivered": {"type": "boolean"}, "outcome": {"enum": ["passed", "no_match",
      "below_score", "no_value", "within_threshold", "held", "duplicate"]},
      "reason": {"type": "string"}, "filter": {"$ref": "#/components/schemas/Part"},
      "distinct": {"type": "string", "description": "What the window of a distinct clause says"},
      "note": {"type": "string", "description": "Why an event that matches counts as none"}}},
    "Part": {"type": "object", "description": "A part of a filter",
      "required": ["text", "holds", "decided", "detail", "parts"],
      "properties": {"text": {"type": "string"}, "holds": {"type": "boolean"},
      "decided": {"type": "boolean", "description": "Without it the result would be another"},
      "detail": {"type": "string", "description": "The values that it saw"},
      "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Part"}}}},
    "Outcome": {"type": "object", "required": ["status"],
      "properties": {"status": {"enum": ["accepted", "duplicate", "rejected"]},
      "sequence": {"type": "integer"}, "error": {"$ref": "#/components/schemas/Problem"}}},
    "BatchOutcome": {"type": "object", "required": ["accepted", "duplicates", "rejected",
      "results"], "properties": {"accepted": {"type": "integer"},
      "duplicates": {"type": "integer"}, "rejected": {"type": "integer"},
      "results": {"type": "array", "items": {"allOf": [{"$ref": "#/components/schemas/Outcome"},
      {"type": "object", "properties": {"index": {"type": "integer"}}}]}}}},
    "Problem": {"type": "object", "required": ["type", "title", "status", "detail", "error",
      "name"], "properties": {"type": {"type": "string"}, "title": {"type": "string"},
      "status": {"type": "integer"}, "detail": {"type": "string"}, "error": {"type": "integer"},
      "name": {"type": "string"}, "position": {"type": "object",
      "properties": {"line": {"type": "integer"}, "column": {"type": "integer"},
      "offset": {"type": "integer"}}}}}
  }
}
}
)json";

}  // namespace

std::string_view openapi_document() { return kDocument; }

}  // namespace weir::server
