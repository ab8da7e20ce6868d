// The forms of ids and how they are created. Ids begin with the time, so rows that are inserted together are neighbours in every
// index. With random ids, each create of a group would read, log and write back some fifteen pages.
import { nextByte } from "./random.ts";

export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const HEX = "0123456789abcdef";

const SHAPES = {
  user: { prefix: "", length: 24, alphabet: BASE62 },
  team: { prefix: "team_", length: 24, alphabet: BASE62 },
  token: { prefix: "", length: 64, alphabet: HEX },
  apiKey: { prefix: "key_", length: 24, alphabet: BASE62 },
  invite: { prefix: "", length: 24, alphabet: HEX },
  event: { prefix: "uev_", length: 24, alphabet: BASE62 },
  secret: { prefix: "sec_", length: 24, alphabet: BASE62 },
  environmentEntry: { prefix: "env_", length: 24, alphabet: BASE62 },
  firewallVersion: { prefix: "waf_", length: 24, alphabet: BASE62 },
  firewallRule: { prefix: "rule_", length: 24, alphabet: BASE62 },
  firewallAddress: { prefix: "ip_", length: 24, alphabet: BASE62 },
  sharedCondition: { prefix: "cond_", length: 24, alphabet: BASE62 },
  identityTrust: { prefix: "trust_", length: 24, alphabet: BASE62 },
  webhook: { prefix: "account_hook_", length: 24, alphabet: BASE62 },
  session: { prefix: "session_", length: 24, alphabet: BASE62 },
  passkey: { prefix: "passkey_", length: 24, alphabet: BASE62 },
  identity: { prefix: "identity_", length: 24, alphabet: BASE62 },
  replay: { prefix: "replay_", length: 24, alphabet: BASE62 },
  mail: { prefix: "mail_", length: 24, alphabet: BASE62 },
  request: { prefix: "req_", length: 24, alphabet: BASE62 },
} as const;

export type IdKind = keyof typeof SHAPES;

/** `length` characters of `alphabet`, without modulo bias; the alphabet has at most 256 characters, all of Latin-1. */
export function randomText(length: number, alphabet: string): string {
  const limit = 256 - (256 % alphabet.length);
  // A string that is concatenated character by character must be flattened before it can be sent.
  const bytes = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length;) {
    const byte = nextByte();
    if (byte < limit) bytes[filled++] = alphabet.charCodeAt(byte % alphabet.length);
  }
  const text = bytes.toString("latin1");
  // It may be a credential or a secret.
  bytes.fill(0);
  return text;
}

export function randomBase62(length: number): string {
  return randomText(length, BASE62);
}

export function randomHex(length: number): string {
  return randomText(length, HEX);
}

/** The lowest `length` digits of a whole number, in an alphabet. */
export function digitsOf(value: number, length: number, alphabet: string): string {
  let digits = "";
  for (let rest = value; digits.length < length; rest = Math.floor(rest / alphabet.length)) {
    digits = (alphabet[rest % alphabet.length] as string) + digits;
  }
  return digits;
}

/** Number of digits of the milliseconds at the start of an id: enough until the year 2081 in base 62, 2527 in hex. */
const TIME_LENGTH: Readonly<Record<string, number>> = { [BASE62]: 7, [HEX]: 11 };

let lastTime = { ms: 0, alphabet: "", text: "" };

/** The current time as digits that sort as text. */
function timeText(alphabet: string): string {
  const ms = Date.now();
  if (lastTime.ms === ms && lastTime.alphabet === alphabet) return lastTime.text;
  const text = digitsOf(ms, TIME_LENGTH[alphabet] as number, alphabet);
  lastTime = { ms, alphabet, text };
  return text;
}

export function newId(kind: IdKind): string {
  const { prefix, length, alphabet } = SHAPES[kind];
  const time = timeText(alphabet);
  return prefix + time + randomText(length - time.length, alphabet);
}

/** Whether a text has the form of an id of a kind with a prefix. No slug and no name has that form. */
export function isId(kind: IdKind, text: string): boolean {
  const { prefix, length } = SHAPES[kind];
  return text.length === prefix.length + length && text.startsWith(prefix);
}
