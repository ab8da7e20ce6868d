// `reeve doctor`: checks the settings and the store, beside a running server or without one, and says what is wrong and how
// to fix it. Writes a probe, and changes nothing else.
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeData, keySources } from "../../serve/config/data-paths.ts";
import { openExistingDatabase } from "../../serve/open-database.ts";
import { examineHostList, examinePooling, examinePrivileges } from "./doctor-postgres.ts";
import { examineServer } from "./doctor-postgres-server.ts";
import { describeKeys } from "./key-status.ts";
import { verifyStore } from "../../serve/verify-chains.ts";
import { describeBreak } from "../../platform/outcomes/chain-report.ts";
import { examineDisk, examineSettings, examineVariables } from "../../serve/observability/quick-checks.ts";
import { HEALTH_CHECKS } from "../../serve/observability/health-checks.ts";
import { CODES } from "../../serve/observability/run-checks.ts";
import type { Finding } from "../../platform/outcomes/finding.ts";
import type { KeyStatus } from "./key-status.ts";
import { BAD_FILE_ADVICE, readProviders } from "../../serve/config/config.ts";
import type { Settings } from "../../serve/config/config.ts";
import { findLateWebhooks, listWaitingWebhooks } from "../../events/queue/due-webhooks.ts";
import { fileReason } from "../../platform/kernel/text/file-reason.ts";
import { countBrokenHeads, countStoredEvents } from "../../events/events/verify/verify-store.ts";
import { toPrintable } from "../../platform/kernel/text/printable-text.ts";
import type { OidcProvider } from "../../identity/providers/oidc-file.ts";
import { findOddAddresses } from "../../identity/accounts/odd-addresses.ts";
import type { Database } from "../../platform/store/database.ts";
import { adviceOn, storeFailureReason } from "../../platform/store/failure.ts";
import { SCHEMA_VERSION } from "../../platform/store/migrations/migrate.ts";
import { requireWritableServer } from "../../platform/store/postgres/roles.ts";
import { writeProbe } from "../../platform/store/probe.ts";

function fault(check: string, error: unknown, advice: string): Finding {
  return { check, status: "fault", detail: (error as Error).message, advice };
}

/** What to do about an error of the store: by what failed, and otherwise the `usual`. */
function adviseOn(error: unknown, { engine }: Database, usual: string): string {
  const reason = storeFailureReason(error);
  if (reason === null) return usual;
  const own = engine === "postgres" ? adviceOn(reason) : undefined;
  // "what is wrong: what to do"
  return own ?? HEALTH_CHECKS[CODES[reason]].advice.replace(/^.*?: /, "");
}

async function examineProvider(provider: OidcProvider): Promise<Finding> {
  // Loaded by those who have providers.
  const { createDiscovery } = await import("../../identity/providers/discovery.ts");
  const { describeFailure } = await import("../../identity/providers/provider-failure.ts");
  const check = `provider ${provider.id}`;
  try {
    await createDiscovery(provider)();
    return { check, status: "ok", detail: `${provider.issuer} responds` };
  } catch (error) {
    const { message, advice = "see that it runs and can be reached from here" } = describeFailure(provider, error);
    return { check, status: "fault", detail: `nobody can sign in with it: ${message}`, advice };
  }
}

/** Of sign-in with OpenID Connect providers: their file, and whether each describes itself. */
async function examineProviders(settings: Settings): Promise<readonly Finding[]> {
  if (settings.oidcFile === null) return [];
  try {
    return await Promise.all((await readProviders(settings)).map(examineProvider));
  } catch (error) {
    return [fault("providers", error, BAD_FILE_ADVICE)];
  }
}

/** More than a change of usual size adds to the log of the embedded store. */
const ROOM_BYTES = 1_048_576;

/** Writes a file beside the store and removes it: pages of a transaction that is undone never reach the disk. */
function requireRoom(dataDir: string): void {
  const file = join(dataDir, `reeve.db.doctor-${process.pid}`);
  try {
    writeFileSync(file, Buffer.alloc(ROOM_BYTES), { mode: 0o600, flag: "wx", flush: true });
  } finally {
    rmSync(file, { force: true });
  }
}

const NO_SPACE: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Writes what readiness writes; beside the embedded store a file, too. */
async function examineWriting(database: Database, { dataDir }: Settings): Promise<Finding> {
  const check = "writable";
  const rights = "make sure that this user may write there";
  try {
    await requireWritableServer(database);
    await database.transaction(writeProbe);
    if (database.engine === "sqlite") requireRoom(dataDir);
    return { check, status: "ok", detail: "a row was written and committed" };
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (database.engine === "sqlite" && syscall !== undefined) {
      const what = `a file in ${dataDir} cannot be written: ${fileReason(error)}`;
      return fault(check, new Error(what), NO_SPACE.has(code) ? `make room on the disk of ${dataDir}` : rights);
    }
    return fault(check, error, adviseOn(error, database, rights));
  }
}

async function examineDamage(database: Database): Promise<Finding[]> {
  if (database.engine !== "sqlite") return [];
  const advice = "stop the server and put a backup in the database's place";
  try {
    const [row] = await database.admin.query("pragma quick_check(1)");
    const result = String(row?.["quick_check"]);
    if (result !== "ok") return [fault("damage", new Error(result), advice)];
  } catch (error) {
    return [fault("damage", error, advice)];
  }
  return [{ check: "damage", status: "ok", detail: "the file is sound" }];
}

const MAY_READ = "make sure that this user may read the store";

/** More take longer to verify than an operator waits in an incident. */
const MAX_VERIFIED = 100_000;

/** Verifies what `reeve events verify` does; of a large store only where the chains end. */
async function examineChains(database: Database, settings: Settings): Promise<Finding> {
  const check = "event chains";
  const advice = "find out who wrote to the database beside Reeve, and compare it with a backup";
  const given = { given: [], kept: [], onProgress: () => undefined };
  try {
    return await database.snapshot(async (tx): Promise<Finding> => {
      const events = (await countStoredEvents(tx, {}))?.events ?? 0;
      if (events <= MAX_VERIFIED) {
        const { owners, firstFault } = await verifyStore(settings, tx, given);
        if (firstFault) return fault(check, new Error(`broken at ${describeBreak(firstFault)}`), advice);
        return { check, status: "ok", detail: `all ${events} events of ${owners} chains are as they were written` };
      }
      const counts = await countBrokenHeads(tx, {});
      const { owners, broken } = counts as NonNullable<typeof counts>;
      if (broken > 0) {
        const detail = `${broken} of ${owners} do not end where they should`;
        return fault(check, new Error(detail), "run `reeve events verify`, which names the first break");
      }
      const detail = `${owners} end where they should; \`reeve events verify\` verifies their ${events} events too`;
      return { check, status: "ok", detail };
    });
  } catch (error) {
    return fault(check, error, adviseOn(error, database, MAY_READ));
  }
}

/** Of accounts that one line names. */
const MAX_NAMED = 10;

function nameSome(texts: readonly string[]): string {
  const more = texts.length > MAX_NAMED ? `, and ${texts.length - MAX_NAMED} more` : "";
  return `${texts.slice(0, MAX_NAMED).join(", ")}${more}`;
}

async function examineDeliveries(database: Database): Promise<Finding> {
  const check = "deliveries";
  try {
    const now = Date.now();
    const late = findLateWebhooks(await listWaitingWebhooks(database.reader, now), now);
    if (late.length === 0) return { check, status: "ok", detail: "no receiver fails or is behind for long" };
    const names = late.map(({ webhookId, ownerId, state, since }) => {
      const time = new Date(since).toISOString();
      return `${webhookId} of ${ownerId} ${state === "failing" ? `fails since ${time}` : `is behind: due since ${time}`}`;
    });
    const advice = "tell their owners: the log of deliveries shows what the receivers respond, and how long it takes";
    return { check, status: "warning", detail: nameSome(names), advice };
  } catch (error) {
    return fault(check, error, adviseOn(error, database, MAY_READ));
  }
}

async function examineAddresses(database: Database): Promise<Finding> {
  const check = "addresses";
  try {
    const { shared, unusable } = await findOddAddresses(database.reader);
    const nameOf = ({ username, email }: { readonly username: string; readonly email: string }) =>
      `${username} <${toPrintable(email)}>`;
    const groups = [...shared].map(([email, accounts]) => `${email}: ${accounts.map(nameOf).join(" and ")}`);
    const problems = [
      ...(groups.length === 0 ? [] : [`one mailbox of several accounts: ${nameSome(groups)}`]),
      ...(unusable.length === 0 ? [] : [`no e-mail address: ${nameSome(unusable.map(nameOf))}`]),
    ];
    if (problems.length === 0) return { check, status: "ok", detail: "each mailbox is one account's" };
    const advice = "give all but one of them another address, or delete them; see E-mail addresses in /docs/operating";
    return { check, status: "warning", detail: problems.join("; "), advice };
  } catch (error) {
    return fault(check, error, adviseOn(error, database, MAY_READ));
  }
}

/** Whether users other than the owner may read a file. For a file of another user, the group mode is what lets us read it. */
function isOpen(file: string): boolean {
  const { mode = 0, uid } = statSync(file, { throwIfNoEntry: false }) ?? {};
  const self = process.getuid?.();
  const others = self === 0 ? 0o007 : self === uid ? 0o077 : 0;
  return (mode & others) !== 0;
}

async function examineKeys(settings: Settings, database: Database): Promise<Finding> {
  const check = "keys";
  const sources = keySources(settings);
  let keys: readonly KeyStatus[];
  try {
    keys = await describeKeys(database.reader, sources);
  } catch (error) {
    return fault(check, error, "mend what the message names; without its master keys the server does not start");
  }
  const missing = keys.filter((key) => key.sources.length === 0).map(({ id }) => id);
  if (missing.length > 0) {
    const detail = `the store needs ${missing.join(" and ")}, which the keyring lacks`;
    return fault(check, new Error(detail), HEALTH_CHECKS.master_key_missing.advice);
  }
  const warn = (detail: string, advice: string): Finding => ({ check, status: "warning", detail, advice });
  const open = [sources.file, sources.ownFile].find((file) => file !== null && isOpen(file));
  if (open) return warn(`others than its owner may read ${open}`, `chmod 600 ${open}`);
  const active = keys.find((key) => key.active);
  if (!active) return { check, status: "ok", detail: "none is active yet: the first server that starts chooses one" };
  const behind = keys.reduce((sum, key) => (key.active ? sum : sum + key.values), 0);
  if (behind > 0) return warn(`${behind} values are not under the active key ${active.id}`, "run `reeve keys rotate`");
  return { check, status: "ok", detail: `${active.id} is active and seals all ${active.values} values` };
}

/** Runs all checks in order; stops after the first that makes the others impossible. */
export async function examine(settings: Settings): Promise<readonly Finding[]> {
  const findings = [examineSettings(settings), ...examineVariables(settings), ...(await examineProviders(settings))];
  let database: Database;
  try {
    database = await openExistingDatabase(settings);
  } catch (error) {
    // The message itself says what to do.
    return [...findings, { check: "store", status: "fault", detail: (error as Error).message }];
  }
  try {
    findings.push({ check: "store", status: "ok", detail: `${database.engine} in ${describeData(settings)}` });
    findings.push({ check: "schema", status: "ok", detail: `version ${SCHEMA_VERSION}` });
    if (database.engine === "sqlite") findings.push(examineDisk(settings));
    if (settings.databaseUrl !== null) {
      findings.push(...(await examineHostList(settings.databaseUrl)));
      findings.push(await examinePrivileges(database), await examinePooling(settings.databaseUrl));
      findings.push(...(await examineServer(database)));
    }
    const writing = await examineWriting(database, settings);
    findings.push(writing, ...(await examineDamage(database)));
    findings.push(await examineChains(database, settings), await examineAddresses(database));
    findings.push(await examineDeliveries(database));
    // The keys are read under a lock, which such a server gives nobody.
    if (writing.status === "ok" || database.engine === "sqlite") findings.push(await examineKeys(settings, database));
    return findings;
  } finally {
    await database.close();
  }
}
