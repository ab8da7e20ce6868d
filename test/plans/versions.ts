// Every statement on versions, with values for its parameters: a project's firewall, an environment and a secret with many versions.
import { operations } from "../../src/serve/composition/registry.ts";
import { allStatements } from "../../src/platform/store/prepared.ts";
import type { SqlParams, Statement } from "../../src/platform/kernel/tx.ts";

/** What a statement may read that is not in `MANY`: a row of each of its tables, and some that it checks or changes. */
const SINGLE = 5;
/** A page of 20 with what belongs to it. */
const PAGE = 60;

/** Statements that read several versions by design, and how many. */
const MANY: Readonly<Record<string, number>> = {
  "firewallVersions.list.asc": PAGE,
  "firewallVersions.list.desc": PAGE,
  "firewallVersions.listDocuments": PAGE,
  "firewallVersions.listOldest": PAGE,
  "firewallVersions.listOldestOfProject": PAGE,
  "environmentVersions.list.asc": PAGE,
  "environmentVersions.list.desc": PAGE,
  "environmentVersions.listOldest": PAGE,
  "environmentVersions.deleteUpTo": PAGE,
  "secretVersions.list.asc": PAGE,
  "secretVersions.list.desc": PAGE,
  "secretVersions.deleteUpTo": PAGE,
};

/** Reads of projects are in lists.ts. These are no part of a request: they remove what is deleted, or look at all values of a key. */
const ELSEWHERE = /^(?:removals|secretKeys|secretArchive|projects|secrets)\./;

export interface VersionStatement {
  readonly statement: Statement;
  readonly params: SqlParams;
  readonly rows: number;
}

/** What the rows belong to, of which rows.ts makes many. */
export interface Versioned {
  readonly ownerId: string;
  readonly firewallProject: string;
  readonly environmentProject: string;
  readonly environment: string;
  readonly secretId: string;
}

/** What an insertion needs beside its key. */
const NEW_VERSION: SqlParams = {
  id: "new",
  document: "{}",
  size: 2,
  changeCount: 1,
  cost: 0,
  isEnabled: 1,
  basedOn: null,
  restoredFrom: null,
  note: null,
  creatorId: null,
  creatorName: "somebody",
  now: 1,
  position: 1,
  encoding: "utf8",
  keyId: "key",
  wrappedKey: new Uint8Array(1),
  ciphertext: new Uint8Array(1),
};

/** Of versions that rows.ts makes, and new ones. */
export function versionStatements(versioned: Versioned): readonly VersionStatement[] {
  const { ownerId, firewallProject, environmentProject, environment, secretId } = versioned;
  if (operations.size === 0) throw new Error("importing the registry declares all statements");
  const isVersions = ({ name, compiled }: Statement) =>
    /\b(?:firewall|environment|secret)_versions\b/.test(compiled("postgres").sql) && !ELSEWHERE.test(name);
  return allStatements()
    .filter(isVersions)
    .map((statement) => {
      const { name } = statement;
      const isFirewall = name.startsWith("firewall");
      const params = {
        ownerId,
        projectId: isFirewall ? firewallProject : environmentProject,
        name: environment,
        secretId,
        version: name.endsWith(".insert") ? 10_000 : name.startsWith("secret") ? 50 : 2_000,
        first: 2_000,
        last: name.startsWith("secret") ? 20 : name.includes("listOldest") ? 3_000 : 1_020,
        before: name.includes("listOldest") ? 0 : Number.MAX_SAFE_INTEGER,
        after: 0,
        limit: 20,
        ...(name.endsWith("listDocuments") ? { last: 2_019 } : {}),
        ...NEW_VERSION,
      };
      return { statement, params, rows: MANY[name] ?? SINGLE };
    });
}
