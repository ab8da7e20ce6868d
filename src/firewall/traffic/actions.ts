// Lists the outcomes of requests.
import { DAY_MS, MAX_TIME_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Call } from "../../platform/kernel/contract.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import type { ApiError } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { readActiveDocument } from "../configurations/document-cache.ts";
import { projectKeyOf } from "../../platform/kernel/project.ts";
import type { ProjectKey } from "../../platform/kernel/project.ts";
import { isRunning, joinMinutes } from "./action-rules.ts";
import type { Run } from "./action-rules.ts";
import type { trafficContract } from "./contract.ts";
import { listEntries, listEntriesOfHost } from "./store.ts";
import { minuteOf } from "./sum-rules.ts";
import type { Count } from "./sum-rules.ts";
import { MAX_ACTIONS, MAX_HOSTS } from "./traffic-schema.ts";

type ListCall = Call<typeof trafficContract.listTrafficActions>;

/** The most rows that one request reads. */
const MAX_READ = 10_000;

function invalid(member: string, expected: string): ApiError {
  const field = `query.${member}`;
  return fieldError("invalid_query", field, `expected ${expected}`);
}

function readRange({ query, now }: ListCall): { readonly from: number; readonly to: number } {
  const to = Math.floor(query.endTimestamp ?? now);
  const from = Math.floor(query.startTimestamp ?? Math.max(0, to - DAY_MS));
  if (from > to) throw invalid("startTimestamp", "a time before endTimestamp");
  return { from: minuteOf(from), to: Math.min(to, MAX_TIME_MS) };
}

function readHosts({ hosts }: ListCall["query"]): readonly string[] {
  if (hosts === undefined) return [];
  const names = [...new Set(hosts.split(",").map((name) => name.trim().toLowerCase()))].filter((name) => name !== "");
  if (names.length === 0) throw invalid("hosts", "hosts separated by commas, or to be left out");
  if (names.length > MAX_HOSTS) throw invalid("hosts", `at most ${MAX_HOSTS} hosts`);
  return names;
}

async function readEntries(tx: Tx, project: ProjectKey, call: ListCall): Promise<readonly Count[]> {
  const range = { ...project, ...readRange(call) };
  const hosts = readHosts(call.query);
  if (hosts.length === 0) return await listEntries(tx, { ...range, limit: MAX_READ });
  const found: Count[] = [];
  const limit = Math.floor(MAX_READ / hosts.length);
  for (const host of hosts) found.push(...(await listEntriesOfHost(tx, { ...range, host, limit })));
  return found;
}

type Names = ReadonlyMap<string, string>;

// By the cached document of a version, which never changes.
const namesOf = new WeakMap<Buffer, Names>();

function readNames(document: Buffer): Names {
  const { rules } = JSON.parse(document.toString()) as {
    readonly rules: readonly { readonly id: string; readonly name: string }[];
  };
  return new Map(rules.map(({ id, name }) => [id, name]));
}

/** The names of the active configuration's rules by id; none when no version is active. */
async function readRuleNames(tx: Tx, project: ProjectKey): Promise<Names> {
  const active = await readActiveDocument(tx, project);
  if (!active) return new Map();
  const names = namesOf.get(active.document) ?? readNames(active.document);
  namesOf.set(active.document, names);
  return names;
}

function publicAction({ host, ip, action, ruleId, count, first, last }: Run, isActive: boolean, ruleName?: string) {
  return {
    startTime: new Date(first).toISOString(),
    endTime: new Date(last + MINUTE_MS).toISOString(),
    isActive,
    action_type: action,
    host,
    public_ip: ip,
    count,
    action,
    ruleId: ruleId === "" ? null : ruleId,
    ruleName: ruleName ?? null,
  };
}

export async function listActions(tx: Tx, call: ListCall) {
  const project = projectKeyOf(call);
  const runs = joinMinutes(await readEntries(tx, project, call), MAX_ACTIONS);
  const hasRules = runs.some(({ ruleId }) => ruleId !== "");
  const names = hasRules ? await readRuleNames(tx, project) : new Map<string, string>();
  return { actions: runs.map((run) => publicAction(run, isRunning(run, call.now), names.get(run.ruleId))) };
}
