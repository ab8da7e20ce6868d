// Reads bodies of each kind before the first request does: code that has not run yet takes several times as long, and would be given up.
import { setImmediate } from "node:timers/promises";
import { decodeBody } from "./decode-body.ts";

const ROUNDS = 12;
const ITEMS = 150;

const part = (at: number) => `--b\r\nContent-Disposition: form-data; name="field_${at}"\r\n\r\nvalue ${at}\r\n`;

/** All that makes sense of a body is called by these. Made when they are needed: most gates have no rule that reads a body. */
export function sampleBodies(): readonly (readonly [type: string, body: string])[] {
  const items = Array.from({ length: ITEMS }, (_, at) => ({
    id: at,
    name: `Item ${at}`,
    note: "an \\ \u00e4 text",
    tags: [true, null],
  }));
  return [
    ["application/json", JSON.stringify(items)],
    ["application/x-www-form-urlencoded", items.map(({ id }) => `field[${id}]=some+text%20here`).join("&")],
    ["multipart/form-data; boundary=b", `${items.map(({ id }) => part(id)).join("")}--b--\r\n`],
    [
      "application/xml",
      `<a>${items.map(({ id, name }) => `<item id="${id}"><b:name>${name}</b:name>&#228;</item>`).join("")}</a>`,
    ],
    ["text/plain", items.map((item) => JSON.stringify(item)).join("\n")],
  ];
}

let warm: Promise<void> | undefined;

async function readAll(): Promise<void> {
  const bodies = sampleBodies();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [contentType, body] of bodies) {
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
