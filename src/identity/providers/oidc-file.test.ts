import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readOidcFile } from "./oidc-file.ts";

const folder = mkdtempSync(join(tmpdir(), "reeve-oidc-"));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, "oidc.yaml");
writeFileSync(join(folder, "secret"), "hunter2\n");
writeFileSync(join(folder, "empty"), "\n");

const MINIMAL = `
providers:
  - id: keycloak
    name: Keycloak
    issuer: https://id.example.com/realms/acme
    clientId: reeve
`;

function read(text: string, environment: Readonly<Record<string, string>> = {}) {
  writeFileSync(file, text);
  return readOidcFile(file, environment);
}

/** The messages without the file's name: `line: field: message`. */
function refusal(text: string, environment: Readonly<Record<string, string>> = {}): string[] {
  try {
    read(text, environment);
  } catch (error) {
    assert.equal((error as Error).name, "ConfigError");
    const { message } = error as Error;
    assert.ok(message.startsWith(`REEVE_OIDC_FILE: ${file}:`), message);
    return message.replace("REEVE_OIDC_FILE: ", "").replaceAll(`${file}:`, "").split("\n");
  }
  throw new Error("the file was accepted");
}

test("a provider needs an id, a name, an issuer and a client id", () => {
  assert.deepEqual(read(MINIMAL), [
    {
      id: "keycloak",
      name: "Keycloak",
      issuer: "https://id.example.com/realms/acme",
      clientId: "reeve",
      clientSecret: null,
      scopes: ["openid", "email", "profile"],
      emailVerifiedClaim: "email_verified",
      signUp: false,
      domains: [],
      roles: [],
      missingClaims: "none",
    },
  ]);
  assert.deepEqual(read("providers: []"), []);
  assert.deepEqual(refusal("providers: [{ id: a }]"), [
    "1: providers[0].name: is required",
    "1: providers[0].issuer: is required",
    "1: providers[0].clientId: is required",
  ]);
});

test("everything else of a provider is read", () => {
  const [provider] = read(`${MINIMAL}    clientSecretFile: secret
    scopes: [openid, email, groups]
    emailVerifiedClaim: xms_edov
    signUp: true
    domains: [Acme.com]
    roles:
      - { claim: realm_access.roles, value: reeve-admin, instance: administrator }
      - { claim: level, value: 3, team: acme, role: DEVELOPER }
      - { claim: '["a.b","c"]', value: x, team: acme, role: VIEWER }
    missingClaims: unknown
`);
  assert.deepEqual(
    { ...provider, id: "", name: "", issuer: "", clientId: "" },
    {
      id: "",
      name: "",
      issuer: "",
      clientId: "",
      clientSecret: "hunter2",
      scopes: ["openid", "email", "groups"],
      emailVerifiedClaim: "xms_edov",
      signUp: true,
      domains: ["acme.com"],
      roles: [
        { claim: "realm_access.roles", value: "reeve-admin", instance: "administrator" },
        { claim: "level", value: "3", team: "acme", role: "DEVELOPER" },
        { claim: '["a.b","c"]', value: "x", team: "acme", role: "VIEWER" },
      ],
      missingClaims: "unknown",
    },
  );
  const [byVariable] = read(`${MINIMAL}    clientSecretEnv: OIDC_SECRET`, { OIDC_SECRET: "hunter3" });
  assert.equal(byVariable?.clientSecret, "hunter3");
});

test("an issuer is an https URL, or any URL on loopback", () => {
  const withIssuer = (issuer: string) => MINIMAL.replace("https://id.example.com/realms/acme", issuer);
  for (const issuer of ["http://127.0.0.1:4100", "http://localhost:4100/realms/a", "http://[::1]:4100"]) {
    assert.equal(read(withIssuer(issuer))[0]?.issuer, issuer);
  }
  for (const issuer of [
    "http://id.example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "https://id.example.com/?tenant=a",
    "https://ada:hunter2@id.example.com",
    "id.example.com",
    "ftp://localhost",
  ]) {
    assert.deepEqual(
      refusal(withIssuer(issuer)),
      ["5: providers[0].issuer: expected an https URL without a query (http is allowed on loopback only)"],
      issuer,
    );
  }
});

test("each problem is named by line and key, and no message repeats a value", () => {
  assert.deepEqual(
    refusal(`${MINIMAL}    clientSecret: hunter2
    scopes: email
    signUp: "yes"
    roles:
      - { claim: groups, value: admins }
      - { claim: groups, value: admins, instance: administrator, team: acme, role: OWNER }
      - { claim: groups, value: [admins], team: acme, role: BOSS }
      - { claim: groups, value: admins, instance: owner }
`),
    [
      "7: providers[0].clientSecret: unknown key; did you mean clientSecretEnv?",
      "8: providers[0].scopes: expected a list of scopes such as [openid, email, profile]",
      "9: providers[0].signUp: expected true or false",
      "11: providers[0].roles[0]: expected either instance: administrator, or both team and role",
      "12: providers[0].roles[1]: expected either instance: administrator, or both team and role",
      "13: providers[0].roles[2].value: expected a text without control characters, 255 characters at most",
      "13: providers[0].roles[2].role: expected one of OWNER, MEMBER, DEVELOPER, SECURITY, BILLING, VIEWER, VIEWER_FOR_PLUS, CONTRIBUTOR",
      "14: providers[0].roles[3].instance: expected administrator",
    ],
  );
  assert.deepEqual(refusal("provider: []"), [
    "1: provider: unknown key; did you mean providers?",
    "1: providers: is required",
  ]);
  assert.deepEqual(refusal("- a"), ["1: expected an object with the key providers"]);
  assert.deepEqual(refusal(MINIMAL.replace("id: keycloak", "id: Key/cloak")), [
    "3: providers[0].id: expected lower-case letters, digits and dashes, 40 at most, such as keycloak",
  ]);
  assert.match(refusal("providers: [")[0] ?? "", /^1: /);
  assert.throws(
    () => readOidcFile(join(folder, "none.yaml"), {}),
    /^ConfigError: REEVE_OIDC_FILE: expected a file that can/,
  );
});

test("what contradicts something else is refused", () => {
  assert.deepEqual(refusal(MINIMAL + MINIMAL.replace("\nproviders:", "")), [
    "8: providers[1].id: expected an id that no provider before has",
  ]);
  assert.deepEqual(
    refusal(`${MINIMAL}    clientSecretFile: secret
    clientSecretEnv: OIDC_SECRET
    scopes: [email]
    domains: [acme.com]
`),
    [
      "8: providers[0].clientSecretEnv: expected to be alone, but clientSecretFile is given too",
      "9: providers[0].scopes: expected openid among the scopes",
      "10: providers[0].domains: expected only beside signUp: true",
    ],
  );
});

test("a client secret that cannot be found stops the start", () => {
  assert.match(
    refusal(`${MINIMAL}    clientSecretFile: none`)[0] ?? "",
    /^7: providers\[0\]\.clientSecretFile: expected a file that can be read: there is no such file or folder$/,
  );
  assert.match(refusal(`${MINIMAL}    clientSecretFile: empty`)[0] ?? "", /got an empty one$/);
  assert.match(
    refusal(`${MINIMAL}    clientSecretEnv: NONE`)[0] ?? "",
    /expected a variable that is set, but NONE is not$/,
  );
  assert.match(refusal(`${MINIMAL}    clientSecretEnv: REEVE_SECRET`)[0] ?? "", /does not begin with REEVE_$/);
});

test("a key without a value is refused, because its default may allow more", () => {
  for (const key of [
    "signUp",
    "domains",
    "roles",
    "missingClaims",
    "scopes",
    "emailVerifiedClaim",
    "clientSecretFile",
  ]) {
    assert.deepEqual(refusal(`${MINIMAL}    ${key}:`), [`7: providers[0].${key}: expected a value, or no such key`]);
  }
  assert.deepEqual(refusal(`${MINIMAL}    name:`.replace("    name: Keycloak\n", "")), [
    "6: providers[0].name: is required",
  ]);
});
