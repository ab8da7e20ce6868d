// Programs that use the clients which generators made of openapi.json: each makes the same ten calls and returns what came of them.
// They are written beside the generated code, compiled with it, and run.

/** What a program starts with and ends with; `call` stands between. */
const program = (imports: string, calls: string): string => `
${imports}
export async function run(base: string, token: string, slug: string): Promise<unknown[]> {
  const headers = { authorization: "Bearer " + token };
  ${calls}
}
`;

const HOOK = `{ url: "http://127.0.0.1:8999/hook", events: ["team-*"] }`;
const SECRET = `{ name: "DATABASE_URL", value: "postgres://db" }`;
const RESULT = `[me?.user.username, made?.slug, got?.slug, changed?.name, teams?.teams.length, secret?.name, secrets?.secrets.map(({ name }) => name).join(), hook?.events.join(), JSON.stringify(events ?? "").includes("events"), gone?.id === made?.id]`;

export const PROGRAMS: Readonly<Record<string, string>> = {
  "openapi-typescript": program(
    `import createClient from "openapi-fetch";
import type { components, paths } from "./openapi-typescript.ts";
type Listed = paths["/v3/events"]["get"]["responses"]["200"]["content"]["application/json"];
export const isSame = (listed: Listed): components["schemas"]["EventList"] => listed;`,
    `const api = createClient<paths>({ baseUrl: base, headers });
  const { data: me } = await api.GET("/v2/user");
  const { data: made } = await api.POST("/v1/teams", { body: { slug } });
  const inTeam = { params: { path: { teamId: slug } } };
  const query = { teamId: slug };
  const { data: got } = await api.GET("/v2/teams/{teamId}", inTeam);
  const { data: changed } = await api.PATCH("/v2/teams/{teamId}", { ...inTeam, body: { name: "Renamed" } });
  const { data: teams } = await api.GET("/v2/teams", { params: { query: { limit: 10 } } });
  const { data: secret } = await api.POST("/v2/secrets", { params: { query }, body: ${SECRET} });
  const { data: secrets } = await api.GET("/v2/secrets", { params: { query } });
  const { data: hook } = await api.POST("/v1/webhooks", { params: { query }, body: ${HOOK} });
  const { data: events } = await api.GET("/v3/events", { params: { query } });
  const { data: gone } = await api.DELETE("/v1/teams/{teamId}", { ...inTeam, body: {} });
  return ${RESULT};`,
  ),
  "hey-api": program(
    `import { client } from "./hey-api/client.gen.ts";
import * as api from "./hey-api/index.ts";`,
    `client.setConfig({ baseUrl: base, headers });
  const path = { teamId: slug };
  const query = { teamId: slug };
  const { data: me } = await api.getCurrentUser();
  const { data: made } = await api.createTeam({ body: { slug } });
  const { data: got } = await api.getTeam({ path });
  const { data: changed } = await api.updateTeam({ path, body: { name: "Renamed" } });
  const { data: teams } = await api.listTeams({ query: { limit: 10 } });
  const { data: secret } = await api.createSecret({ query, body: ${SECRET} });
  const { data: secrets } = await api.listSecrets({ query });
  const { data: hook } = await api.createWebhook({ query, body: ${HOOK} });
  const { data: events } = await api.listEvents({ query });
  const { data: gone } = await api.deleteTeam({ path, body: {} });
  return ${RESULT};`,
  ),
  orval: program(
    `import * as api from "./orval.ts";
type Data<T> = T extends { data: infer D; status: 200 } ? D : never;
function ok<T extends { status: number }>(answer: T): Data<T> {
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
  return (answer as unknown as { data: Data<T> }).data;
}`,
    `const { fetch } = globalThis;
  globalThis.fetch = (url, init) => fetch(new URL(String(url), base), { ...init, headers: { ...headers, ...init?.headers } });
  const query = { teamId: slug };
  const me = ok(await api.getCurrentUser());
  const made = ok(await api.createTeam({ slug }));
  const got = ok(await api.getTeam(slug));
  const changed = ok(await api.updateTeam(slug, { name: "Renamed" }));
  const teams = ok(await api.listTeams({ limit: 10 }));
  const secret = ok(await api.createSecret(${SECRET}, query));
  const secrets = ok(await api.listSecrets(query));
  const hook = ok(await api.createWebhook(${HOOK}, query));
  const events = ok(await api.listEvents(query));
  const gone = ok(await api.deleteTeam(slug, {}));
  globalThis.fetch = fetch;
  return ${RESULT};`,
  ),
  zod: program(
    `import { createApiClient } from "./zod.ts";`,
    `const api = createApiClient(base, { axiosConfig: { headers } });
  const inTeam = { params: { teamId: slug } };
  const queries = { teamId: slug };
  const me = await api.getCurrentUser();
  const made = await api.createTeam({ slug });
  const got = await api.getTeam(inTeam);
  const changed = await api.updateTeam({ name: "Renamed" }, inTeam);
  const teams = await api.listTeams({ queries: { limit: 10 } });
  const secret = await api.createSecret(${SECRET}, { queries });
  const secrets = await api.listSecrets({ queries });
  const hook = await api.createWebhook(${HOOK}, { queries });
  const events = await api.listEvents({ queries });
  const gone = await api.deleteTeam({}, inTeam);
  return ${RESULT};`,
  ),
  oazapfts: program(
    `import * as api from "./oazapfts.ts";
import { ok } from "@oazapfts/runtime";`,
    `Object.assign(api.defaults, { baseUrl: base, headers });
  const query = { teamId: slug };
  const me = await ok(api.getCurrentUser());
  const made = await ok(api.createTeam({ slug }));
  const got = await ok(api.getTeam(slug));
  const changed = await ok(api.updateTeam(slug, { name: "Renamed" }));
  const teams = await ok(api.listTeams({ limit: 10 }));
  const secret = await ok(api.createSecret(${SECRET}, query));
  const secrets = await ok(api.listSecrets(query));
  const hook = await ok(api.createWebhook(${HOOK}, query));
  const events = await ok(api.listEvents(query));
  const gone = await ok(api.deleteTeam(slug, {}));
  return ${RESULT};`,
  ),
  kubb: program(
    `import * as api from "./kubb/index.ts";`,
    // Its own client names no media type.
    `const config = { baseURL: base, headers: { ...headers, "content-type": "application/json" } };
  const query = { teamId: slug };
  const me = await api.getCurrentUser(undefined, config);
  const made = await api.createTeam({ slug }, undefined, undefined, config);
  const got = await api.getTeam(slug, undefined, config);
  const changed = await api.updateTeam(slug, { name: "Renamed" }, undefined, undefined, config);
  const teams = await api.listTeams({ limit: 10 }, config);
  const secret = await api.createSecret(${SECRET}, query, undefined, config);
  const secrets = await api.listSecrets(query, config);
  const hook = await api.createWebhook(${HOOK}, query, undefined, config);
  const events = await api.listEvents(query, config);
  const gone = await api.deleteTeam(slug, {}, undefined, undefined, config);
  return ${RESULT};`,
  ),
};
