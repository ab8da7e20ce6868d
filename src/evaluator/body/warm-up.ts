// Reads bodies of each kind before the first request does: code that has not run yet takes several times as long, and would be given up.
import { setImmediate } from "node:timers/promises";
import { decodeBody } from "./decode-body.ts";

const ROUNDS = 12;
const ITEMS = 150;

const items = Array.from({ length: ITEMS }, (_, at) => ({
  id: at,
  name: `Item ${at}`,
  note: "an \\ \u00e4 text",
  tags: [true, null],
}));
const part = (at: number) => `--b\r\nContent-Disposition: form-data; name="field_${at}"\r\n\r\nvalue ${at}\r\n`;

/** All that makes sense of a body is called by these. */
export const BODIES: readonly (readonly [type: string, body: string])[] = [
  ["application/json", JSON.stringify(items)],
  ["application/x-www-form-urlencoded", items.map(({ id }) => `field[${id}]=some+text%20here`).join("&")],
  ["multipart/form-data; boundary=b", `${items.map(({ id }) => part(id)).join("")}--b--\r\n`],
  [
    "application/xml",
    `<a>${items.map(({ id, name }) => `<item id="${id}"><b:name>${name}</b:name>&#228;</item>`).join("")}</a>`,
  ],
  ["text/plain", items.map((item) => JSON.stringify(item)).join("\n")],
];

let warm: Promise<void> | undefined;

async function readAll(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    for (const [contentType, body] of BODIES) {
      decodeBody({ contentType, contentEncoding: undefined }, Buffer.from(body));
      // Each takes a few milliseconds at first.
      await setImmediate();
    }
  }
}

/** Once in a process. */
export function warmUpBodies(): Promise<void> {
  return (warm ??= readAll());
}
