import assert from "node:assert/strict";
import { before, test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { TestResponse, Body, TestTeam, TestUser } from "../../../test/harness/test-app.ts";

const { clock, request, createUser, createTeam, readEvents } = await startOwnApp();
let owner: TestUser;
before(async () => {
  owner = await createUser();
});

const patch = (team: TestTeam, body: unknown, headers = {}): Promise<TestResponse> =>
  request("PATCH", `/v2/teams/${team.id}`, { token: owner.token, body, headers });
const read = async (team: TestTeam): Promise<Body> =>
  (await request("GET", `/v2/teams/${team.id}`, { token: owner.token })).body;
/** The events of a team after the one of its creation. */
const changesOf = async (team: TestTeam) => (await readEvents(team.id)).slice(1);

const AVATAR = "0123456789abcdef0123456789abcdef01234567";
const SETTINGS = "team-collaboration-settings-updated";
const on = (updatedAt: number) => ({ enabled: true, updatedAt });

/** What is sent, what is then served under the same names (or others), and the type of the event. */
const ACCEPTED: readonly (readonly [sent: Body, served: Body, event: string])[] = [
  [{ name: "Acme, Inc." }, { name: "Acme, Inc." }, "team-name-update"],
  [{ slug: "acme-2" }, { slug: "acme-2", stagingPrefix: "acme-2" }, "team-slug-update"],
  [{ description: "d".repeat(140) }, { description: "d".repeat(140) }, SETTINGS],
  [{ avatar: AVATAR }, { avatar: AVATAR }, "team-avatar-update"],
  [{ emailDomain: "mail.example.com" }, { emailDomain: "mail.example.com" }, "team-email-domain-update"],
  [{ previewDeploymentSuffix: "example.dev" }, { previewDeploymentSuffix: "example.dev" }, SETTINGS],
  [{ saml: { enforced: true } }, { saml: { enforced: true, roles: {} } }, "team-saml-enforced"],
  [
    { saml: { roles: { staff: "MEMBER", ops: { accessGroupId: "ag_1" } } } },
    { saml: { enforced: false, roles: { staff: "MEMBER", ops: { accessGroupId: "ag_1" } } } },
    "team-saml-roles",
  ],
  [{ enablePreviewFeedback: "on" }, { enablePreviewFeedback: "on" }, SETTINGS],
  [{ enableProductionFeedback: "off" }, { enableProductionFeedback: "off" }, SETTINGS],
  [{ sensitiveEnvironmentVariablePolicy: "on" }, { sensitiveEnvironmentVariablePolicy: "on" }, SETTINGS],
  [{ disjunctiveProductionSecretPolicy: "default" }, { disjunctiveProductionSecretPolicy: "default" }, SETTINGS],
  [{ remoteCaching: { enabled: false } }, { remoteCaching: { enabled: false } }, "team-remote-caching-update"],
  [{ hideIpAddresses: true }, { hideIpAddresses: true }, SETTINGS],
  [{ hideIpAddressesInLogDrains: true }, { hideIpAddressesInLogDrains: true }, SETTINGS],
  [{ dpAccessRequestsMode: "email-domain" }, { dpAccessRequestsMode: "email-domain" }, SETTINGS],
  [{ requireVerifiedCommits: true }, { requireVerifiedCommits: true }, SETTINGS],
  [{ disableRepositoryDispatchEvents: false }, { disableRepositoryDispatchEvents: false }, SETTINGS],
  [
    {
      defaultDeploymentProtection: {
        passwordProtection: { deploymentType: "all", password: "s3cret" },
        ssoProtection: {},
      },
    },
    {
      defaultDeploymentProtection: {
        passwordProtection: { deploymentType: "all" },
        ssoProtection: { deploymentType: "preview" },
      },
    },
    SETTINGS,
  ],
  [
    { defaultDeploymentProtection: { passwordProtection: null } },
    { defaultDeploymentProtection: { passwordProtection: null } },
    SETTINGS,
  ],
  [
    { defaultPassport: { connectorId: "c1", deploymentType: "preview" } },
    { defaultPassport: { connectorId: "c1", deploymentType: "preview" } },
    SETTINGS,
  ],
  [
    {
      defaultExpirationSettings: {
        expiration: "3y",
        expirationProduction: "unlimited",
        expirationCanceled: "1d",
        expirationErrored: "2w",
      },
    },
    {
      defaultExpirationSettings: {
        expirationDays: 1095,
        expirationDaysProduction: 36_500,
        expirationDaysCanceled: 1,
        expirationDaysErrored: 14,
      },
    },
    SETTINGS,
  ],
  ...(
    [
      "strictDeploymentProtectionSettings",
      "strictShareableLinks",
      "strictPasswordProtectionSettings",
      "strictConnectors",
    ] as const
  ).map((name) => [{ [name]: { enabled: true } }, { [name]: on(clock.now) }, SETTINGS] as const),
  [{ nsnbConfig: { preference: "manual-approval" } }, { nsnbConfig: { preference: "manual-approval" } }, SETTINGS],
  [
    { defaultProjectJobs: { lint: { targets: ["preview"] }, typecheck: { targets: [] } } },
    { defaultProjectJobs: { lint: { targets: ["preview"] }, typecheck: { targets: [] } } },
    SETTINGS,
  ],
  [
    {
      deploymentPolicy: {
        gitSources: [
          {
            enabled: true,
            environments: [{ type: "system", target: "production" }],
            sources: [{ provider: "gitlab", namespace: "acme" }],
          },
        ],
        deploymentSources: [{ enabled: true, environments: [], sources: ["cli"] }],
      },
    },
    {
      deploymentPolicy: {
        gitSources: [
          {
            enabled: true,
            environments: [{ type: "system", target: "production" }],
            sources: [{ provider: "gitlab", namespace: "acme" }],
          },
        ],
        deploymentSources: [{ enabled: true, environments: [], sources: ["cli"] }],
      },
    },
    SETTINGS,
  ],
  [
    { resourceConfig: { buildMachine: { default: "elastic" } } },
    { resourceConfig: { buildMachine: { default: "elastic" } } },
    SETTINGS,
  ],
];

for (const [sent, served, event] of ACCEPTED) {
  test(`a patch of ${JSON.stringify(sent).slice(0, 60)} is stored, returned and recorded once`, async () => {
    const team = await createTeam(owner);
    const original = await read(team);
    const patched = await patch(team, sent);
    assert.equal(patched.status, 200, patched.text);
    assert.equal(patched.headers["etag"], '"2"');
    assert.deepEqual(patched.body, { ...original, ...served });
    assert.deepEqual(await read(team), patched.body);
    const again = await patch(team, sent);
    assert.equal(again.headers["etag"], '"2"');
    const changes = await changesOf(team);
    assert.deepEqual(
      changes.map(({ type }) => type),
      [event],
    );
    assert.ok(changes[0]?.next);
    assert.notDeepEqual(changes[0]?.previous, changes[0]?.next);
    assert.ok(!JSON.stringify(changes).includes("s3cret"));
  });
}

/** What is refused, and the field that the refusal names. */
const REFUSED: readonly (readonly [sent: Body, field: string])[] = [
  [{ name: "x".repeat(257) }, "body.name"],
  [{ name: "" }, "body.name"],
  [{ name: null }, "body.name"],
  [{ slug: "Upper" }, "body.slug"],
  [{ slug: "api" }, "body.slug"],
  [{ description: "d".repeat(141) }, "body.description"],
  [{ avatar: "0".repeat(39) }, "body.avatar"],
  [{ avatar: AVATAR.toUpperCase() }, "body.avatar"],
  [{ emailDomain: "not a host" }, "body.emailDomain"],
  [{ emailDomain: "" }, "body.emailDomain"],
  [{ previewDeploymentSuffix: "-x.example" }, "body.previewDeploymentSuffix"],
  [{ regenerateInviteCode: "yes" }, "body.regenerateInviteCode"],
  [{ saml: { enforced: 1 } }, "body.saml.enforced"],
  [{ saml: { roles: { staff: "BOSS" } } }, "body.saml.roles.staff"],
  [{ saml: { roles: { staff: { accessGroupId: 1 } } } }, "body.saml.roles.staff.accessGroupId"],
  [{ enablePreviewFeedback: "default-force" }, "body.enablePreviewFeedback"],
  [{ enableProductionFeedback: true }, "body.enableProductionFeedback"],
  [{ sensitiveEnvironmentVariablePolicy: "maybe" }, "body.sensitiveEnvironmentVariablePolicy"],
  [{ disjunctiveProductionSecretPolicy: "maybe" }, "body.disjunctiveProductionSecretPolicy"],
  [{ remoteCaching: { enabled: "on" } }, "body.remoteCaching.enabled"],
  [{ hideIpAddresses: "no" }, "body.hideIpAddresses"],
  [{ hideIpAddressesInLogDrains: 0 }, "body.hideIpAddressesInLogDrains"],
  [{ dpAccessRequestsMode: "some" }, "body.dpAccessRequestsMode"],
  [{ requireVerifiedCommits: null }, "body.requireVerifiedCommits"],
  [{ disableRepositoryDispatchEvents: "" }, "body.disableRepositoryDispatchEvents"],
  [
    { defaultDeploymentProtection: { passwordProtection: { password: "s3cret" } } },
    "body.defaultDeploymentProtection.passwordProtection.deploymentType",
  ],
  [
    { defaultDeploymentProtection: { ssoProtection: { deploymentType: "none" } } },
    "body.defaultDeploymentProtection.ssoProtection.deploymentType",
  ],
  [{ defaultPassport: { connectorId: "c1" } }, "body.defaultPassport.deploymentType"],
  [{ defaultExpirationSettings: { expiration: "5y" } }, "body.defaultExpirationSettings.expiration"],
  [{ defaultExpirationSettings: { expirationCanceled: "2y" } }, "body.defaultExpirationSettings.expirationCanceled"],
  [{ strictDeploymentProtectionSettings: {} }, "body.strictDeploymentProtectionSettings.enabled"],
  [{ strictShareableLinks: true }, "body.strictShareableLinks"],
  [{ strictPasswordProtectionSettings: { enabled: 1 } }, "body.strictPasswordProtectionSettings.enabled"],
  [{ strictConnectors: { enabled: null } }, "body.strictConnectors.enabled"],
  [{ nsnbConfig: { preference: "allow" } }, "body.nsnbConfig.preference"],
  [{ nsnbConfig: "default" }, "body.nsnbConfig"],
  [{ defaultProjectJobs: { lint: {} } }, "body.defaultProjectJobs.lint.targets"],
  [
    { deploymentPolicy: { deploymentSources: [{ enabled: true, environments: [], sources: ["fax"] }] } },
    "body.deploymentPolicy.deploymentSources[0].sources[0]",
  ],
  [{ resourceConfig: { buildMachine: { default: "huge" } } }, "body.resourceConfig.buildMachine.default"],
  [{ resourceConfig: { concurrentBuilds: 5 } }, "body.resourceConfig.concurrentBuilds"],
  [{ plan: "pro" }, "body.plan"],
  [{ id: "team_x" }, "body.id"],
];

test("a patch that breaks a rule is refused with the field's name and changes nothing", async () => {
  const team = await createTeam(owner);
  const original = await read(team);
  for (const [sent, field] of REFUSED) {
    const refused = await patch(team, { name: "changed", ...sent });
    assert.equal(refused.status, 400, JSON.stringify(sent));
    assert.equal(refused.body.error.field, field, JSON.stringify(sent));
    assert.ok(!refused.text.includes("s3cret"));
  }
  assert.deepEqual(await read(team), original);
  assert.deepEqual(await changesOf(team), []);
});
