// Outgoing requests: their content, how they share connections, and how they are stopped.
import assert from "node:assert/strict";
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";
import { httpResponse, startReceiver } from "./receiver.ts";
import type { Receiver } from "./receiver.ts";
import { responseOf, openSender, describeOutcome } from "./sender.ts";

const patient = openSender();

const answering = async (text: string) => await startReceiver((socket) => socket.write(text));

describe("requests", () => {
  test("carry the given headers and body, to the host of their URL", async () => {
    const receiver = await answering(httpResponse(200));
    const headers = {
      "content-type": "application/json",
      "X-Own": "ü",
      Host: "elsewhere.example",
      "webhook-id": "msg_1",
    };
    await patient.send(receiver, { headers, body: '{"a":"ü"}' });
    const [head = "", body] = (receiver.requests[0] ?? "").split("\r\n\r\n");
    assert.equal(Buffer.from(body ?? "", "latin1").toString(), '{"a":"ü"}');
    assert.deepEqual(head.split("\r\n"), [
      "POST /hook HTTP/1.1",
      `host: 127.0.0.1:${receiver.port}`,
      "connection: keep-alive",
      "content-type: application/json",
      "X-Own: ü",
      "webhook-id: msg_1",
      "content-length: 10",
    ]);
  });

  test("to URLs that are not allowed are refused before anything is sent", async () => {
    const receiver = await answering(httpResponse(200));
    const bad: readonly Readonly<Record<string, string>>[] = [
      { "x-a": "b\r\nx-c: d" },
      { "x-a": "\u20ac" },
      { "x a": "b" },
      { "transfer-encoding": "chunked" },
      { expect: "100-continue" },
    ];
    for (const headers of bad) {
      assert.match(describeOutcome(await patient.send(receiver, { headers })), /^send: /);
    }
    for (const url of [
      `ftp://127.0.0.1:${receiver.port}/`,
      `http://127.0.0.2:${receiver.port}/`,
      "http://93.184.216.34:80/",
      "nonsense",
    ]) {
      assert.match(describeOutcome(await patient.send({ url })), /^refused: expected /, url);
    }
    assert.deepEqual(receiver.requests, []);
  });

  test("to one receiver share connections, of which there are at most 128", async () => {
    const waiting: Socket[] = [];
    const receiver: Receiver = await startReceiver((socket) => {
      waiting.push(socket);
      // No request gets a response before the bound is reached.
      if (receiver.mostOpen === 128) for (const each of waiting.splice(0)) each.write(httpResponse(200));
    });
    const outcomes = await Promise.all(Array.from({ length: 300 }, () => patient.send(receiver)));
    assert.deepEqual(new Set(outcomes.map(describeOutcome)), new Set(["200"]));
    assert.equal(receiver.requests.length, 300);
    assert.equal(receiver.mostOpen, 128);
  });

  test("use no proxy of the environment", async () => {
    const proxy = await answering(httpResponse(200));
    const receiver = await answering(httpResponse(204));
    const variables = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
    for (const name of variables) process.env[name] = name.startsWith("NODE") ? "1" : proxy.url;
    try {
      assert.equal(describeOutcome(await openSender().send(receiver)), "204");
    } finally {
      for (const name of variables) delete process.env[name];
    }
    assert.equal(proxy.connections, 0);
  });
});

describe("stopping", () => {
  test("ends one request by its signal, and none that has its response", async () => {
    const stop = new AbortController();
    const silent = await startReceiver(() => stop.abort());
    for (let round = 0; round < 2; round++) {
      assert.equal(
        describeOutcome(await patient.send(silent, {}, stop.signal)),
        "stopped: stopped before a response arrived",
      );
    }
    assert.equal(silent.requests.length, 1);
    await silent.allClosed();
    const late = new AbortController();
    const prompt = await answering(httpResponse(200));
    assert.equal(describeOutcome(await patient.send(prompt, {}, late.signal)), "200");
    assert.equal(getEventListeners(late.signal, "abort").length, 0);
    late.abort();
    assert.equal(describeOutcome(await patient.send(prompt)), "200");
  });

  test("keeps a request that waits for a connection from ever being sent", async () => {
    const { promise: isFull, resolve: noteFull } = Promise.withResolvers<void>();
    let isOpen = false;
    const waiting: Socket[] = [];
    const receiver = await startReceiver((socket) => {
      if (isOpen) socket.write(httpResponse(200));
      else if (waiting.push(socket) === 128) noteFull();
    });
    const first = Array.from({ length: 128 }, () => patient.send(receiver));
    await isFull;
    const stop = new AbortController();
    const given = patient.send(receiver, { body: "given up" }, stop.signal);
    const last = patient.send(receiver, { body: "last" });
    stop.abort();
    assert.match(describeOutcome(await given), /^stopped: /);
    isOpen = true;
    for (const socket of waiting) socket.write(httpResponse(200));
    await Promise.all([...first, last]);
    assert.deepEqual(
      receiver.requests.filter((request) => !request.endsWith("{}")).map((request) => request.split("\r\n\r\n")[1]),
      ["last"],
    );
  });

  test("ends all requests at any stage, and closes their connections", async () => {
    const { promise: isAsked, resolve: noteAsked } = Promise.withResolvers<void>();
    const silent: Receiver = await startReceiver(() => silent.requests.length === 128 && noteAsked());
    const unready = await startReceiver(() => {});
    const begun = await answering("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbegun");
    const { send, close } = openSender({ connectTimeoutMs: 600_000 });
    const whole = await answering(httpResponse(200));
    assert.equal(describeOutcome(await send(whole)), "200");
    const hasBegun = new Promise((resolve) => subscribe("undici:request:headers", resolve));
    const answered = send(begun);
    await hasBegun;
    const sends = [
      // There are more requests than connections, so that some wait.
      ...Array.from({ length: 200 }, () => send(silent)),
      send({ url: unready.url.replace("http:", "https:") }),
    ];
    await isAsked;
    await close();
    const outcomes = await Promise.all(sends);
    assert.deepEqual(new Set(outcomes.map((outcome) => describeOutcome(outcome).split(":")[0])), new Set(["stopped"]));
    assert.equal(responseOf(await answered).isTruncated, true);
    await Promise.all([silent, unready, begun, whole].map((receiver) => receiver.allClosed()));
    assert.match(describeOutcome(await send(whole)), /^stopped: /);
    await close();
  });
});
