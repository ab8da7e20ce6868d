// Runs random moves by several people against the server and against a model. Responses and the list of members must agree.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DAY_MS, HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";
import { ROLE_MASK } from "../../platform/kernel/roles.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { TestResponse, Body, TestUser } from "../../../test/harness/test-app.ts";
import { rowOf } from "../../../test/resources/tampered-chains.ts";
import { openTeam } from "../../../test/resources/teams.ts";
import type { OpenTeam } from "../../../test/resources/teams.ts";
import { chainHash } from "../../events/events/chain.ts";

const PEOPLE = 5;
const RUNS = 30;
const MAX_MOVES = 40;

const api = await startTestApp();
const { createUser, request, clock } = api;
const people = await Promise.all(Array.from({ length: PEOPLE }, () => createUser()));

type ModelMembership = {
  readonly status: "invited" | "requested" | "member";
  readonly role: TeamRole;
  readonly expiresAt?: number;
  /** Who answers for an invitation. */
  readonly by?: number;
};

interface Code {
  readonly role: TeamRole;
  readonly by: number;
  readonly maxUses: number;
  readonly expiresAt: number;
  uses: number;
  isRevoked: boolean;
}

/** The expected state of the team. */
interface Model {
  readonly memberships: Map<number, ModelMembership>;
  readonly declines: Map<number, number>;
  readonly codes: Code[];
  /** Former members: their last role, or `removed`. */
  readonly former: Map<number, TeamRole | "removed">;
}

interface Real {
  readonly team: OpenTeam;
  readonly codes: { readonly id: string; readonly code: string }[];
}

/** Returns the expected result of a move, and applies the move to the model when it should succeed. */
type Predict = (model: Model) => string;
interface Transition {
  readonly name: string;
  readonly predict: Predict;
  act(real: Real): Promise<TestResponse>;
}

const person = (index: number) => people[index] as TestUser;
const isExpired = (membership: ModelMembership | undefined) => (membership?.expiresAt ?? Infinity) <= clock.now;
/** An expired invitation is still listed, but its person's status is `none`. */
function statusOf(model: Model, who: number) {
  const membership = model.memberships.get(who);
  return membership && !isExpired(membership) ? membership.status : "none";
}
const ownersOf = (model: Model) =>
  [...model.memberships.values()].filter(({ status, role }) => status === "member" && role === "OWNER").length;

/** Only owners may manage, and only members know of the team. */
function asOwner(model: Model, by: number, predict: () => string): string {
  const membership = model.memberships.get(by);
  if (membership?.status !== "member") return "not_found";
  return membership.role === "OWNER" ? predict() : "forbidden";
}

function put(model: Model, who: number, status: ModelMembership["status"], role: TeamRole): string {
  if (status === "member") model.former.delete(who);
  model.memberships.set(who, { status, role });
  return "ok";
}

/** When somebody may no longer invite, the codes that they know stop working, and their invitations end. */
function endCodes(model: Model, who: number): void {
  const ended = [...model.memberships].filter(([, invited]) => invited.by === who && !isExpired(invited));
  for (const [invited, membership] of ended) model.memberships.set(invited, { ...membership, expiresAt: clock.now });
  const isLive = ({ uses, maxUses, expiresAt }: Code) => uses < maxUses && expiresAt > clock.now;
  for (const code of model.codes.filter((one) => one.by === who && isLive(one))) code.isRevoked = true;
}

const REFUSALS = { invited: "already_invited", requested: "already_requested", member: "already_member" };

function askTo(model: Model, who: number, role: TeamRole): string {
  const status = statusOf(model, who);
  if (status !== "none") return REFUSALS[status];
  const isPaused = (model.declines.get(who) ?? Number.NEGATIVE_INFINITY) + DAY_MS > clock.now;
  return isPaused ? "request_declined" : put(model, who, "requested", role);
}

const index = fc.nat({ max: PEOPLE - 1 });
/** Mostly the team's first OWNER, so that most moves are allowed. */
const actor = fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, { arbitrary: index, weight: 2 });
const role = fc.constantFrom<TeamRole>("OWNER", "MEMBER", "DEVELOPER", "VIEWER");

const invite = fc.record({ by: actor, who: index, role }).map(({ by, who, role: given }): Transition => ({
  name: `${by} invites ${who} as ${given}`,
  predict: (model) =>
    asOwner(model, by, () => {
      const status = statusOf(model, who);
      if (status !== "none") return REFUSALS[status];
      model.memberships.set(who, { status: "invited", role: given, by, expiresAt: clock.now + 7 * DAY_MS });
      return "ok";
    }),
  act: ({ team }) =>
    request("POST", `/v1/teams/${team.id}/members`, {
      token: person(by).token,
      body: { uid: person(who).id, role: given },
    }),
}));

const accept = index.map((who): Transition => ({
  name: `${who} joins`,
  predict(model) {
    const { status, role: given = "VIEWER" } = model.memberships.get(who) ?? {};
    if (status === "member") return "already_member";
    return statusOf(model, who) === "invited" ? put(model, who, "member", given) : "not_invited";
  },
  act: ({ team }) => team.join(person(who)),
}));

const ask = index.map((who): Transition => ({
  name: `${who} asks`,
  predict: (model) => askTo(model, who, "MEMBER"),
  act: ({ team }) => team.ask(person(who)),
}));

const confirm = fc.record({ by: actor, who: index, role }).map(({ by, who, role: given }): Transition => ({
  name: `${by} confirms ${who} as ${given}`,
  predict: (model) =>
    asOwner(model, by, () => {
      const refusals = { none: "member_not_found", invited: "not_requested", member: "already_confirmed" };
      const status = model.memberships.get(who)?.status ?? "none";
      return status === "requested" ? put(model, who, "member", given) : refusals[status];
    }),
  act: ({ team }) => team.change(person(who), { confirmed: true, role: given }, person(by)),
}));

const change = fc.record({ by: actor, who: index, role }).map(({ by, who, role: given }): Transition => ({
  name: `${by} makes ${who} ${given}`,
  predict: (model) =>
    asOwner(model, by, () => {
      const membership = model.memberships.get(who);
      if (!membership) return "member_not_found";
      if (membership.status === "requested") return "already_requested";
      const isLast = membership.status === "member" && membership.role === "OWNER" && ownersOf(model) === 1;
      if (isLast && given !== "OWNER") return "last_owner";
      if (membership.status === "member" && membership.role === "OWNER" && given !== "OWNER") endCodes(model, who);
      model.memberships.set(who, { ...membership, role: given });
      return "ok";
    }),
  act: ({ team }) => team.change(person(who), { role: given }, person(by)),
}));

const remove = fc.record({ by: actor, who: index }).map(({ by, who }): Transition => ({
  name: `${by} removes ${who}`,
  predict(model) {
    const end = () => {
      const membership = model.memberships.get(who);
      if (!membership) return "member_not_found";
      if (membership.status === "member" && membership.role === "OWNER" && ownersOf(model) === 1) return "last_owner";
      if (membership.status === "requested") {
        // Who withdrew may ask again after an hour, who was declined after a day.
        model.declines.set(who, by === who ? clock.now - DAY_MS + HOUR_MS : clock.now);
      }
      if (membership.status === "member") {
        model.former.set(who, by === who ? membership.role : "removed");
        if (membership.role === "OWNER") endCodes(model, who);
      }
      model.memberships.delete(who);
      return "ok";
    };
    if (by !== who) return asOwner(model, by, end);
    return statusOf(model, who) === "none" ? "not_found" : end();
  },
  act: ({ team }) => team.remove(person(who), person(by)),
}));

const createCode = fc
  .record({ by: actor, role, maxUses: fc.integer({ min: 1, max: 2 }) })
  .map(({ by, role: given, maxUses }): Transition => ({
    name: `${by} creates a code for ${maxUses} ${given}`,
    predict: (model) =>
      asOwner(model, by, () => {
        model.codes.push({ role: given, by, maxUses, expiresAt: clock.now + 7 * DAY_MS, uses: 0, isRevoked: false });
        return "ok";
      }),
    async act({ team, codes }) {
      const response = await request("POST", `/v1/teams/${team.id}/invites`, {
        token: person(by).token,
        body: { role: given, maxUses },
      });
      if (response.status === 200) codes.push({ id: response.body.invite.id, code: response.body.code });
      return response;
    },
  }));

const redeem = fc.record({ who: index, which: fc.nat({ max: 2 }) }).map(({ who, which }): Transition => ({
  name: `${who} joins by code ${which}`,
  predict(model) {
    const code = model.codes[which];
    if (!code) return "invite_unknown";
    if (statusOf(model, who) === "member") return "already_member";
    if (code.isRevoked) return "invite_revoked";
    if (code.uses >= code.maxUses) return "invite_used_up";
    if (code.expiresAt <= clock.now) return "invite_expired";
    const former = model.former.get(who);
    const isMore = (last: TeamRole) => (ROLE_MASK[code.role] & ~ROLE_MASK[last]) !== 0;
    if (former !== undefined && (former === "removed" || isMore(former))) return askTo(model, who, code.role);
    code.uses++;
    return put(model, who, "member", code.role);
  },
  act: ({ team, codes }) => team.join(person(who), codes[which]?.code ?? "no-such-code"),
}));

const revoke = fc.record({ by: actor, which: fc.nat({ max: 2 }) }).map(({ by, which }): Transition => ({
  name: `${by} revokes code ${which}`,
  predict: (model) =>
    asOwner(model, by, () => {
      const code = model.codes[which];
      if (!code || code.isRevoked) return "not_found";
      code.isRevoked = true;
      return "ok";
    }),
  act: ({ team, codes }) =>
    request("DELETE", `/v1/teams/${team.id}/invites/${codes[which]?.id ?? "none"}`, { token: person(by).token }),
}));

const wait = fc.integer({ min: 1, max: 60 }).map((hours): Transition => ({
  name: `${hours} h pass`,
  predict: () => "ok",
  act(real) {
    clock.advance(hours * HOUR_MS);
    return request("GET", `/v2/teams/${real.team.id}`);
  },
}));

async function compare(model: Model, { team }: Real): Promise<void> {
  const { body } = await request("GET", `/v2/teams/${team.id}/members?limit=100`);
  const found = body.members.map(({ uid, role: given, confirmed }: Body) => [uid, given, confirmed]);
  const expected = [...model.memberships].map(([who, one]) => [person(who).id, one.role, one.status === "member"]);
  assert.deepEqual(found.toSorted(), expected.toSorted());
  assert.ok(ownersOf(model) >= 1);
}

async function checkAccess(model: Model, { team }: Real): Promise<void> {
  for (const [who, { token }] of people.entries()) {
    const { status } = await request("GET", `/v2/teams/${team.id}/members`, { token });
    assert.equal(status, statusOf(model, who) === "member" ? 200 : 404);
  }
}

async function checkChain({ team }: Real): Promise<void> {
  const rows = await api.query(`select * from events where owner_id = '${team.id}' order by sequence`);
  let last = "";
  for (const [at, row] of rows.entries()) {
    last = chainHash(last, rowOf(row));
    assert.deepEqual([row["sequence"], row["hash"]], [at + 1, last]);
  }
}

test("random moves return the responses and leave the members that the model expects", async () => {
  const moves = fc.array(fc.oneof(invite, accept, ask, confirm, change, remove, createCode, redeem, revoke, wait), {
    minLength: 10,
    maxLength: MAX_MOVES,
    size: "max",
  });
  await fc.assert(
    fc.asyncProperty(moves, async (sequence) => {
      const team = await openTeam(api, person(0));
      const real: Real = { team, codes: [] };
      const model: Model = {
        memberships: new Map([[0, { status: "member", role: "OWNER" }]]),
        declines: new Map(),
        former: new Map(),
        codes: [],
      };
      for (const move of sequence) {
        const expected = move.predict(model);
        const { status, body } = await move.act(real);
        assert.equal(status === 200 ? "ok" : body.error.code, expected, move.name);
        await compare(model, real);
      }
      await checkAccess(model, real);
      await checkChain(real);
    }),
    { numRuns: RUNS },
  );
});
