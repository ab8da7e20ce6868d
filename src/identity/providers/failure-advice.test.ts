// What the log says after a sign-in failed because two sides differ: both values and the setting to change, for real providers.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { startIssuer } from "../../../test/sign-in/oidc-issuer.ts";
import type { IssuerOptions } from "../../../test/sign-in/oidc-issuer.ts";
import type { FailureDetails } from "./provider-failure.ts";
import { openProviders } from "./providers.ts";

const PUBLIC_URL = "http://127.0.0.1:4000/reeve";
const CLIENT = { clientId: "reeve", clientSecret: "s3cret-s3cret-s3cret-s3cret-s3cret" };
const failures: FailureDetails[] = [];

function open(issuer: string) {
  const rest = { scopes: ["openid", "email"], emailVerifiedClaim: "email_verified", domains: [], roles: [] };
  return openProviders({
    providers: [{ id: "first", name: "First", issuer, signUp: false, missingClaims: "none", ...CLIENT, ...rest }],
    publicUrl: PUBLIC_URL,
    logFailure: (details) => void failures.push(details),
    logAbsence: () => assert.fail(),
  });
}

const refused = (code: string) => (error: Error) => (error as Error & { code: string }).code === code;

test("what does not fit is logged with both values and the setting to change, without the token", async () => {
  const redirectUris = [`${PUBLIC_URL}/console/sign-in/first/callback`];
  const [idToken, userinfo] = ["id_token_signed_response_alg", "userinfo_signed_response_alg"];
  const without = (name: string) => (metadata: Record<string, unknown>) => void delete metadata[name];
  const cases: readonly (readonly [Partial<IssuerOptions>, RegExp])[] = [
    [
      { client: { [idToken]: "HS256" } },
      /ID token is signed with "HS256", and "RS256" was expected: .* set id_token_signed_response_alg of the client "reeve" to RS256/,
    ],
    [
      { client: { [idToken]: "HS256" }, changeMetadata: without("id_token_signing_alg_values_supported") },
      /ID token is signed with "HS256", and "RS256" was expected/,
    ],
    [
      { client: { [userinfo]: "RS256" }, changeMetadata: without("userinfo_signing_alg_values_supported") },
      /userinfo response is "application\/jwt", and "application\/json" was expected, .* unset userinfo_signed_response_alg of the client "reeve", so that it gets JSON, or add \["RS256"\]/,
    ],
    [
      { client: { [userinfo]: "HS256" } },
      /userinfo response is signed with "HS256", .* set userinfo_signed_response_alg/,
    ],
    [
      { changeMetadata: (metadata) => void (metadata["issuer"] = `${String(metadata["issuer"])}/`) },
      /issuer of first in REEVE_OIDC_FILE is "http:\/\/127.0.0.1:\d+", and its metadata has "http:\/\/127.0.0.1:\d+\/", and .* has "http:\/\/127.0.0.1:\d+", which differs by the slash/,
    ],
  ];
  for (const [options, advice] of cases) {
    const issuer = await startIssuer({ ...CLIENT, redirectUris, ...options });
    issuer.setAccount("ada", { email: "ada@example.com" });
    const opened = open(issuer.url);
    const { url, step } = await opened.begin("first", { returnTo: "./" });
    const back = await issuer.signIn("ada", url);
    await assert.rejects(opened.finish("first", step, back.search), refused("provider_refused"));
    assert.match(failures.at(-1)?.advice ?? "", advice);
    assert.doesNotMatch(JSON.stringify(failures), /ada@example|eyJ|s3cret/);
    await issuer.close();
  }
});

test("an issuer that differs by a slash, and an answer that is no metadata, are named in the log", async () => {
  const server = createServer((request, response) => {
    const isThere = request.url === "/realms/acme/.well-known/openid-configuration";
    response.writeHead(isThere ? 200 : 404, { "content-type": isThere ? "application/json" : "text/html" });
    response.end(isThere ? JSON.stringify({ issuer: `${at}/realms/acme` }) : "<p>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [issuer, advice] of [
    [
      `${at}/realms/acme/`,
      `issuer of first in REEVE_OIDC_FILE is "${at}/realms/acme/", and the provider's metadata has "${at}/realms/acme", which differs by the slash at its end`,
    ],
    [
      `${at}/realms/other`,
      `${at}/realms/other/.well-known/openid-configuration answered with status 404 and text/html: check issuer of first in REEVE_OIDC_FILE, which is "${at}/realms/other"`,
    ],
  ] as const) {
    const begun = open(issuer).begin("first", { returnTo: "./" });
    await assert.rejects(begun, refused("provider_unavailable"));
    assert.ok(failures.at(-1)?.advice?.startsWith(advice), JSON.stringify(failures.at(-1)));
  }
  server.closeAllConnections();
  server.close();
});
