// Hashes passwords and verifies them: Argon2id on libuv's threads, so that the event loop goes on, and few at a time. An account
// that does not exist, or has no password, takes the same work as one that does.
import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import type { Argon2Parameters } from "node:crypto";
import { promisify } from "node:util";
import { ApiError } from "../../platform/kernel/errors.ts";
import { createHashingQueue } from "./hashing-queue.ts";
import type { HashingQueueState } from "./hashing-queue.ts";
import { normalizePassword } from "./password-text.ts";
import { formatHash, parseHash } from "./phc-string.ts";
import type { Argon2Cost, StoredHash } from "./phc-string.ts";

/** OWASP's recommendation for Argon2id. New hashes have it, and a sign-in renews a hash that has another one. */
const COST: Argon2Cost = { memory: 19_456, passes: 2, parallelism: 1 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const MAX_RETRY_AFTER_S = 5;

export interface PasswordHashingOptions {
  /** The most hashes that are computed at once. libuv has four threads for all work, so two stay free for files and names. */
  readonly concurrency?: number;
  readonly maxWaiting?: number;
  readonly maxWaitMs?: number;
  readonly cost?: Argon2Cost;
  /** Computes Argon2id: Node's own, but for who counts its calls. */
  readonly deriveKey?: DeriveKey;
}

type DeriveKey = (parameters: Argon2Parameters) => Promise<Buffer>;

export interface Verification {
  readonly isValid: boolean;
  /** The password is valid and its hash has other parameters than new ones: store a new hash of the same password. */
  readonly needsRehash: boolean;
}

/** Both calls throw `bad_request` for a password that is too long, and `overloaded` when too many wait, or one waits too long. */
export interface PasswordHashing {
  /** The PHC string of a password. It waits as a known device does: who sets a password has proved who they are. */
  hash(password: string): Promise<string>;
  /**
   * Compares a password with a stored hash, in constant time. `stored` is null where there is no such account or it has no
   * password; the result is invalid then, after the same work.
   */
  verify(stored: string | null, password: string, client: { readonly isKnownDevice: boolean }): Promise<Verification>;
  state(): HashingQueueState;
}

const argon2Async = promisify(argon2);
const deriveArgon2id: DeriveKey = (parameters) => argon2Async("argon2id", parameters);

function isSameCost(a: Argon2Cost, b: Argon2Cost): boolean {
  return a.memory === b.memory && a.passes === b.passes && a.parallelism === b.parallelism;
}

function refuse(): ApiError {
  const retryAfter = 1 + Math.floor(Math.random() * MAX_RETRY_AFTER_S);
  const message = `Too many people sign in at the same time; try again in ${retryAfter} s`;
  return new ApiError("overloaded", message, { retryAfter });
}

export function createPasswordHashing({
  concurrency = 2,
  maxWaiting = 64,
  maxWaitMs = 10_000,
  cost = COST,
  deriveKey = deriveArgon2id,
}: PasswordHashingOptions = {}): PasswordHashing {
  const queue = createHashingQueue({ concurrency, maxWaiting, maxWaitMs, refuse });
  /** Stands in for the hash that is not there. No password leads to random bytes. */
  const absent: StoredHash = { cost, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };

  const derive = (message: string, { cost: { memory, passes, parallelism }, salt, hash }: StoredHash) =>
    deriveKey({ message, nonce: salt, memory, passes, parallelism, tagLength: hash.length });

  return {
    async hash(password) {
      const message = normalizePassword(password);
      const made: StoredHash = { cost, salt: randomBytes(SALT_BYTES), hash: Buffer.alloc(HASH_BYTES) };
      return formatHash({ ...made, hash: await queue.run(() => derive(message, made), true) });
    },
    async verify(stored, password, { isKnownDevice }) {
      const message = normalizePassword(password);
      const expected = stored === null ? absent : parseHash(stored);
      const hash = await queue.run(() => derive(message, expected), isKnownDevice);
      const isValid = timingSafeEqual(hash, expected.hash) && stored !== null;
      return { isValid, needsRehash: isValid && !isSameCost(expected.cost, cost) };
    },
    state: queue.state,
  };
}
