// `reeve doctor --gate`: asks a gate for its health from beside it, and says what is wrong and how to fix it. Changes nothing.
import type { Finding } from "../../platform/outcomes/finding.ts";
import type { GateHealth, ProjectHealth } from "../../gate/gate-status.ts";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

const TIMEOUT_MS = 5_000;
/** A gate in use is asked more often than this; one that has just started may not have been yet. */
const QUIET_MS = 10 * MINUTE_MS;
const NEW_MS = MINUTE_MS;

function minutes(ms: number): string {
  const count = Math.max(1, Math.round(ms / MINUTE_MS));
  return count === 1 ? "a minute" : `${count} minutes`;
}

/** What the requests of a project without a bundle come to. */
function withoutBundle({ problemKind }: ProjectHealth, whenNoBundle: GateHealth["whenNoBundle"]): string {
  if (problemKind === "mistake") return "all of its requests are refused";
  return whenNoBundle === "closed"
    ? "all of its requests are refused (REEVE_GATE_NO_BUNDLE=closed)"
    : "nothing is enforced";
}

function examineBundle(project: ProjectHealth, whenNoBundle: GateHealth["whenNoBundle"]): Finding {
  const { state, version, ageMs, problem = "the control plane has not confirmed it", problemKind } = project;
  const check = `bundle of ${project.project}`;
  const what = version === null ? "no configuration is active" : `version ${version}`;
  const missing = `there is none, so ${withoutBundle(project, whenNoBundle)}`;
  if (problemKind === "mistake") {
    const detail = state === "missing" ? missing : `${what} is the last one, and no change of it comes`;
    const advice = "repair what the setting names, or the setting; the gate reads its settings when it starts";
    return { check, status: "fault", detail: `${detail}: ${problem}`, advice };
  }
  if (state === "current") return { check, status: "ok", detail: `${what}, confirmed` };
  const advice =
    "look whether the control plane runs, and whether this machine reaches it; the gate asks again by itself";
  if (state === "missing") return { check, status: "fault", detail: `${missing}: ${problem}`, advice };
  const age = ageMs === null ? "never confirmed" : `not confirmed for ${minutes(ageMs)}`;
  return { check, status: "warning", detail: `stale: ${what}, ${age}: ${problem}`, advice };
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

/** A warning: anyone who scans networks asks for hosts of their own. */
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
    advice:
      "send a request to the site, and look for X-Reeve-Decision where the gate stands; see /docs/gate of the server",
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
    ...health.projects.map((project) => examineBundle(project, health.whenNoBundle)),
    ...examineCounterStore(health),
    examinePeers(health),
    examineHosts(health),
    examineUse(health),
  ];
}
