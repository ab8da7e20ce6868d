// The account of the caller and its tokens, through one release of the SDK.
import assert from "node:assert/strict";
import { test } from "node:test";
import { START_TIME } from "../../harness/test-app.ts";
import type { Body } from "../../harness/test-app.ts";
import { refusedWith } from "./refusal.ts";
import type { Session } from "./session.ts";

export function testAccount({ as, connect, createUser, createTeam, createOwnerAndTeam, release }: Session): void {
  test("getAuthUser gives the whole account", async () => {
    const user = await createUser();
    const { user: got } = await as(user).user.getAuthUser();
    assert.deepEqual(
      { id: got.id, email: got.email, username: got.username, name: got.name, avatar: got.avatar },
      { id: user.id, email: user.email, username: user.username, name: null, avatar: null },
    );
    assert.equal(got.createdAt, START_TIME);
    assert.equal(got.defaultTeamId, null);
    assert.equal(got.softBlock, null);
    assert.equal(got.hasTrialAvailable, false);
    assert.notEqual(got.limited, true);
  });

  test("requestDelete deletes the account, whose token is refused from then on", async () => {
    const user = await createUser();
    const sdk = as(user);
    const answer = await sdk.user.requestDelete({ reasons: [{ slug: "other", description: "Moving on" }] });
    assert.equal(answer.id, user.id);
    assert.equal(answer.email, user.email);
    assert.equal(typeof answer.message, "string");
    await assert.rejects(sdk.user.getAuthUser(), refusedWith(401));
  });

  test("createAuthToken, getAuthToken, listAuthTokens and deleteAuthToken manage tokens", async () => {
    const user = await createUser();
    const sdk = as(user);
    const expiresAt = START_TIME + 86_400_000;
    const { token, bearerToken } = await sdk.authentication.createAuthToken({
      requestBody: { name: "From the SDK", expiresAt },
    });
    assert.match(bearerToken, /^rvt_[0-9A-Za-z]{46}$/);
    assert.deepEqual([token.name, token.type, token.expiresAt], ["From the SDK", "token", expiresAt]);
    assert.equal(token.createdAt, START_TIME);
    assert.equal((await connect(bearerToken).user.getAuthUser()).user.id, user.id);

    const { token: got } = await sdk.authentication.getAuthToken({ tokenId: token.id });
    assert.deepEqual([got.id, got.name, got.expiresAt], [token.id, "From the SDK", expiresAt]);
    const { tokens, pagination } = await sdk.authentication.listAuthTokens();
    assert.deepEqual(
      tokens.map((listed: Body) => listed.name),
      ["From the SDK", "test"],
    );
    assert.equal(Number(pagination.count), 2);

    const deleted = await sdk.authentication.deleteAuthToken({ tokenId: token.id });
    assert.equal(deleted.tokenId, token.id);
    await assert.rejects(connect(bearerToken).user.getAuthUser(), refusedWith(401));
    await assert.rejects(sdk.authentication.getAuthToken({ tokenId: token.id }), refusedWith(404));
  });

  test("a token of one team shows the account and other teams in their limited forms", async () => {
    const { owner, team } = await createOwnerAndTeam();
    const other = await createTeam(owner);
    const { bearerToken } = await as(owner).authentication.createAuthToken({
      teamId: team.id,
      requestBody: { name: "One team" },
    });
    const sdk = connect(bearerToken);
    const { user } = await sdk.user.getAuthUser();
    assert.deepEqual([user.id, user.username, user.limited], [owner.id, owner.username, true]);
    const { teams } = await sdk.teams.getTeams({});
    assert.deepEqual(
      teams.map(({ id, slug, limited, limitedBy, membership }: Body) => [
        id,
        slug,
        limited,
        limitedBy,
        membership.role,
      ]),
      [
        [other.id, other.slug, true, ["scope"], "OWNER"],
        [team.id, team.slug, undefined, undefined, "OWNER"],
      ],
    );
    await assert.rejects(
      sdk.teams.patchTeam({ teamId: other.id, requestBody: { name: "Not mine" } }),
      refusedWith(403),
    );
  });

  test("a token of one project knows that project alone", async () => {
    if (!release.sendsProjectOfToken) return;
    const { owner, team } = await createOwnerAndTeam();
    const { token, bearerToken } = await as(owner).authentication.createAuthToken({
      teamId: team.id,
      requestBody: { name: "One project", projectId: "shop" },
    });
    assert.equal(token.name, "One project");
    const sdk = connect(bearerToken);
    const mode = (projectId: string) =>
      sdk.security.updateAttackChallengeMode({ requestBody: { projectId, attackModeEnabled: true } });
    assert.equal((await mode("shop")).attackModeEnabled, true);
    await assert.rejects(mode("site"), refusedWith(404));
    await assert.rejects(sdk.teams.getTeams({}), refusedWith(403));
    assert.equal((await sdk.user.getAuthUser()).user.id, owner.id);
    const got = await sdk.authentication.getAuthToken({ tokenId: "current" });
    assert.equal(got.token.id, token.id);
  });
}
