// An empty `teamId` or `slug`, as of a shell's variable that is not set: endpoints that existing clients call take it as absent, because
// those clients send it. Reeve's own refuse it, because without a team a call is about the caller's own account.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../harness/test-app.ts";
import { OPERATIONS } from "./operation-call.ts";

const { createUser, request } = await startTestApp();
const { token } = await createUser();

/** What existing clients call, by the beginning of its path without a version. */
const OF_CLIENTS =
  /^\/(?:secrets|firewalls|security|attack-challenge-mode|teams|user|events|webhooks|projects|alerts|metrics|env)(?:\/|$)/;
/** Below those paths, what only Reeve has. */
const OWN = [
  /^\/secrets\/values$/,
  /^\/attack-challenge-mode\/automatic$/,
  /^\/webhooks\/:webhookId\/./,
  /^\/events\/(?:stream|export|checkpoints)$/,
];
/** A token is for the team in the query; without one it is for everything of its account. */
const TOKEN_OF_A_TEAM = "createToken";
const OWN_IDS = ["publishEvent", TOKEN_OF_A_TEAM, "changeSecrets", "deleteSecrets"];

const isOwn = (id: string, path: string): boolean => {
  const plain = path.replace(/^(?:\/alerts)?\/v\d+/, path.startsWith("/alerts") ? "/alerts" : "");
  return OWN_IDS.includes(id) || !OF_CLIENTS.test(plain) || OWN.some((one) => one.test(plain));
};

for (const { id, endpoint } of OPERATIONS) {
  const { access, method, path } = endpoint;
  if (access.kind !== "owner" && id !== TOKEN_OF_A_TEAM) continue;
  test(`${id} ${isOwn(id, path) ? "refuses" : "accepts"} an empty team`, async () => {
    const url = path.replace(":version", "1").replaceAll(/:\w+/g, "none1234");
    for (const name of ["teamId", "slug"]) {
      for (const query of [`${name}=`, name, `${name}=&${name}=`]) {
        const { body } = await request(method, `${url}?${query}`, { token, ...(method === "GET" ? {} : { body: {} }) });
        const isRefused = body?.error?.field === `query.${name}`;
        assert.equal(isRefused, isOwn(id, path), `${query}: ${JSON.stringify(body)}`);
        if (isRefused)
          assert.match(
            body.error.message,
            /expected the id or slug of a team, got nothing; without a team, leave it out/,
          );
      }
    }
  });
}
