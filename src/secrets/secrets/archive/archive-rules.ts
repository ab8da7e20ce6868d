// The rules for an archived secret beyond its schema: it must be one that this store could have written.
import { isUtf8 } from "node:buffer";
import { fieldError } from "../../../platform/kernel/errors.ts";
import type { ArchivedName, ArchivedSecret, ArchivedVersion } from "./archive-schema.ts";
import { MAX_ALIASES, decodeValue, nameKey, requireName } from "../rules.ts";

function refuse(field: string, expected: string): never {
  throw fieldError("bad_request", field, `expected ${expected}`);
}

/** The names that must be unique: the present one and the aliases. */
export function reservedNames({ names }: ArchivedSecret): readonly ArchivedName[] {
  return names.filter(({ kind }) => kind !== "former");
}

function requireNames(secret: ArchivedSecret): void {
  const { name: present, names } = secret;
  const taken = new Set<string>();
  for (const [at, { name, kind, endedAt }] of names.entries()) {
    const field = `secret.names[${at}]`;
    requireName(name, `${field}.name`);
    if ((kind === "current") !== (endedAt === null)) {
      refuse(
        `${field}.endedAt`,
        kind === "current" ? "null, of the current name" : "the time when the name was given up",
      );
    }
    if (kind === "current" && name !== present) refuse(`${field}.name`, "the current name, which is secret.name");
    if (kind === "former") continue;
    if (taken.has(nameKey(name))) refuse(`${field}.name`, "no name twice among the current one and the aliases");
    taken.add(nameKey(name));
  }
  const count = (wanted: ArchivedName["kind"]) => names.filter(({ kind }) => kind === wanted).length;
  if (count("current") !== 1) refuse("secret.names", "one current name");
  if (count("alias") > MAX_ALIASES) refuse("secret.names", `at most ${MAX_ALIASES} aliases`);
}

/** The bytes of a version, which the caller wipes; `at` is its index among the versions. */
export function decodeVersion({ value, encoding }: ArchivedVersion, at: number): Buffer {
  const field = `secret.versions[${at}].value`;
  const bytes = decodeValue(value, "base64", field);
  if (encoding === "utf8" && !isUtf8(bytes)) {
    bytes.fill(0);
    refuse(field, "UTF-8 text, as the encoding of the version says");
  }
  return bytes;
}

function requireVersions({ versions, maxVersions }: ArchivedSecret): void {
  if (versions.length > maxVersions) refuse("secret.versions", `at most ${maxVersions}, as secret.maxVersions says`);
  let last = 0;
  for (const [at, one] of versions.entries()) {
    const field = `secret.versions[${at}]`;
    if (one.version <= last) refuse(`${field}.version`, `a number above ${last}, of the version before`);
    if (one.restoredFrom !== null && one.restoredFrom >= one.version) {
      refuse(`${field}.restoredFrom`, "an earlier version");
    }
    last = one.version;
    decodeVersion(one, at).fill(0);
  }
}

/** Refuses a secret that this store could not have written, and names the field. */
export function requireSound(secret: ArchivedSecret): void {
  requireNames(secret);
  requireVersions(secret);
}
