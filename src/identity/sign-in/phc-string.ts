// Stored password hashes: the PHC string format, which other programs read too and which keeps the parameters with each hash, so
// that they can be raised (https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md).

/** What computing a hash costs, in Argon2's terms. */
export interface Argon2Cost {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

export interface StoredHash {
  readonly cost: Argon2Cost;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

// Version 19 (0x13) is that of RFC 9106.
const FORM = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const encode = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");

/** `$argon2id$v=19$m=19456,t=2,p=1$salt$hash` */
export function formatHash({ cost: { memory, passes, parallelism }, salt, hash }: StoredHash): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(hash)}`;
}

/** Throws for anything but an Argon2id hash. The message does not repeat the text. */
export function parseHash(text: string): StoredHash {
  const match = FORM.exec(text);
  if (!match) throw new Error("a stored password hash is not in the form $argon2id$v=19$m=...,t=...,p=...$salt$hash");
  const [, memory, passes, parallelism, salt = "", hash = ""] = match;
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, "base64"),
    hash: Buffer.from(hash, "base64"),
  };
}
