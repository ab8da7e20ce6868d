// `reeve doctor --gate`: asks a gate for its health from beside it, and says what is wrong and how to fix it. Changes nothing.
import type { Finding } from "../cli/reeve.ts";
import type { ActivityReport } from "../gate/activity.ts";
import { MINUTE_MS } from "../kernel/scheduling/clock.ts";

const TIMEOUT_MS = 5_000;
/** A gate in use is asked more often than this; one that has just started may not have been yet. */
const QUIET_MS = 10 * MINUTE_MS;
const NEW_MS = MINUTE_MS;

interface GateHealth extends ActivityReport {
  /** What happens to the requests of a project without a bundle. */
  readonly whenNoBundle: "open" | "closed";
  readonly projects: readonly {
    readonly project: string;
    readonly state: "current" | "stale" | "missing";
    readonly version: number | null;
    readonly ageMs: number | null;
    readonly problem?: string;
  }[];
  /** Absent: gates share no counters. */
  readonly counterStore?: { readonly state: "up" | "away"; readonly problem?: string };
}

function minutes(ms: number): string {
  const count = Math.max(1, Math.round(ms / MINUTE_MS));
  return count === 1 ? "a minute" : `${count} minutes`;
}

function examineBundles({ projects, whenNoBundle }: GateHealth): Finding[] {
  return projects.map(({ project, state, version, ageMs, problem = "the control plane has not confirmed it" }) => {
    const check = `bundle of ${project}`;
    const what = version === null ? "no configuration is active" : `version ${version}`;
    if (state === "current") return { check, status: "ok", detail: `${what}, confirmed` };
    const advice =
      "the gate needs REEVE_GATE_SERVER, projects that exist (REEVE_GATE_HOSTS), and a key with gate:connect of their team " +
      "(REEVE_GATE_KEY); its log says more";
    if (state === "missing") {
      const then =
        whenNoBundle === "closed"
          ? "all of its requests are refused (REEVE_GATE_NO_BUNDLE=closed)"
          : "nothing is enforced";
      return { check, status: "fault", detail: `there is none, so ${then}: ${problem}`, advice };
    }
    const age = ageMs === null ? "never confirmed" : `not confirmed for ${minutes(ageMs)}`;
    return { check, status: "warning", detail: `stale: ${what}, ${age}: ${problem}`, advice };
  });
}

function examineCounterStore({ counterStore }: GateHealth): Finding[] {
  if (!counterStore) return [];
  const check = "counter store";
  if (counterStore.state === "up") return [{ check, status: "ok", detail: "answers: gates share their counters" }];
  return [
    {
      check,
      status: "warning",
      detail: `away, so this gate counts by itself: ${counterStore.problem ?? "it does not answer"}`,
      advice:
        "look whether the server of REEVE_GATE_REDIS_URL runs, and lets the gate in; the gate tries it again by itself",
    },
  ];
}

function examinePeers({ untrustedPeers }: GateHealth): Finding {
  const check = "proxies";
  if (untrustedPeers.length === 0) return { check, status: "ok", detail: "no untrusted peer has asked" };
  const named = untrustedPeers.map(({ address, requests }) => `${address} (${requests} times)`).join(", ");
  return {
    check,
    status: "fault",
    detail: `refused because they are not trusted: ${named}`,
    advice: "add your proxy's address to REEVE_GATE_TRUSTED_PROXIES; nobody else should reach the gate's port",
  };
}

/** A warning: whoever scans networks asks for hosts of their own. */
function examineHosts({ unknownHosts }: GateHealth): Finding {
  const check = "hosts";
  if (unknownHosts.length === 0)
    return { check, status: "ok", detail: "the gate has a project for each that was asked for" };
  const named = unknownHosts.map(({ host, requests }) => `${host} (${requests} times)`).join(", ");
  return {
    check,
    status: "warning",
    detail: `refused because the gate has no project for them: ${named}`,
    advice: "if one of them is yours, add it to REEVE_GATE_HOSTS",
  };
}

function examineUse({ now, requests, lastRequestAt, startedAt }: GateHealth): Finding {
  const check = "requests";
  const quietMs = now - (lastRequestAt ?? startedAt);
  if (quietMs <= (lastRequestAt === null ? NEW_MS : QUIET_MS)) {
    const detail = lastRequestAt === null ? "none yet: it has just started" : `${requests} decided since it started`;
    return { check, status: "ok", detail };
  }
  return {
    check,
    status: "warning",
    detail: `nobody has asked the gate for ${minutes(quietMs)}: requests may pass by it`,
    advice: "send a request to the site, and look for X-Reeve-Decision where the gate stands; see docs/gate.md",
  };
}

async function readHealth(url: string): Promise<GateHealth | Finding> {
  const check = "gate";
  const at = `${url}/.well-known/reeve/health`;
  const advice = "start it, or say where it listens: --gate URL, or REEVE_GATE_LISTEN";
  let response: Response;
  let body: Partial<GateHealth> | null;
  try {
    response = await fetch(at, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    body = (await response.json().catch(() => null)) as Partial<GateHealth> | null;
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    return { check, status: "fault", detail: `nothing answers at ${url}: ${reason}`, advice };
  }
  if (Array.isArray(body?.projects) && Array.isArray(body.untrustedPeers)) return body as GateHealth;
  if (response.status === 404) {
    const detail = `${at} is not shown to this address, or there is no gate`;
    return { check, status: "fault", detail, advice: "ask from an address in REEVE_GATE_TRUSTED_PROXIES" };
  }
  return { check, status: "fault", detail: `what answers at ${url} is no gate (${response.status})`, advice };
}

/** `text` is the URL at which the gate listens. */
export async function examineGate(text: string): Promise<readonly Finding[]> {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    const advice = "say where the gate listens: --gate URL, or REEVE_GATE_LISTEN";
    return [{ check: "gate", status: "fault", detail: `${text} is no URL, such as http://127.0.0.1:4080`, advice }];
  }
  const url = text.replace(/\/+$/, "");
  const health = await readHealth(url);
  if ("check" in health) return [health];
  const answers: Finding = { check: "gate", status: "ok", detail: `answers at ${url}` };
  return [
    answers,
    ...examineBundles(health),
    ...examineCounterStore(health),
    examinePeers(health),
    examineHosts(health),
    examineUse(health),
  ];
}
