// `reeve run`: starts a program with the values of an environment and ends as it ends. Prints nothing unless something is wrong.
import { isDeepStrictEqual } from "node:util";
import { constants } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { Failure } from "../../../platform/outcomes/failure.ts";
import { explainPlace, requireValues } from "../remote/place-failure.ts";
import type { RemoteFlags, Connection } from "../remote/connection.ts";
import type { Client } from "../../../client/client.ts";
import type { RemoteSettings } from "../../../serve/config/remote-settings.ts";
import { fileReason } from "../../../platform/kernel/text/file-reason.ts";
import { connect } from "../remote/connection.ts";
import { readContexts } from "../remote/contexts.ts";
import { clientOf } from "../remote/server-client.ts";
import { exitCodeOf, passSignals, startProgram, stopProgram } from "./child.ts";
import type { Program, SignalPass } from "./child.ts";
import { findStoredValues, removeStoredValues, storeValues } from "./offline-values.ts";
import type { OfflineKey } from "./offline-values.ts";
import { isRefused, isUnreachable, readValues } from "./values.ts";
import type { Values } from "./values.ts";
import type { EnvironmentPlace } from "../remote/place-names.ts";

/** What `reeve run` is asked for. */
export interface ProgramRun {
  readonly place: EnvironmentPlace;
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Variables that are set already win over those of the environment. */
  readonly keepsOwn: boolean;
  /** The program may start without a value. */
  readonly allowsEmpty: boolean;
  /** How often to look for changes, after which the program is started again, ms; null: never. */
  readonly watchIntervalMs: number | null;
  /** How long a program may take to stop before it is killed, ms. */
  readonly stopTimeoutMs: number;
  /** How old values for a start without the server may be, ms; null: they are not stored. */
  readonly offlineMaxAgeMs: number | null;
}

interface Dependencies {
  /** Variables of the program beside the values. */
  readonly own: NodeJS.ProcessEnv;
  readonly note: (text: string) => void;
}

interface Run extends Dependencies, ProgramRun {
  readonly connection: Connection;
  readonly client: Client;
  /** Null: values are not stored. */
  readonly offline: OfflineKey | null;
}

/** A start that can do without the server does not wait for it long. */
const BRIEFLY = { timeoutMs: 5_000, retries: 1 };

const explain = async ({ connection, client, place }: Run, error: unknown): Promise<Error> =>
  (await explainPlace(error, { ...connection, isSignedIn: true, client }, place)) as Error;

function describeAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "less than a minute";
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}

function fileProblem(error: unknown, { folder }: OfflineKey): string {
  if (error instanceof Failure) return error.message;
  const isTaken = (error as NodeJS.ErrnoException).code === "EEXIST";
  return isTaken ? `${folder} is no folder` : `${folder}: ${fileReason(error)}`;
}

function refuseEmpty({ place, allowsEmpty }: Run, { values }: Values): void {
  requireValues(values, place, allowsEmpty, "starts the program without them");
}

async function store({ offline, note }: Run, values: Values): Promise<void> {
  if (offline === null) return;
  await storeValues(offline, values, Date.now()).catch((error: unknown) => {
    note(`reeve: the next start needs the server, its values could not be stored: ${fileProblem(error, offline)}`);
  });
}

async function forget({ offline, note }: Run): Promise<void> {
  if (offline === null) return;
  await removeStoredValues(offline).catch((error: unknown) => {
    note(`reeve: the stored values could not be removed: ${fileProblem(error, offline)}`);
  });
}

/** Stored values, if the server can't be reached; what it refuses is refused without it too from then on. */
async function findOffline(run: Run, error: unknown): Promise<Values> {
  const failure = await explain(run, error);
  const { offline, offlineMaxAgeMs } = run;
  if (offline === null || offlineMaxAgeMs === null) throw failure;
  if (isRefused(error)) await forget(run);
  if (!isUnreachable(error)) throw failure;
  const { message } = failure;
  const stored = await findStoredValues(offline);
  if (typeof stored === "string") throw new Failure("unavailable", `${message}; and ${stored}`, "server_unreachable");
  const ageMs = Date.now() - stored.readAt;
  if (ageMs > offlineMaxAgeMs || ageMs < 0) {
    const refusal =
      ageMs < 0
        ? "from the future, by the clock of this machine: set the clock, or start once with the server"
        : `${describeAge(ageMs)} old, which --offline-max-age does not allow: a longer one would`;
    throw new Failure("unavailable", `${message}; and the stored values are ${refusal}`, "server_unreachable");
  }
  run.note(`reeve: ${message}; the program starts with values that are ${describeAge(ageMs)} old`);
  return stored;
}

async function firstValues(run: Run): Promise<Values> {
  let values: Values | null;
  try {
    values = await readValues(run.client, run.place, null, run.offline === null ? {} : BRIEFLY);
  } catch (error) {
    return await findOffline(run, error);
  }
  if (values === null) throw new Error("304 for a read without a known version");
  refuseEmpty(run, values);
  await store(run, values);
  return values;
}

/** Resolves when values have changed. What fails is said once, and the program goes on with the values that it has. */
async function nextValues(run: Run, known: Values, intervalMs: number, signal: AbortSignal): Promise<Values> {
  let { etag } = known;
  let told = "";
  let storedAt = 0;
  let isRefusedEmpty = false;
  for (;;) {
    await pause(intervalMs, undefined, { signal });
    try {
      const next = await readValues(run.client, run.place, etag, { signal, retries: 0 });
      if (next === null && isRefusedEmpty) continue;
      etag = next?.etag ?? etag;
      isRefusedEmpty = next !== null && !run.allowsEmpty && Object.keys(next.values).length === 0;
      if (next !== null) refuseEmpty(run, next);
      told = "";
      // Confirmed values are as good as new ones, but are not written for every look.
      if (next !== null || Date.now() - storedAt > (run.offlineMaxAgeMs ?? 0) / 10) {
        await store(run, next ?? { ...known, etag });
        storedAt = Date.now();
      }
      if (next !== null && !isDeepStrictEqual(next.values, known.values)) return next;
    } catch (error) {
      signal.throwIfAborted();
      if (isRefused(error)) await forget(run);
      const { message } = await explain(run, error);
      if (message !== told) run.note(`reeve: ${message}; the program goes on with the values that it has`);
      told = message;
    }
  }
}

/** Throws a Failure that names what the system would cut off: a name at its first `=`, and a value at a zero byte. */
function checkVariables({ values }: Values): void {
  for (const [name, value] of Object.entries(values)) {
    const isName = /^[^=\0]+$/.test(name);
    if (isName && !value.includes("\0")) continue;
    const expected = isName ? "a value without a zero byte" : "a name without = and zero bytes, and not an empty one";
    throw new Failure("refused", `${JSON.stringify(name)}: expected ${expected}`, "value_unusable");
  }
}

function environmentOf({ own, keepsOwn }: Run, known: Values): NodeJS.ProcessEnv {
  checkVariables(known);
  const { values } = known;
  return keepsOwn ? { ...values, ...own } : { ...own, ...values };
}

/** Resolves to the changed values; null: the program has ended. */
async function changeOf(run: Run, program: Program, known: Values): Promise<Values | null> {
  if (run.watchIntervalMs === null) return await program.ended.then(() => null);
  const watch = new AbortController();
  try {
    const change = nextValues(run, known, run.watchIntervalMs, watch.signal);
    return await Promise.race([program.ended.then(() => null), change]);
  } finally {
    watch.abort();
  }
}

async function superviseProgram(run: Run, signals: SignalPass, first: Values): Promise<number> {
  let values = first;
  for (;;) {
    const program = await startProgram(run.command, environmentOf(run, values));
    signals.passTo(program);
    signals.isRestarting = false;
    const changed = await changeOf(run, program, values);
    if (changed === null) return exitCodeOf(await program.ended);
    const [before, after] = [values.values, changed.values];
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
      (name) => before[name] !== after[name],
    );
    run.note(`reeve: changed: ${names.toSorted().join(", ")}; the program starts again`);
    signals.isRestarting = true;
    await stopProgram(program, run.stopTimeoutMs);
    if (signals.received !== null) return 128 + constants.signals[signals.received];
    values = changed;
  }
}

export async function runProgram(
  settings: RemoteSettings,
  flags: RemoteFlags,
  asked: ProgramRun,
  dependencies: Dependencies,
): Promise<number> {
  const connection = connect(await readContexts(settings.contextsFile), settings, flags);
  const { server, token } = connection;
  const { place } = asked;
  const offline = asked.offlineMaxAgeMs === null ? null : { folder: settings.valuesFolder, server, token, place };
  const run: Run = { ...asked, ...dependencies, connection, client: clientOf(server, token), offline };
  const values = await firstValues(run);
  const signals = passSignals();
  try {
    return await superviseProgram(run, signals, values);
  } finally {
    signals.end();
  }
}
