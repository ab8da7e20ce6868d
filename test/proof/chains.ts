// Makes exported chains as files without a store, and signers of checkpoints.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { ExportReport } from "../../src/cli/bodies/verify-export.ts";
import type { EventCheckpoint } from "../../src/events/events/checkpoint-schema.ts";
import { keyIdOf, publicKeyText, signStatement } from "../../src/events/checkpoints/signature.ts";
import { chainHash } from "../../src/events/events/chain.ts";
import { chainLine } from "../../src/events/events/export/lines.ts";
import type { ChainedEvent } from "../../src/events/events/verify/verify-store.ts";
import { verifyExportedEvents } from "../../src/cli/bodies/verify-export.ts";

/** The folder for the files of a test file; removed after the tests. */
export const folder = mkdtempSync(join(tmpdir(), "reeve-proof-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

export function writeNew(text: string): string {
  const file = join(folder, `file-${files++}`);
  writeFileSync(file, text);
  return file;
}

/** Makes a chain of `length` events. */
export function makeChain(length: number, ownerId = "team_000000000000000000000000"): ChainedEvent[] {
  let previous = "";
  return Array.from({ length }, (_, index) => {
    const event = {
      ownerId,
      sequence: index + 1,
      id: `uev_${index + 1}`,
      type: "team-name-update",
      createdAt: 1_893_456_000_000 + index,
      actorKind: "user",
      principalId: "user",
      userId: index % 2 === 0 ? "user" : null,
      credentialId: null,
      actor: "{}",
      via: "http",
      ip: "192.0.2.1",
      userAgent: null,
      requestId: `req_${index}`,
      entityId: ownerId,
      projectId: null,
      text: `said "hi" \u2028 🙂 ${index}`,
      entities: "[]",
      payload: '{"a":[1,null,"\\u0007"]}',
      previous: null,
      next: "{}",
    };
    previous = chainHash(previous, event);
    return { ...event, hash: previous };
  });
}

export const linesOf = (events: readonly ChainedEvent[]) => events.map(chainLine).join("");

/** Makes a signer of checkpoints with a key of its own. */
export function createSigner() {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const [keyId, text] = [keyIdOf(publicKey), publicKeyText(publicKey)];
  return {
    publicKey: text,
    pem: publicKey.export({ type: "spki", format: "pem" }),
    sign({ ownerId, sequence, hash, createdAt: eventAt }: ChainedEvent): EventCheckpoint {
      const statement = { ownerId, sequence, hash, eventAt, createdAt: eventAt + 5, reason: "demand", keyId } as const;
      return { ...signStatement(privateKey, statement), publicKey: text };
    },
  };
}

/** Verifies a text as an export. */
export async function verifyText(
  text: string,
  checkpoints: readonly EventCheckpoint[] = [],
  publicKeys: readonly string[] = [],
): Promise<ExportReport> {
  const kept = checkpoints.length === 0 ? null : writeNew(JSON.stringify(checkpoints));
  return await verifyExportedEvents(writeNew(text), { publicKeys, checkpoints: kept }, () => undefined);
}
