// Finds a decision of a gate by its id, in the team that is named or in all that the credential may see.
import { Failure } from "../../../platform/outcomes/failure.ts";
import { givenBy } from "./place-names.ts";
import type { RemoteFlags } from "./connection.ts";
import { ReeveError } from "../../../client/error.ts";
import { teamQuery } from "../../../client/client.ts";
import type { Client } from "../../../client/client.ts";
import type { RemoteSettings } from "../../../serve/config/remote-settings.ts";
import { callServer, connect, whereAllowed } from "./connection.ts";
import { readContexts } from "./contexts.ts";
import type { Output } from "../../../client/types.ts";

/** Which decision of a gate to find. */
export interface DecisionQuestion {
  readonly id: string;
  /** Id or slug; null: in every team. */
  readonly team: string | null;
}

type Decision = Output<"getGateDecision">["decision"];

/** A decision of a gate, as the API shows it. */
export interface FoundDecision {
  readonly server: string;
  /** Id or slug; null: it is of the credential's own team or account. */
  readonly team: string | null;
  readonly decision: Decision;
}

const ID = /^[A-Za-z0-9]{8,40}$/;
/** Teams that are looked through; who has more names one. */
const MAX_TEAMS = 100;

/** Null: it is not there. An error: the credential may not look there. */
async function look(client: Client, id: string, query: object): Promise<Decision | ReeveError | null> {
  try {
    const { decision } = await client.call("getGateDecision", { params: { decisionId: id }, query });
    return decision;
  } catch (error) {
    if (!(error instanceof ReeveError)) throw error;
    const { status, message } = error;
    if (status === 404 && message.startsWith("Decision not found")) return null;
    if (status === 403 || status === 404) return error;
    throw error;
  }
}

/** Looks where the credential belongs, and then in each of its teams. */
async function lookEverywhere(client: Client, id: string) {
  const own = await look(client, id, {});
  if (own !== null && !(own instanceof ReeveError)) return { team: null, decision: own };
  const found = await whereAllowed(client.call("listTeams", { query: { limit: MAX_TEAMS } }));
  let refusal = own;
  for (const { id: teamId, slug } of found?.teams ?? []) {
    const decision = await look(client, id, { teamId });
    if (decision !== null && !(decision instanceof ReeveError)) return { team: slug, decision };
    refusal &&= decision;
  }
  if (refusal !== null) throw refusal;
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
  const found = await callServer(connection, async (client) => {
    if (team === null) return await lookEverywhere(client, id);
    const decision = await look(client, id, teamQuery(team));
    if (decision instanceof ReeveError) throw decision;
    return decision && { team, decision };
  });
  if (found) return { server, ...found };
  throw new Failure(
    "absent",
    `${server} has no decision ${id}${team === null ? "" : ` in the team ${team} (${givenBy("team")})`}. Gates report samples every ten seconds, not every ` +
      "decision of a flood, and none of requests that were let through; they are kept for seven days. The header " +
      "X-Reeve-Decision that the client got names the rule; with reason=bad_request or unknown_host there, no project has the decision.",
    "decision_not_found",
  );
}
