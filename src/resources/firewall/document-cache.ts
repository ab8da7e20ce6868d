// Documents of versions as the bytes that are served. A version never changes, so what was read once holds for good, whatever
// other processes do; which one is active is read every time.
import type { Tx } from "../../kernel/tx.ts";
import type { ProjectKey } from "../projects/project-schema.ts";
import { withEnforcement } from "./document.ts";
import { findActiveVersion, findVersion } from "./store.ts";

const MAX_BYTES = 8_000_000;

// The least recently read first.
const documents = new Map<string, Buffer>();
let bytes = 0;

function cacheDocument(id: string, document: Buffer): void {
  // Of two reads at once the other one has kept it.
  if (documents.has(id)) return;
  documents.set(id, document);
  bytes += document.length;
  for (const [oldest, { length }] of documents) {
    if (bytes <= MAX_BYTES) break;
    documents.delete(oldest);
    bytes -= length;
  }
}

/** The active version's document; undefined when none is active. */
export async function readActiveDocument(
  tx: Tx,
  project: ProjectKey,
): Promise<{ readonly version: number; readonly document: Buffer } | undefined> {
  const active = await findActiveVersion(tx, project);
  if (!active) return undefined;
  const { id, version } = active;
  const known = documents.get(id);
  if (known) {
    documents.delete(id);
    documents.set(id, known);
    return { version, document: known };
  }
  const stored = await findVersion(tx, { ...project, version });
  // The owner was deleted meanwhile.
  if (!stored) return undefined;
  const document = Buffer.from(withEnforcement(stored.document));
  cacheDocument(id, document);
  return { version, document };
}
