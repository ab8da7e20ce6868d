// Gives the server of `npm run dev` a team as it may be after its first weeks: members of every kind, secrets,
// environments, rules, a day of traffic, decisions, and deliveries that arrived and that failed.
import { createClient } from "../src/client/client.ts";
import type { Client } from "../src/client/client.ts";
import { ReeveError } from "../src/client/error.ts";

export interface Seeding {
  readonly server: string;
  /** An instance administrator's access token. */
  readonly token: string;
  /** Where webhooks deliver to. */
  readonly receiver: string;
  /** Makes an access token of an account. */
  tokenOf(username: string): Promise<string>;
}

const SLUG = "acme";
const PROJECT = "shop";
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

const PEOPLE = [
  { username: "grace", name: "Grace Hopper", role: "OWNER" },
  { username: "ada", name: "Ada Lovelace", role: "MEMBER" },
  { username: "linus", name: "Linus Torvalds", role: "DEVELOPER" },
  { username: "radia", name: "Radia Perlman", role: "SECURITY" },
  { username: "ken", name: "Ken Thompson", role: "VIEWER" },
] as const;

const RULES = [
  {
    name: "Keep /admin to the office",
    active: true,
    conditionGroup: [
      {
        conditions: [
          { type: "path", op: "pre", value: "/admin" },
          { type: "ip_address", op: "inc", neg: true, value: ["198.51.100.0/24"] },
        ],
      },
    ],
    action: { mitigate: { action: "deny" } },
  },
  {
    name: "Slow down sign-in",
    active: true,
    conditionGroup: [{ conditions: [{ type: "path", op: "eq", value: "/sign-in" }] }],
    action: {
      mitigate: {
        action: "rate_limit",
        rateLimit: { algo: "fixed_window", window: 60, limit: 10, keys: ["ip"], action: "challenge" },
      },
    },
  },
] as const;

/** Makes the team, unless the server has it. Returns whether it did. */
export async function seed({ server, token, receiver, tokenOf }: Seeding): Promise<boolean> {
  const admin = createClient({ server, token });
  const known = await admin.call("getTeam", { params: { teamId: SLUG } }).catch((error: unknown) => {
    if (error instanceof ReeveError && error.status === 404) return null;
    throw error;
  });
  if (known) return false;
  const { id: teamId } = await admin.call("createTeam", { body: { slug: SLUG, name: "Acme" } });
  const team = createClient({ server, token, team: teamId });
  await addPeople(admin, server, teamId, tokenOf);
  await addWebhooks(team, receiver);
  await addSecrets(team);
  await addFirewall(team);
  return true;
}

async function addPeople(admin: Client, server: string, teamId: string, tokenOf: Seeding["tokenOf"]): Promise<void> {
  for (const { role, ...person } of PEOPLE) {
    await admin.call("createUser", { body: { ...person, email: `${person.username}@example.com` } });
    const { code = "" } = await admin.call("createInvite", { params: { teamId }, body: { role, maxUses: 1 } });
    const own = createClient({ server, token: await tokenOf(person.username) });
    await own.call("joinTeam", { body: { inviteCode: code } });
  }
  await admin.call("createUser", { body: { username: "alan", name: "Alan Turing", email: "alan@example.com" } });
  await createClient({ server, token: await tokenOf("alan") }).call("requestAccess", { params: { teamId }, body: {} });
  await admin.call("inviteTeamMember", { params: { teamId }, body: { email: "newcomer@example.com", role: "MEMBER" } });
}

/** One receiver is there, and one is not. */
async function addWebhooks(team: Client, receiver: string): Promise<void> {
  for (const [path, description] of [
    ["hooks", "Deployments"],
    ["broken", "Answers every delivery with 500"],
  ] as const) {
    await team.call("createWebhook", {
      body: { url: `${receiver}/${path}`, events: ["secret-*", "firewall-*"], description },
    });
  }
}

async function addSecrets(team: Client): Promise<void> {
  const values = ["DATABASE_URL", "MAIL_PASSWORD", "SIGNING_KEY"].map((name) => ({
    name,
    value: `the value of ${name}`,
  }));
  await team.call("setSecretValues", { body: { values, decryptable: true } });
  await team.call("changeEnvironments", {
    params: { project: PROJECT },
    body: {
      environments: {
        production: {
          set: {
            DATABASE_URL: { secret: "DATABASE_URL" },
            MAIL_PASSWORD: { secret: "MAIL_PASSWORD" },
            LOG_LEVEL: { value: "info", comment: "debug fills the disk" },
          },
        },
        preview: { set: { LOG_LEVEL: { value: "debug" } } },
        development: { set: { DATABASE_URL: { value: "postgres://localhost/shop" } } },
      },
    },
  });
}

async function addFirewall(team: Client): Promise<void> {
  const query = { projectId: PROJECT };
  await team.call("putFirewallConfig", { query, body: { firewallEnabled: true, rules: RULES } } as never);
  const now = Date.now();
  const minutes = Array.from({ length: DAY_MINUTES / 5 }, (_, at) => now - at * 5 * MINUTE_MS);
  const counts = minutes.flatMap((at, index) => {
    // Busy by day, and a wave of scanning an hour ago.
    const usual = Math.round(60 + 40 * Math.sin(index / 46));
    const scanned = index >= 12 && index < 15 ? 900 : 2;
    return [
      { at, host: "shop.example.com", action: "allow" as const, count: usual },
      { at, host: "shop.example.com", action: "deny" as const, ip: "203.0.113.7", count: scanned },
      { at, host: "shop.example.com", action: "challenge" as const, ip: "203.0.113.99", count: 1 },
    ];
  });
  for (let from = 0; from < counts.length; from += 100)
    await team.call("reportTraffic", { query, body: { counts: counts.slice(from, from + 100) } });
}
