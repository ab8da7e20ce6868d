// The signature of a checkpoint, and the ids of public keys. docs/proof.md shows how to verify them by hand.
import { createPublicKey, hash, sign, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { Checkpoint } from "../events/checkpoint-schema.ts";
import { statementText } from "./statement.ts";
import type { Statement } from "./statement.ts";

const ID_DIGITS = 32;
/** SubjectPublicKeyInfo of Ed25519 up to the key's 32 bytes (RFC 8410). */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** SPKI in DER, as base64: the body of a PEM file. */
export function publicKeyText(key: KeyObject): string {
  return key.export({ type: "spki", format: "der" }).toString("base64");
}

/** The id of a public key, derived from its bytes alone. */
export function keyIdOf(key: KeyObject): string {
  const der = key.export({ type: "spki", format: "der" });
  return `ed25519_${hash("sha256", der, "hex").slice(0, ID_DIGITS)}`;
}

/** Parses a public key: PEM, or base64 of its DER or of its 32 bytes; undefined when it is no Ed25519 key. */
export function readPublicKey(text: string): KeyObject | undefined {
  const base64 = text.replace(/-----(?:BEGIN|END) PUBLIC KEY-----/g, "").replaceAll(/\s/g, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const bytes = Buffer.from(base64, "base64");
  const der = bytes.length === 32 ? Buffer.concat([SPKI_PREFIX, bytes]) : bytes;
  if (der.length !== SPKI_PREFIX.length + 32 || !der.subarray(0, SPKI_PREFIX.length).equals(SPKI_PREFIX))
    return undefined;
  return createPublicKey({ key: der, format: "der", type: "spki" });
}

export function signStatement(privateKey: KeyObject, statement: Statement): Checkpoint {
  return { ...statement, signature: sign(null, Buffer.from(statementText(statement)), privateKey).toString("base64") };
}

export function isSignedBy(key: KeyObject, checkpoint: Checkpoint): boolean {
  return verify(null, Buffer.from(statementText(checkpoint)), key, Buffer.from(checkpoint.signature, "base64"));
}
