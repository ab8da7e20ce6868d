// The examples of workload identity.
import { uniqueName } from "../harness/test-app.ts";
import { newTeam } from "./example-things.ts";
import type { Example } from "./example-things.ts";
import type { World } from "./world.ts";

/** A trust rule of the team's, whose issuer nobody asks. */
async function newTrust({ request, team, owner }: World): Promise<Example> {
  const query = { teamId: team.id };
  const body = {
    name: uniqueName("trust"),
    issuer: "https://issuer.example.com",
    audience: "https://reeve.example.com",
    claims: { sub: "repo:acme/shop:*" },
    role: "VIEWER",
  };
  const made = await request("POST", `/v1/identity/trusts?teamId=${team.id}`, { token: owner.token, body });
  if (made.status !== 200) throw new Error(made.text);
  return { params: { trustId: made.body.trust.id }, query };
}

export const IDENTITY_EXAMPLES: Readonly<Record<string, (world: World) => Example | Promise<Example>>> = {
  createIdentityTrust: async (world) => ({
    query: { teamId: (await newTeam(world)).id },
    body: {
      name: "Deployments",
      issuer: "https://issuer.example.com",
      audience: "https://reeve.example.com",
      claims: { sub: ["repo:acme/shop:*"], run_attempt: 1 },
      role: "VIEWER",
      permissions: ["team:read"],
      singleUse: true,
    },
  }),
  listIdentityTrusts: ({ team }) => ({ query: { teamId: team.id } }),
  getIdentityTrust: newTrust,
  updateIdentityTrust: async (world) => ({ ...(await newTrust(world)), body: { name: "Others", adopt: true } }),
  deleteIdentityTrust: newTrust,
  listIssuedKeys: newTrust,
  explainIdentity: ({ team }) => ({ query: { teamId: team.id }, body: { token: "not a token" } }),
};
