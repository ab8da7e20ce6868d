// Finds a decision of a gate by its id, in the team that is named or in all that the credential may see.
import { Failure } from "../../cli/failure.ts";
import type { DecisionQuestion, FoundDecision, RemoteFlags } from "../../cli/remote.ts";
import type { RemoteSettings } from "../../config/remote-settings.ts";
import { ask, connect, read } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { readContexts } from "./contexts.ts";
import { messageOf, notReeve, refusedBy } from "./http-client.ts";

const ID = /^[A-Za-z0-9]{8,40}$/;
/** Teams that are looked through; who has more names one. */
const MAX_TEAMS = 100;

type Decision = FoundDecision["decision"];

interface TeamBody {
  readonly id: string;
  readonly slug: string;
}

function scopeOf(team: string): string {
  return `?${team.startsWith("team_") ? "teamId" : "slug"}=${encodeURIComponent(team)}`;
}

/** Null: it is not there. `isRequired`: a scope that the credential may not see is a failure. */
async function look(connection: Connection, id: string, scope: string, isRequired: boolean): Promise<Decision | null> {
  const response = await ask(connection, `/v1/gate/decisions/${id}${scope}`);
  const { status, body } = response;
  if (status === 200 && body !== null) return body["decision"] as Decision;
  if (status === 404 && messageOf(response) === "Decision not found") return null;
  if (!isRequired && (status === 403 || status === 404)) return null;
  throw body === null ? notReeve(connection.server) : refusedBy(connection.server, response);
}

async function listTeams(connection: Connection): Promise<readonly TeamBody[]> {
  const body = await read(connection, `/v2/teams?limit=${MAX_TEAMS}`);
  return (body?.["teams"] ?? []) as readonly TeamBody[];
}

/** Looks where the credential belongs, and then in each of its teams. */
async function lookEverywhere(connection: Connection, id: string) {
  const own = await look(connection, id, "", false);
  if (own) return { team: null, decision: own };
  for (const { id: teamId, slug } of await listTeams(connection)) {
    const decision = await look(connection, id, scopeOf(teamId), false);
    if (decision) return { team: slug, decision };
  }
  return null;
}

export async function findDecision(
  settings: RemoteSettings,
  flags: RemoteFlags,
  { id, team }: DecisionQuestion,
): Promise<FoundDecision> {
  if (!ID.test(id)) {
    throw new Failure("usage", `<id>: expected the id of a decision, 8 to 40 letters and digits, got ${id}`);
  }
  const connection = connect(await readContexts(settings.contextsFile), settings, flags);
  const { server } = connection;
  if (team !== null) {
    const decision = await look(connection, id, scopeOf(team), true);
    if (decision) return { server, team, decision };
  } else {
    const found = await lookEverywhere(connection, id);
    if (found) return { server, ...found };
  }
  throw new Failure(
    "refused",
    `${server} has no decision ${id}${team === null ? "" : ` in the team ${team}`}. Gates report samples every ten seconds, not every ` +
      "decision of a flood, and none of requests that were let through; they are kept for seven days. The header " +
      "X-Reeve-Decision that the client got names the rule.",
    "decision_not_found",
  );
}
