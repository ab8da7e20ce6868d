// Who reads the trail sees what a change was of: for each member that a PATCH can set, the event has it before and after.
import assert from "node:assert/strict";
import { test } from "node:test";
import { uniqueName } from "../harness/test-app.ts";
import { OPERATIONS, call, exampleOf } from "./operation-call.ts";
import type { Example } from "./example-things.ts";
import { createWorld } from "./world.ts";

const world = await createWorld();
const IN_A_DAY = world.clock.now + 86_400_000;
const AVATAR = "c".repeat(40);

/** Members that say how a change is made, take one value alone, or admit somebody, which is an event of another type. */
const SETS_NOTHING = new Set([
  "adopt",
  "expectedVersion",
  "keepAlias",
  "accessGroupsToAdd",
  "accessGroupsToRemove",
  "confirmed",
  "joinedFrom",
]);
/** What the event calls it; of headers it has no values. */
const RECORDED_AS: Readonly<Record<string, string>> = {
  admin: "isAdmin",
  suspended: "suspendedAt",
  headers: "headerNames",
  keyPair: "publicKey",
  regenerateInviteCode: "inviteCode",
  saml: "roles",
};
/** Each value differs from what the example's object has. */
const VALUES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  updateCurrentUser: { name: "Other", username: uniqueName("other"), avatar: AVATAR, defaultTeamId: world.team.id },
  updateUser: {
    name: "Other",
    email: `${uniqueName("other")}@example.com`,
    username: uniqueName("other"),
    admin: true,
    suspended: true,
  },
  updateTeam: {
    name: "Other",
    slug: uniqueName("other"),
    description: "other",
    avatar: AVATAR,
    emailDomain: "other.example.com",
    previewDeploymentSuffix: "other.example.com",
    regenerateInviteCode: true,
    inviteCodeRole: "DEVELOPER",
    inviteCodeEnabled: false,
    saml: { roles: { engineers: "DEVELOPER" } },
    enablePreviewFeedback: "off",
    enableProductionFeedback: "on",
    sensitiveEnvironmentVariablePolicy: "on",
    disjunctiveProductionSecretPolicy: "on",
    remoteCaching: { enabled: false },
    hideIpAddresses: true,
    hideIpAddressesInLogDrains: true,
    dpAccessRequestsMode: "none",
    requireVerifiedCommits: true,
    disableRepositoryDispatchEvents: true,
    defaultDeploymentProtection: { ssoProtection: { deploymentType: "all" } },
    defaultPassport: { connectorId: "other", deploymentType: "all" },
    defaultExpirationSettings: { expiration: "1d" },
    strictDeploymentProtectionSettings: { enabled: true },
    strictShareableLinks: { enabled: true },
    strictPasswordProtectionSettings: { enabled: true },
    strictConnectors: { enabled: true },
    nsnbConfig: { preference: "block" },
    defaultProjectJobs: { lint: { targets: ["other"] } },
    deploymentPolicy: { gitSources: [] },
    resourceConfig: { buildMachine: { default: "turbo" } },
  },
  updateTeamMember: {
    role: "DEVELOPER",
    teamPermissions: ["CreateProject"],
    projects: [{ projectId: "site", role: "ADMIN" }],
  },
  updateSecret: {
    name: uniqueName("OTHER"),
    decryptable: false,
    description: "other",
    tags: ["other"],
    maxVersions: 3,
    expiresAt: IN_A_DAY,
  },
  updateIdentityTrust: {
    name: "Others",
    issuer: "https://other.example.com",
    audience: "other",
    claims: { sub: "other" },
    role: "MEMBER",
    permissions: ["event:read"],
    projects: ["site"],
    environments: ["other"],
    names: ["OTHER_*"],
    allowedCidrs: ["10.0.0.0/8"],
    singleUse: true,
  },
  updateWebhook: {
    url: "http://127.0.0.1:9/other",
    events: ["secret-*"],
    projectIds: ["site"],
    description: "other",
    headers: { "x-other": "1" },
    rateLimit: 5,
    active: true,
    ordering: "strict",
    concurrency: 2,
    keyPair: true,
    logResponses: false,
  },
};

async function eventIds() {
  return new Set((await world.query("select id from events")).map((row) => String(row["id"])));
}

for (const operation of OPERATIONS.filter(({ id }) => id in VALUES)) {
  const { id, endpoint } = operation;
  const settable = Object.keys((endpoint.body as { readonly properties: object }).properties);
  for (const member of settable.filter((name) => !SETS_NOTHING.has(name))) {
    test(`${id}: the event of a change has ${member} before and after`, async () => {
      const value = VALUES[id]?.[member];
      assert.notEqual(value, undefined, `expected a value for ${member} in VALUES.${id}`);
      const example: Example = { ...(await exampleOf(operation, world)), body: { [member]: value } };
      const before = await eventIds();
      const response = await call(operation, world, example);
      assert.equal(response.status, 200, response.text);
      const rows = (await world.query("select * from events")).filter((row) => !before.has(String(row["id"])));
      const states = rows.map((row) =>
        ["previous", "next"].map((column) => JSON.parse(String(row[column])) as Record<string, unknown> | null),
      );
      const name = RECORDED_AS[member] ?? member;
      const recorded = states.find(([, next]) => next && name in next);
      assert.ok(recorded, `expected ${name} in an event: ${JSON.stringify(states)}`);
      assert.notDeepEqual(recorded[0]?.[name], recorded[1]?.[name]);
    });
  }
}
