// Creates and opens archives with the age library alone, without code of Reeve.
import { readFileSync, writeFileSync } from "node:fs";
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import type { Body } from "../harness/test-app.ts";

export const identity = await generateX25519Identity();
export const recipient = await identityToRecipient(identity);

/** The lines of an archive, the header first. */
export async function openArchive(file: string, key: { passphrase: string } | null = null): Promise<Body[]> {
  const decrypter = new Decrypter();
  if (key) decrypter.addPassphrase(key.passphrase);
  else decrypter.addIdentity(identity);
  const text = await decrypter.decrypt(readFileSync(file), "text");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** A line, or a response, without the id, which changes on import. */
export function withoutId(secret: Body): Body {
  const { uid: _, ...others } = secret;
  return others;
}

/** Encrypts a text, or lines, for the one identity. */
export async function sealArchive(file: string, content: string | readonly unknown[]): Promise<void> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  const text = typeof content === "string" ? content : content.map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(file, await encrypter.encrypt(text));
}

/** An archive of these secrets, header and end included. */
export async function sealSecrets(file: string, secrets: readonly unknown[]): Promise<void> {
  const owner = { kind: "team", id: "team_of_another_place", name: "elsewhere" };
  const header = { format: "reeve-secrets", formatVersion: 1, exportedAt: 0, owner };
  await sealArchive(file, [header, ...secrets, { end: true, count: secrets.length }]);
}

let uidCounter = 0;

/** A secret as a line, whose value is its name unless `changes` say otherwise. */
export function archived(name: string, changes: Body = {}): Body {
  uidCounter++;
  const createdAt = 1_000_000 + uidCounter;
  return {
    uid: `sec_${String(uidCounter).padStart(24, "0")}`,
    name,
    description: null,
    tags: [],
    projectId: null,
    decryptable: true,
    maxVersions: 10,
    expiresAt: null,
    metadataVersion: 1,
    creator: null,
    createdAt,
    updatedAt: createdAt,
    names: [{ name, kind: "current", begunAt: createdAt, endedAt: null }],
    versions: [archivedVersion(1, Buffer.from(name))],
    ...changes,
  };
}

export function archivedVersion(version: number, value: Buffer, changes: Body = {}): Body {
  const facts = { version, encoding: "base64", createdAt: 1_000_000, creator: null, restoredFrom: null };
  return { ...facts, value: value.toString("base64"), ...changes };
}
