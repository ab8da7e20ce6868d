// Users, teams and members: reads and creates beside raw node:http.
import { join } from "node:path";
import { encodeRequest } from "./load.ts";
import { BENCH_TOKEN, RAW_TOKEN, readBody, startRaw, startReeve } from "./processes.ts";
import type { Bench, ServerProcess } from "./processes.ts";
import { callScenario, fullReadLoad, fullWriteLoad, runRounds } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { seedTeams } from "./seed-teams.ts";
import type { TeamSeed } from "./seed-teams.ts";
import { atLeast, atMost, growthFindings, rateFinding } from "./table.ts";
import type { Table } from "./table.ts";

const SIZES = [10, 1_000, 100_000] as const;

let slugCounter = 0;
/** Creates a team that nobody has created yet. */
export function newTeamRequest(token: string): Buffer {
  return encodeRequest(
    { method: "POST", path: "/v1/teams", body: { slug: `new-${process.pid}-${slugCounter++}` } },
    token,
  );
}

export async function benchTeams({ folder, keep }: Bench): Promise<Table[]> {
  const seeds = new Map<number, TeamSeed>();
  const servers = new Map<number, ServerProcess>();
  for (const size of SIZES) {
    const dataDir = join(folder, `teams-${size}`);
    seeds.set(size, await seedTeams(dataDir, size));
    servers.set(size, await keep(startReeve(dataDir)));
  }
  const writeServer = await keep(startReeve(join(folder, "teams-writes")));
  const scenarios: Scenario[] = [];
  const { token: smallToken, teamId: smallTeam } = seeds.get(10) as TeamSeed;
  const middle = seeds.get(1_000) as TeamSeed;
  const get = (size: number, token: string, path: string) =>
    readBody(servers.get(size) as ServerProcess, token, { method: "GET", path });
  const rawBodies = {
    "/v2/user": await get(10, smallToken, "/v2/user"),
    [`/v2/teams/${smallTeam}`]: await get(10, smallToken, `/v2/teams/${smallTeam}`),
    // A full page of 20, as the larger stores answer it.
    "/v2/teams": await get(1_000, middle.token, "/v2/teams"),
    "/members": await get(1_000, middle.token, `/v2/teams/${middle.teamId}/members`),
    "/v1/teams": JSON.stringify({ id: smallTeam, slug: "team-1" }),
  };
  const raw = await keep(startRaw(rawBodies));
  const addGet = (name: string, server: ServerProcess, token: string, path: string) => {
    const bytes = encodeRequest({ method: "GET", path }, token);
    scenarios.push(fullReadLoad(name, server, () => bytes));
  };
  addGet("raw: user", raw, RAW_TOKEN, "/v2/user");
  addGet("raw: team", raw, RAW_TOKEN, `/v2/teams/${smallTeam}`);
  addGet("raw: page of 20 teams", raw, RAW_TOKEN, "/v2/teams");
  addGet("raw: page of 20 members", raw, RAW_TOKEN, "/members");
  for (const size of SIZES) {
    const { token, teamId } = seeds.get(size) as TeamSeed;
    const server = servers.get(size) as ServerProcess;
    addGet(`GET user, ${size} stored`, server, token, "/v2/user");
    addGet(`GET team, ${size} stored`, server, token, `/v2/teams/${teamId}`);
    addGet(`GET teams, ${size} stored`, server, token, "/v2/teams");
    addGet(`GET members, ${size} stored`, server, token, `/v2/teams/${teamId}/members`);
  }
  const rawCreate = encodeRequest({ method: "POST", path: "/v1/teams", body: { slug: "new-12345-678" } }, RAW_TOKEN);
  const create = () => newTeamRequest(BENCH_TOKEN);
  scenarios.push(
    fullWriteLoad("raw: POST, 64 connections", raw, () => rawCreate),
    callScenario("POST team, 1 connection", { server: writeServer, connections: 1, isAwake: false, request: create }),
    fullWriteLoad("POST team, 64 connections", writeServer, create),
  );

  const rows = await runRounds(scenarios);
  const smallOf = { user: 10, team: 10, teams: 1_000, members: 1_000 };
  const findings = [
    rateFinding(rows, "GET user / raw", "GET user, 10 stored", "raw: user", atLeast(0.6)),
    rateFinding(rows, "GET team / raw", "GET team, 10 stored", "raw: team", atLeast(0.6)),
    rateFinding(rows, "page of 20 teams / raw", "GET teams, 1000 stored", "raw: page of 20 teams", atLeast(0.25)),
    rateFinding(rows, "page of 20 members / raw", "GET members, 1000 stored", "raw: page of 20 members", atLeast(0.25)),
    rateFinding(
      rows,
      "creates, 64 connections / 1 connection",
      "POST team, 64 connections",
      "POST team, 1 connection",
      atLeast(3),
    ),
    ...Object.entries(smallOf).flatMap(([call, small]) =>
      growthFindings(
        rows,
        `GET ${call}: 100 000 stored / ${small} stored`,
        `GET ${call}, 100000 stored`,
        `GET ${call}, ${small} stored`,
        atMost(1.2),
      ),
    ),
  ];
  return [{ title: "Users, teams and members", unit: "requests/s", rows, findings }];
}
