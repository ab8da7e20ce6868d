// What a decision takes that reads a body of 64 KB: decoding it, and a hundred rules of which ten look into its values.
import { decodeBody } from "../../src/firewall/evaluator/body/decode-body.ts";
import { createCounters } from "../../src/firewall/evaluator/counters.ts";
import type { Condition } from "../../src/firewall/evaluator/config.ts";
import { ROUNDS } from "../scenarios.ts";
import { atMost, finding, spreadRow } from "../table.ts";
import type { Table } from "../table.ts";
import { protect, requestOf, ruleOf } from "./decisions.ts";

const BYTES = 65_536;
const BODIES = 100;
const MOST_MS = 1;

const NOTE = "some text as people write it, neither short nor very long";

/** Repeats a piece until there are about so many bytes. */
function fill(piece: (at: number) => string, separator = ""): string {
  const pieces: string[] = [];
  for (let at = 0, length = 0; length < BYTES; at++) {
    const next = piece(at);
    pieces.push(next);
    length += next.length + separator.length;
  }
  return pieces.slice(0, -1).join(separator);
}

const BOUNDARY = "----boundary0123456789";
const part = (head: string, text: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;

/** A list of orders, as each kind of body says it; of a multipart form, fields and a file of text. */
const KINDS: Readonly<Record<string, readonly [type: string, body: string]>> = {
  JSON: [
    "application/json",
    `[${fill((at) => JSON.stringify({ id: at, name: `Item ${at}`, price: at * 1.5, tags: ["new"], note: NOTE }), ",")}]`,
  ],
  form: ["application/x-www-form-urlencoded", fill((at) => `field_${at}=${NOTE.replaceAll(" ", "+")}+${at}`, "&")],
  multipart: [
    `multipart/form-data; boundary=${BOUNDARY}`,
    Array.from({ length: 50 }, (_, at) => part(`name="field_${at}"`, `${NOTE} ${at}`)).join("") +
      `${part('name="file"; filename="notes.txt"', fill(() => NOTE, "\n").slice(0, BYTES - 8_192))}--${BOUNDARY}--\r\n`,
  ],
  XML: [
    "application/xml",
    `<orders>${fill((at) => `<item id="${at}"><name>Item ${at}</name><price>${at * 1.5}</price><note>${NOTE}</note></item>`)}</orders>`,
  ],
};

function conditionsOn(at: number): Condition[] | undefined {
  return at % 10 === 0 ? [{ type: "body", key: "*", op: "sub", value: `<script-${at}` }] : undefined;
}

export async function benchBodies(): Promise<Table> {
  const protection = await protect(Array.from({ length: 100 }, (_, at) => ruleOf(at, conditionsOn(at))));
  const rows = [];
  const findings = [];
  for (const [kind, [contentType, text]] of Object.entries(KINDS)) {
    const bytes = Buffer.from(text);
    const times: number[] = [];
    for (let round = 0; round < 3 * ROUNDS; round++) {
      const startedAt = performance.now();
      for (let at = 0; at < BODIES; at++) {
        const body = decodeBody({ contentType, contentEncoding: undefined }, bytes);
        if (body.problem !== null) throw new Error(`${kind}: ${body.problem.found}`);
        protection.decide({ ...requestOf(at), body }, createCounters(), 0);
      }
      times.push((performance.now() - startedAt) / BODIES);
    }
    // The first are compiled as they run.
    const row = spreadRow(`${kind}, ${Math.round(bytes.length / 1_024)} KB`, times.slice(ROUNDS));
    rows.push(row);
    findings.push(finding(`a decision by a body of ${kind}`, row.median, atMost(MOST_MS), "ms"));
  }
  return { title: "Gate: decisions that read a body", unit: "ms", rows, findings };
}
