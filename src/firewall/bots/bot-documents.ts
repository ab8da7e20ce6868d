// Reads what bots publish: the networks that they request from, and the keys with which they sign. A request from there passes challenges,
// so a document with anything unexpected is refused as a whole.
import { createPublicKey } from "node:crypto";
import { formatNetwork, networkAddress, parseNetwork } from "../../platform/kernel/network/network.ts";

const MAX_NETWORKS = 4_000;
const MAX_KEYS = 20;
/** A larger network is no bot's own. */
const SHORTEST_PREFIX = { ipv4: 8, ipv6: 20 } as const;
const MS_PER_SECOND = 1_000;

function listIn(text: string, member: string, most: number): readonly Readonly<Record<string, unknown>>[] {
  let list: unknown;
  try {
    list = (JSON.parse(text.replace(/^\uFEFF/, "")) as Readonly<Record<string, unknown>> | null)?.[member];
  } catch {
    throw new Error("expected JSON");
  }
  if (!Array.isArray(list) || list.length === 0 || list.length > most) {
    throw new Error(`expected a list ${member} of 1 to ${most} entries`);
  }
  if (list.some((entry) => typeof entry !== "object" || entry === null)) throw new Error(`${member}: expected objects`);
  return list as readonly Readonly<Record<string, unknown>>[];
}

/** `{"prefixes":[{"ipv4Prefix":"203.0.113.0/24"},{"ipv6Prefix":"2001:db8::/32"}]}` */
export function readNetworks(text: string): readonly string[] {
  return listIn(text, "prefixes", MAX_NETWORKS).map(({ ipv4Prefix, ipv6Prefix }) => {
    const written = ipv4Prefix ?? ipv6Prefix;
    const network = typeof written === "string" ? parseNetwork(written) : null;
    if (!network) throw new Error("prefixes: expected ipv4Prefix or ipv6Prefix, each a network");
    if (network.bits < SHORTEST_PREFIX[network.kind]) {
      throw new Error(`prefixes: expected at least /${SHORTEST_PREFIX[network.kind]}, got ${String(written)}`);
    }
    return formatNetwork(networkAddress(network));
  });
}

/** The Ed25519 keys of a directory that are valid at a time; keys of other kinds are left out. */
export function readKeys(text: string, now: number): readonly string[] {
  const seconds = now / MS_PER_SECOND;
  const keys = listIn(text, "keys", MAX_KEYS).flatMap(({ kty, crv, x, nbf, exp }) => {
    if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string") return [];
    if ((typeof exp === "number" && exp <= seconds) || (typeof nbf === "number" && nbf > seconds)) return [];
    createPublicKey({ key: { kty, crv, x }, format: "jwk" });
    return [x];
  });
  if (keys.length === 0) throw new Error("keys: expected an Ed25519 key that is valid now");
  return keys;
}
