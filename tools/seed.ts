// Gives a server a team as it may be after its first weeks: members of every kind, secrets, environments, rules, a day of traffic, and
// deliveries that arrived and that failed. `npm run dev` calls it. `npm run seed` does so for a server on this machine that runs already:
// REEVE_SERVER is its address (http://localhost:4000), REEVE_TOKEN an instance administrator's access token, and REEVE_DATA_DIR or
// REEVE_DATABASE_URL its store, where the accounts' tokens are made. Webhooks are left out unless REEVE_RECEIVER says where to.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { createClient } from "../src/client/client.ts";
import type { Client } from "../src/client/client.ts";
import { ReeveError } from "../src/client/error.ts";

interface Seeding {
  readonly server: string;
  /** An instance administrator's access token. */
  readonly token: string;
  /** Where webhooks deliver to; without it the team gets none. */
  readonly receiver?: string | undefined;
  /** Runs a command of the command line on the server's store. Returns what it prints. */
  readonly runReeve: RunReeve;
}

type RunReeve = (...args: string[]) => Promise<string>;

const PROGRAM = join(import.meta.dirname, "../bin/reeve.js");

/** Runs commands of the command line with these environment variables. */
export function commandLine(env: NodeJS.ProcessEnv): RunReeve {
  return async (...args) => (await promisify(execFile)(process.execPath, [PROGRAM, ...args], { env })).stdout;
}

const SLUG = "acme";
const PROJECT = "shop";
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** Accounts are called by their roles; the first one owns the team. */
const PEOPLE = [
  { username: "owner", name: "Owner", role: "OWNER" },
  { username: "member", name: "Member", role: "MEMBER" },
  { username: "developer", name: "Developer", role: "DEVELOPER" },
  { username: "security", name: "Security", role: "SECURITY" },
  { username: "viewer", name: "Viewer", role: "VIEWER" },
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
export async function seed({ server, token, receiver, runReeve }: Seeding): Promise<boolean> {
  const admin = createClient({ server, token });
  const known = await admin.call("getTeam", { params: { teamId: SLUG } }).catch((error: unknown) => {
    if (error instanceof ReeveError && error.status === 404) return null;
    throw error;
  });
  if (known) return false;
  const { id: teamId } = await admin.call("createTeam", { body: { slug: SLUG, name: "Acme" } });
  const team = createClient({ server, token, team: teamId });
  const clientOf = async (username: string) => {
    const made = await runReeve("tokens", "create", "--user", username, "--name", "seed", "--json");
    return createClient({ server, token: (JSON.parse(made) as { readonly bearerToken: string }).bearerToken });
  };
  await addPeople(admin, teamId, clientOf);
  if (receiver !== undefined) await addWebhooks(team, receiver);
  await addSecrets(team);
  await addFirewall(team);
  return true;
}

async function addPeople(
  admin: Client,
  teamId: string,
  clientOf: (username: string) => Promise<Client>,
): Promise<void> {
  for (const { role, ...person } of PEOPLE) {
    await admin.call("createUser", { body: { ...person, email: `${person.username}@example.com` } });
    const { code = "" } = await admin.call("createInvite", { params: { teamId }, body: { role, maxUses: 1 } });
    await (await clientOf(person.username)).call("joinTeam", { body: { inviteCode: code } });
  }
  await admin.call("createUser", { body: { username: "asker", name: "Asker", email: "asker@example.com" } });
  await (await clientOf("asker")).call("requestAccess", { params: { teamId }, body: {} });
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

if (import.meta.main) {
  const { REEVE_SERVER: server = "http://localhost:4000", REEVE_TOKEN: token, REEVE_RECEIVER: receiver } = process.env;
  if (token === undefined) throw new Error("Set REEVE_TOKEN to an instance administrator's access token.");
  const isNew = await seed({ server, token, receiver, runReeve: commandLine(process.env) });
  process.stdout.write(isNew ? `Made the team ${SLUG}.\n` : `The team ${SLUG} is there already.\n`);
}
