// Whose bodies are refused when bodies take too much memory.
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { createBodyMemory } from "./body-memory.ts";

const MIB = 1_048_576;

function openMemory() {
  const seen = { refused: 0 };
  const memory = createBodyMemory(() => seen.refused++, { all: 16 * MIB, each: 4 * MIB });
  return {
    seen,
    open(client: string) {
      const response = new EventEmitter() as ServerResponse;
      const state = { refusal: "" };
      const body = memory.open(response, client, (error) => (state.refusal = error.message));
      return { ...body, state, end: () => response.emit("close") };
    },
  };
}

test("a client has a quarter of the memory, and what was announced does not count", () => {
  const { open, seen } = openMemory();
  const bodies = Array.from({ length: 128 }, () => open("greedy"));
  for (const { add } of bodies) add(1);
  const own = bodies.slice(0, 4);
  for (const { add } of own) add(MIB);
  assert.match(own[3]?.state.refusal ?? "", /4 MiB/);
  const other = open("other");
  other.add(4 * MIB);
  assert.deepEqual([seen.refused, other.state.refusal], [1, ""]);
});

test("when all memory is taken, the client that has the most loses its oldest body that is not complete", () => {
  const { open, seen } = openMemory();
  const complete = open("a");
  complete.add(3 * MIB);
  complete.complete();
  const older = open("a");
  older.add(MIB / 2);
  const newer = open("a");
  newer.add(MIB / 2);
  for (const client of ["b", "c", "d"]) open(client).add(3.9 * MIB);
  const newcomer = open("e");
  newcomer.add(MIB);
  assert.deepEqual(
    [complete, older, newer, newcomer].map(({ state }) => state.refusal !== ""),
    [false, true, false, false],
  );
  assert.equal(seen.refused, 1);
});

test("memory is released when a body was refused or its response has ended", () => {
  const { open } = openMemory();
  for (let round = 0; round < 10; round++) {
    const body = open("a");
    body.add(4 * MIB);
    body.complete();
    assert.equal(body.state.refusal, "");
    const refused = open("a");
    refused.add(1);
    refused.add(MIB);
    assert.notEqual(refused.state.refusal, "");
    body.end();
    refused.end();
  }
});
