// What a process opened lately, for the next reader, sealed under a key of the process: no value is readable in memory longer than
// without the cache. After ten minutes it is empty, and the key another one.
import { createSecretKey, hash } from "node:crypto";
import { nextBytes } from "../kernel/random.ts";
import { MINUTE_MS } from "../kernel/scheduling/clock.ts";
import { KEY_BYTES, NONCE_BYTES, decrypt, encrypt } from "./envelope.ts";

/** Of all that it holds. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_ENTRY_BYTES = 1024 * 1024;
/** What an entry takes beside its plaintext. */
const OVERHEAD_BYTES = 256;
const LIFETIME_MS = 10 * MINUTE_MS;

const newKey = () => createSecretKey(nextBytes(KEY_BYTES));

export class SealedCache {
  #key = newKey();
  /** By digests of names, the least recently used first. */
  readonly #entries = new Map<string, Buffer>();
  #bytes = 0;

  /** The plaintext, which the caller wipes; undefined: it has none of this name. */
  get(name: string): Buffer | undefined {
    const digest = hash("sha256", name);
    const entry = this.#entries.get(digest);
    if (!entry) return undefined;
    this.#entries.delete(digest);
    this.#entries.set(digest, entry);
    return decrypt(this.#key, entry, digest);
  }

  /** The name says all that the plaintext depends on. The caller wipes the plaintext. */
  set(name: string, plaintext: Buffer): void {
    const digest = hash("sha256", name);
    this.#delete(digest);
    if (plaintext.length > MAX_ENTRY_BYTES) return;
    if (this.#entries.size === 0) setTimeout(() => this.#clear(), LIFETIME_MS).unref();
    const entry = encrypt(this.#key, nextBytes(NONCE_BYTES), plaintext, digest);
    this.#entries.set(digest, entry);
    this.#bytes += entry.length + OVERHEAD_BYTES;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#delete(oldest);
    }
  }

  #delete(digest: string): void {
    const entry = this.#entries.get(digest);
    if (!entry) return;
    this.#entries.delete(digest);
    this.#bytes -= entry.length + OVERHEAD_BYTES;
  }

  #clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
    this.#key = newKey();
  }
}
