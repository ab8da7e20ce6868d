// Hashes of passwords: argon2id (RFC 9106), in the threads of node:crypto and in a bounded queue. One hash takes some 20 MB and a
// tenth of a second, so a flood of sign-ins waits here and delays nobody else.
import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { ApiError, fieldError } from "../kernel/errors.ts";

/** The work of one hash: memory in KiB, passes over it, and lanes. */
export interface HashCost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** The first recommendation of OWASP's Password Storage Cheat Sheet for argon2id. */
const COST: HashCost = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
export const MAX_PASSWORD_LENGTH = 256;

const derive = promisify(argon2);

interface StoredHash {
  readonly cost: HashCost;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Reads a stored hash: a string in the form of the PHC string format, which names algorithm, cost and salt. */
function parseHash(stored: string): StoredHash {
  const [, memory, passes, parallelism, salt = "", hash = ""] = PHC.exec(stored) ?? [];
  if (hash === "") throw new Error("a stored password hash has another form than argon2id");
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, "base64"),
    hash: Buffer.from(hash, "base64"),
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

function formatHash({ cost: { memory, passes, parallelism }, salt, hash }: StoredHash): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`;
}

/** Compares to nothing: for accounts without a password, so that refusing them takes as long. */
const NOBODY: StoredHash = { cost: COST, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };

export interface PasswordCheck {
  readonly isValid: boolean;
  /** The hash was made with another cost than new ones are. */
  readonly needsRehash: boolean;
}

export interface PasswordHashing {
  /** A new hash, to be stored. */
  hash(password: string): Promise<string>;
  /** `stored` null: there is no account, or it has no password. Takes as long, and is invalid. */
  verify(
    stored: string | null,
    password: string,
    priority: { readonly isKnownDevice: boolean },
  ): Promise<PasswordCheck>;
}

export interface HashingBounds {
  readonly concurrency?: number;
  readonly maxWaiting?: number;
  readonly cost?: HashCost;
}

/** Two of the four threads that node:crypto shares with files and name lookups. */
const CONCURRENCY = 2;
/** They wait some seconds at most. */
const MAX_WAITING = 64;

function refuseFlood(): ApiError {
  return new ApiError("overloaded", "Too many people are signing in at the moment; try again");
}

/** Runs few jobs at a time; jobs of known devices come first. */
function createQueue(concurrency: number, maxWaiting: number) {
  const known: (() => void)[] = [];
  const unknown: (() => void)[] = [];
  let running = 0;
  return async <T>(isFirst: boolean, job: () => Promise<T>): Promise<T> => {
    if (running >= concurrency) {
      if (known.length + unknown.length >= maxWaiting) throw refuseFlood();
      await new Promise<void>((start) => (isFirst ? known : unknown).push(start));
    } else {
      running++;
    }
    try {
      return await job();
    } finally {
      const next = known.shift() ?? unknown.shift();
      // The next job takes the place of this one.
      if (next) next();
      else running--;
    }
  };
}

/** The text that is hashed: what people type looks the same in several encodings. Unicode Standard Annex 15 */
function normalise(password: string): string {
  if (password.length > MAX_PASSWORD_LENGTH) {
    throw fieldError("bad_request", "body.password", `expected at most ${MAX_PASSWORD_LENGTH} characters`);
  }
  return password.normalize("NFKC");
}

export function createPasswordHashing({
  concurrency = CONCURRENCY,
  maxWaiting = MAX_WAITING,
  cost = COST,
}: HashingBounds = {}): PasswordHashing {
  const enqueue = createQueue(concurrency, maxWaiting);

  async function hashWith(password: string, salt: Buffer, { memory, passes, parallelism }: HashCost): Promise<Buffer> {
    return await derive("argon2id", {
      message: password,
      nonce: salt,
      memory,
      passes,
      parallelism,
      tagLength: HASH_BYTES,
    });
  }

  return {
    async hash(password) {
      const message = normalise(password);
      const salt = randomBytes(SALT_BYTES);
      const hash = await enqueue(true, () => hashWith(message, salt, cost));
      return formatHash({ cost, salt, hash });
    },

    async verify(stored, password, { isKnownDevice }) {
      const message = normalise(password);
      const expected = stored === null ? NOBODY : parseHash(stored);
      const hash = await enqueue(isKnownDevice, () => hashWith(message, expected.salt, expected.cost));
      const isValid = timingSafeEqual(hash, expected.hash) && stored !== null;
      const isCurrent = Object.entries(cost).every(([name, value]) => expected.cost[name as keyof HashCost] === value);
      return { isValid, needsRehash: isValid && !isCurrent };
    },
  };
}
