// Caches the documents of versions as the bytes that responses contain. A version never changes, so a cached document stays
// valid whatever other processes do. The number of the active version is read every time.
import type { Tx } from "../../platform/kernel/tx.ts";
import type { ProjectKey } from "../../platform/kernel/project.ts";
import { withEnforcement } from "./document.ts";
import { findActiveVersion, findVersion } from "./store.ts";

const MAX_BYTES = 8_000_000;

// Least recently used first.
const documents = new Map<string, Buffer>();
let bytes = 0;

function cacheDocument(id: string, document: Buffer): void {
  // A concurrent read has cached it.
  if (documents.has(id)) return;
  documents.set(id, document);
  bytes += document.length;
  for (const [oldest, { length }] of documents) {
    if (bytes <= MAX_BYTES) break;
    documents.delete(oldest);
    bytes -= length;
  }
}

/** The document of the active version; undefined when no version is active. */
export async function readActiveDocument(
  tx: Tx,
  project: ProjectKey,
): Promise<{ readonly version: number; readonly document: Buffer } | undefined> {
  const active = await findActiveVersion(tx, project);
  if (!active) return undefined;
  const { id, version, engine } = active;
  const key = engine === null ? id : `${id} ${engine}`;
  const known = documents.get(key);
  if (known) {
    documents.delete(key);
    documents.set(key, known);
    return { version, document: known };
  }
  const stored = await findVersion(tx, { ...project, version });
  // The owner was deleted between the two reads.
  if (!stored) return undefined;
  const document = Buffer.from(withEnforcement(stored.document, engine));
  cacheDocument(key, document);
  return { version, document };
}
