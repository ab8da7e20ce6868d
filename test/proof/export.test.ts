// Verifies exported chains without a store: whole ones, and broken ones, whose break is named.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { verifyExportedEvents } from "../../src/cli/bodies/verify-export.ts";
import type { ChainedEvent } from "../../src/events/events/verify/verify-store.ts";
import { createSigner, folder, linesOf, makeChain, verifyText, writeNew } from "./chains.ts";

const signer = createSigner();
const chain = makeChain(20);
const at = (sequence: number) => chain[sequence - 1] as ChainedEvent;
const checkpointOf = (sequence: number) => signer.sign(at(sequence));

describe("a chain that is whole", () => {
  it("is proven up to the newest checkpoint", async () => {
    const whole = {
      ownerId: at(1).ownerId,
      first: 1,
      last: 20,
      events: 20,
      beginning: "first event",
      firstFault: null,
    };
    assert.deepEqual(await verifyText(linesOf(chain)), { ...whole, provenTo: null, newestBehind: null, keys: [] });
    for (const [sequences, provenTo, newestBehind] of [
      [[20], 20, null],
      [[7, 12], 12, null],
      [[12, 12], 12, null],
    ] as const) {
      const { keys, ...report } = await verifyText(linesOf(chain), sequences.map(checkpointOf));
      assert.deepEqual(report, { ...whole, provenTo, newestBehind });
      assert.deepEqual(
        keys.map(({ publicKey, trust }) => [publicKey, trust]),
        [[signer.publicKey, "claimed"]],
      );
    }
  });

  it("may begin and end anywhere", async () => {
    const part = linesOf(chain.slice(8, 14));
    for (const [sequences, beginning, provenTo, newestBehind] of [
      [[], null, null, null],
      [[8], "checkpoint", null, null],
      [[8, 14], "checkpoint", 14, null],
      [[9], null, 9, null],
      [[3, 20], null, null, 20],
      [[8, 10, 16], "checkpoint", 10, 16],
    ] as const) {
      const report = await verifyText(part, sequences.map(checkpointOf));
      assert.deepEqual([report.first, report.last, report.events, report.firstFault], [9, 14, 6, null]);
      assert.deepEqual([report.beginning, report.provenTo, report.newestBehind], [beginning, provenTo, newestBehind]);
    }
  });

  it("may be a concatenation of several exports", async () => {
    const { events, firstFault } = await verifyText(linesOf(chain.slice(0, 9)) + linesOf(chain.slice(9)));
    assert.deepEqual([events, firstFault], [20, null]);
  });

  it("is read with other line ends, and without the last one", async () => {
    const text = linesOf(chain);
    assert.equal((await verifyText(text.replaceAll("\n", "\r\n"))).events, 20);
    assert.equal((await verifyText(text.trimEnd())).events, 20);
    assert.equal((await verifyText(`${text}\n\n`)).events, 20);
  });

  it("is not affected by checkpoints of other chains", async () => {
    const other = makeChain(3, "team_111111111111111111111111");
    const { provenTo, firstFault } = await verifyText(linesOf(chain), [signer.sign(other[2] as ChainedEvent)]);
    assert.deepEqual([provenTo, firstFault], [null, null]);
  });

  it("reports its progress", async () => {
    const file = writeNew(linesOf(makeChain(500)));
    const seen: (readonly [number, number])[] = [];
    await verifyExportedEvents(file, { publicKeys: [], checkpoints: null }, (done, total) => seen.push([done, total]));
    const [done, total] = seen.at(-1) ?? [];
    assert.ok(seen.length > 1);
    assert.equal(done, total);
  });
});

describe("a chain that is broken", () => {
  const changed = (sequence: number, change: Partial<ChainedEvent>) =>
    chain.map((event) => (event.sequence === sequence ? { ...event, ...change } : event));
  const swapped = chain.toSpliced(6, 2, at(8), at(7));
  const renumbered = chain.toSpliced(4, 1).map((event, index) => ({ ...event, sequence: index + 1 }));

  for (const { what, events, kind, sequence, eventId } of [
    { what: "an event changed", events: changed(5, { ip: "x" }), kind: "changed", sequence: 5, eventId: "uev_5" },
    { what: "the first changed", events: changed(1, { text: "x" }), kind: "changed", sequence: 1, eventId: "uev_1" },
    { what: "a hash changed", events: changed(9, { hash: "x" }), kind: "changed", sequence: 9, eventId: "uev_9" },
    { what: "an event missing", events: chain.toSpliced(4, 1), kind: "removed", sequence: 5, eventId: null },
    { what: "one missing, the rest renumbered", events: renumbered, kind: "removed", sequence: 5, eventId: null },
    { what: "two lines swapped", events: swapped, kind: "reordered", sequence: 7, eventId: "uev_7" },
    { what: "a line twice", events: chain.toSpliced(7, 0, at(7)), kind: "inserted", sequence: 7, eventId: "uev_7" },
    {
      what: "an earlier line again",
      events: chain.toSpliced(12, 0, at(3)),
      kind: "inserted",
      sequence: 3,
      eventId: "uev_3",
    },
  ] as const) {
    it(`is named: ${what}`, async () => {
      const { firstFault } = await verifyText(linesOf(events));
      assert.ok(firstFault);
      assert.deepEqual([firstFault.kind, firstFault.sequence, firstFault.eventId], [kind, sequence, eventId]);
    });
  }

  it("is found in a part of it; in its first line only with a checkpoint of the event before", async () => {
    const part = linesOf(changed(9, { text: "x" }).slice(8));
    assert.equal((await verifyText(part)).firstFault, null);
    const { firstFault } = await verifyText(part, [checkpointOf(8)]);
    assert.deepEqual([firstFault?.kind, firstFault?.sequence], ["changed", 9]);
  });

  it("is revealed by a checkpoint when the whole chain was rewritten", async () => {
    const other = signer.sign({ ...at(12), hash: "0".repeat(64) });
    const { firstFault } = await verifyText(linesOf(chain), [other]);
    assert.deepEqual([firstFault?.kind, firstFault?.sequence, firstFault?.eventId], ["contradicted", 12, "uev_12"]);
    const atStart = await verifyText(linesOf(chain.slice(11)), [other]);
    assert.deepEqual([atStart.firstFault?.kind, atStart.firstFault?.sequence], ["contradicted", 12]);
  });

  it("is revealed by the trusted key when another key signed a checkpoint", async () => {
    const stranger = createSigner().sign(at(12));
    assert.equal((await verifyText(linesOf(chain), [stranger])).firstFault, null);
    const { firstFault } = await verifyText(linesOf(chain), [stranger], [signer.publicKey]);
    assert.deepEqual([firstFault?.kind, firstFault?.sequence], ["forged", 12]);
  });
});

describe("a file that is no chain", () => {
  const text = linesOf(chain);
  const [first = "", second = ""] = text.split("\n");
  const other = linesOf(makeChain(1, "team_111111111111111111111111"));
  const withColumns = (change: (columns: unknown[]) => unknown[]) => {
    const { columns, hash } = JSON.parse(second) as { columns: unknown[]; hash: string };
    return `${first}\n${JSON.stringify({ columns: change(columns), hash })}\n`;
  };

  for (const [what, content, message] of [
    ["empty", "", /: there are no events in it$/],
    ["blank", "\n \r\n", /: there are no events in it$/],
    [
      "cut off in a line",
      text.slice(0, -10),
      /, line 20: expected a line of JSON; the file is damaged, or was cut off there$/,
    ],
    ["of something else", "sequence,id,createdAt\n1,2,3\n", /, line 1: expected a line of JSON/],
    ["of bytes", "\0\u0001\u0002\n", /, line 1: expected a line of JSON/],
    ["of other JSON", `${first}\n{"id":"uev_1"}\n`, /, line 2: expected columns and hash of an event/],
    ["of null", "null\n", /, line 1: expected columns and hash/],
    ["of too few columns", withColumns((columns) => columns.slice(1)), /, line 2: expected columns and hash/],
    ["of other types", withColumns((columns) => columns.with(1, "2")), /, line 2: expected columns and hash/],
    ["of missing values", withColumns((columns) => columns.with(2, null)), /, line 2: expected columns and hash/],
    [
      "of two owners",
      first + "\n" + other,
      /, line 2: expected an event of team_0+, got one of team_1+: verify them one by one$/,
    ],
    ["without lines", `${first}\n${"x".repeat(17 * 1024 * 1024)}`, /, line 2: expected at most 16777216 bytes$/],
  ] as const) {
    it(`is refused: ${what}`, async () => {
      await assert.rejects(verifyText(content), { name: "Failure", exit: "refused", code: "export_damaged", message });
    });
  }

  it("is refused: absent, and a folder", async () => {
    const nothing = { publicKeys: [], checkpoints: null };
    for (const file of [`${folder}/absent`, folder]) {
      await assert.rejects(
        verifyExportedEvents(file, nothing, () => undefined),
        { name: "Failure", exit: "refused", code: "file_unusable" },
      );
    }
  });
});
