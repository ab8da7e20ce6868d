// The outcome of a request for each kind of receiver.
import assert from "node:assert/strict";
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { freePort } from "../harness/free-port.ts";
import { httpResponse, startReceiver } from "./receiver.ts";
import { responseOf, openSender, describeOutcome } from "./sender.ts";

const patient = openSender();
/** The time-out for receivers that never end. */
const hasty = openSender({ totalTimeoutMs: 200 });

const answering = async (text: string) => await startReceiver((socket) => socket.write(text));

describe("a response", () => {
  test("of any status is the outcome, with its headers and body; a redirect is not followed", async () => {
    const target = await answering(httpResponse(200));
    for (const [status, headers] of [
      [200, {}],
      [204, {}],
      [301, { location: target.url }],
      [307, { location: target.url }],
      [400, {}],
      [410, {}],
      [429, { "retry-after": "120" }],
      [500, { "webhook-delivery": "abort-message" }],
      [503, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }],
    ] as const) {
      const body = status === 204 ? "" : `said ${status}`;
      const receiver = await answering(httpResponse(status, body, headers));
      const answer = responseOf(await patient.send(receiver));
      assert.deepEqual(
        { ...answer, headers: { ...answer.headers, ...headers } },
        { status, headers: answer.headers, body, isTruncated: false },
      );
      assert.equal(receiver.requests.length, 1);
    }
    assert.equal(target.connections, 0);
  });

  test("may arrive in pieces, after 1xx responses, without a length or by an old protocol", async () => {
    for (const text of [
      `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${httpResponse(200, "done")}`,
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ndo\r\n2\r\nne\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\n\r\ndone",
      "HTTP/1.0 200 OK\r\n\r\ndone",
    ]) {
      const receiver = await startReceiver((socket) => {
        for (const byte of text) socket.write(byte);
        if (!text.includes("ength") && !text.includes("chunked")) socket.end();
      });
      const { status, body, isTruncated } = responseOf(await patient.send(receiver));
      assert.deepEqual({ status, body, isTruncated }, { status: 200, body: "done", isTruncated: false });
    }
  });

  test("is text that every database takes", async () => {
    for (const [bytes, text] of [
      [Buffer.from("grün\u0000€"), "grün\uFFFD€"],
      [Buffer.from([0x61, 0xff, 0x62, 0xed, 0xa0, 0x80]), "a\uFFFDb\uFFFD\uFFFD\uFFFD"],
    ] as const) {
      const receiver = await startReceiver((socket) =>
        socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`), bytes])),
      );
      assert.equal(responseOf(await patient.send(receiver)).body, text);
    }
  });

  test("is kept up to exactly 16 KiB, and no character is cut in two", async () => {
    for (const [body, kept] of [
      ["a".repeat(16_384), 16_384],
      ["a".repeat(16_385), 16_384],
      [`${"a".repeat(16_383)}\u00c3\u00bc`, 16_383],
    ] as const) {
      const receiver = await startReceiver((socket) => socket.write(httpResponse(200, body), "latin1"));
      const answer = responseOf(await patient.send(receiver));
      assert.equal(answer.body, "a".repeat(kept));
      assert.equal(answer.isTruncated, body.length > 16_384);
    }
  });

  test("has headers of bounded number and length, and a repeated one has both values", async () => {
    const many = Array.from({ length: 100 }, (_, at) => [`x-${at}`, "a"] as const);
    const headers = { "x-long": "b".repeat(5_000), ...Object.fromEntries(many) };
    const receiver = await answering(
      httpResponse(200, "", headers).replace("\r\n", "\r\nVia: one\r\nvia: two\r\n__proto__: x\r\n"),
    );
    const answer = responseOf(await patient.send(receiver));
    assert.equal(answer.headers["via"], "one, two");
    assert.equal(answer.headers["x-long"]?.length, 1_024);
    assert.equal(Object.keys(answer.headers).length, 64);
    assert.ok(Object.hasOwn(answer.headers, "__proto__"));
  });
});

describe("a receiver", () => {
  test("that hangs before its response costs the time that a request may take, and no more", async () => {
    const receivers = [
      await startReceiver(() => {}),
      await answering("HTTP/1.1 200 OK\r\nContent-Le"),
      await answering("HTTP/1.1 102 Processing\r\n\r\n"),
    ];
    for (const receiver of receivers) {
      const outcome = await hasty.send(receiver);
      assert.equal(describeOutcome(outcome), "timeout: no response within 0.2 s");
      assert.ok(outcome.durationMs >= 199, `${outcome.durationMs} ms`);
      await receiver.allClosed();
    }
  });

  test("that has sent its status has decided, even if the body fails", async () => {
    const begun = "HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\nbeginning";
    const receivers = [
      await answering(begun),
      // Slowly: a byte now and then, for as long as the connection is open.
      await startReceiver((socket) => {
        socket.write(begun);
        const drip = setInterval(() => socket.write("."), 20);
        socket.on("close", () => clearInterval(drip));
      }),
      await startReceiver((socket) => socket.end(begun)),
      await startReceiver((socket) => socket.write(begun, () => setImmediate(() => socket.resetAndDestroy()))),
    ];
    const { send } = openSender({ totalTimeoutMs: 1_000 });
    for (const outcome of await Promise.all(receivers.map((receiver) => send(receiver)))) {
      const answer = responseOf(outcome);
      assert.equal(answer.status, 202);
      assert.equal(answer.isTruncated, true);
    }
    await Promise.all(receivers.map((receiver) => receiver.allClosed()));
  });

  test("that closes the connection instead of responding has not responded", async () => {
    for (const close of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
      assert.match(
        describeOutcome(await patient.send(await startReceiver(close))),
        /^response: the connection was closed \(/,
      );
    }
    const hostile = await startReceiver(() => {}, { onConnection: (socket) => socket.resetAndDestroy() });
    assert.match(describeOutcome(await patient.send(hostile)), /^(?:connect|send|response): the connection /);
  });

  test("that does not speak HTTP has not responded", async () => {
    for (const text of [
      "SSH-2.0-OpenSSH_9.9\r\n",
      "HTTP/1.1 99999 Too much\r\n\r\n",
      "HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    ]) {
      assert.match(describeOutcome(await patient.send(await answering(text))), /^response: /, text);
    }
  });

  test("that does not listen is a failed connection, whose message does not have the address", async () => {
    const port = await freePort();
    const outcome = describeOutcome(await patient.send({ url: `http://127.0.0.1:${port}/` }));
    assert.equal(outcome, "connect: the connection failed (ECONNREFUSED)");
  });

  test("can't make Reeve read without end: neither a body, nor headers, nor 1xx responses", async () => {
    const sockets: Socket[] = [];
    subscribe("undici:client:connected", (message) => sockets.push((message as { readonly socket: Socket }).socket));
    const endless = async (start: string, piece: string) =>
      await startReceiver((socket) => {
        socket.write(start);
        const pour = () => {
          while (!socket.destroyed && socket.write(piece));
        };
        socket.on("drain", pour);
        pour();
      });
    const body = await endless("HTTP/1.1 200 OK\r\n\r\n", "a".repeat(65_536));
    const answer = responseOf(await patient.send(body));
    assert.equal(answer.body.length, 16_384);
    assert.equal(answer.isTruncated, true);
    const headers = await endless("HTTP/1.1 200 OK\r\n", `x-${"a".repeat(100)}: b\r\n`.repeat(600));
    assert.equal(describeOutcome(await patient.send(headers)), "response: the headers of the response are too long");
    await Promise.all([body.allClosed(), headers.allClosed()]);
    for (const { bytesRead } of sockets) assert.ok(bytesRead <= 256 * 1_024, `${bytesRead} bytes were read`);
    assert.equal(sockets.length, 2);
  });
});
