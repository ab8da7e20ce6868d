import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../platform/kernel/errors.ts";
import { requireRoleWithin } from "../../platform/kernel/giving.ts";
import { ALL_PERMISSIONS, ROLE_MASK, TEAM_ROLES } from "../../platform/kernel/roles.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import { EVENT_TYPES } from "../../events/events/types.ts";
import {
  TRANSITIONS,
  MEMBERSHIP_STATUSES,
  endingOf,
  needsApproval,
  losesInviteCodes,
  losesOwner,
  requireOtherOwner,
  roleAfterUpdate,
  requireTransition,
} from "./rules.ts";
import type { TransitionName, MembershipStatus } from "./rules.ts";

/** Where each move leads from none, invited, requested and member: a state, or the code of the refusal. */
const EXPECTED: Readonly<Record<TransitionName, readonly [string, string, string, string]>> = {
  invite: ["invited", "already_invited", "already_requested", "already_member"],
  acceptInvitation: ["not_invited", "member", "not_invited", "already_member"],
  redeemCode: ["member", "member", "member", "already_member"],
  requestAccess: ["requested", "already_invited", "already_requested", "already_member"],
  withdrawRequest: ["member_not_found", "member_not_found", "none", "member_not_found"],
  confirmRequest: ["member_not_found", "not_requested", "member", "already_confirmed"],
  declineRequest: ["member_not_found", "member_not_found", "none", "member_not_found"],
  declineInvitation: ["member_not_found", "none", "member_not_found", "member_not_found"],
  withdrawInvitation: ["member_not_found", "none", "member_not_found", "member_not_found"],
  change: ["member_not_found", "invited", "already_requested", "member"],
  leave: ["member_not_found", "member_not_found", "member_not_found", "none"],
  remove: ["member_not_found", "member_not_found", "member_not_found", "none"],
  admitByMapping: ["member", "member", "member", "already_member"],
  changeByMapping: ["member_not_found", "member_not_found", "member_not_found", "member"],
  removeByMapping: ["member_not_found", "member_not_found", "member_not_found", "none"],
};

function outcome(move: TransitionName, from: MembershipStatus): string {
  try {
    return requireTransition(move, from);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    return error.code;
  }
}

function codeOf(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as ApiError).code;
  }
}

test("every transition from every state has the expected result, or is refused with its code", () => {
  const found = Object.fromEntries(
    Object.keys(TRANSITIONS).map((move) => [
      move,
      MEMBERSHIP_STATUSES.map((from) => outcome(move as TransitionName, from)),
    ]),
  );
  assert.deepEqual(found, EXPECTED);
});

test("the event of every transition is one that may be emitted", () => {
  for (const { event } of Object.values(TRANSITIONS)) assert.ok(event in EVENT_TYPES, event);
});

test("a refusal names the input that asked for the transition", () => {
  assert.throws(() => requireTransition("invite", "member", "body[2].uid"), {
    code: "already_member",
    message: "body[2].uid: is a member of this team already; PATCH /v1/teams/{teamId}/members/{uid} changes the role",
    details: { field: "body[2].uid" },
  });
});

test("leaving, declining and withdrawing need no permission, and end one's own status", () => {
  for (const from of MEMBERSHIP_STATUSES) {
    const [own, others] = [endingOf(from, true), endingOf(from, false)];
    assert.equal(TRANSITIONS[own].by, "self");
    assert.notEqual(TRANSITIONS[others].by, "self");
    assert.equal(outcome(own, from), from === "none" ? "member_not_found" : "none");
    assert.equal(outcome(others, from), from === "none" ? "member_not_found" : "none");
  }
});

test("only a confirmed OWNER can be lost", () => {
  const people = MEMBERSHIP_STATUSES.flatMap((status) => TEAM_ROLES.map((role) => ({ status, role })));
  for (const before of people) {
    for (const after of people) {
      const isOwner = (person: typeof before) => person.status === "member" && person.role === "OWNER";
      assert.equal(losesOwner(before, after), isOwner(before) && !isOwner(after));
    }
  }
  assert.equal(
    codeOf(() => requireOtherOwner(0)),
    "last_owner",
  );
  assert.equal(
    codeOf(() => requireOtherOwner(1)),
    undefined,
  );
});

test("nobody grants more than they may do themselves", () => {
  for (const own of TEAM_ROLES) {
    for (const granted of TEAM_ROLES) {
      const isWithin = (ROLE_MASK[granted] & ROLE_MASK[own]) === ROLE_MASK[granted];
      assert.equal(
        codeOf(() => requireRoleWithin({ scope: { permissions: ROLE_MASK[own] } }, granted)),
        isWithin ? undefined : "forbidden",
      );
    }
    assert.equal(
      codeOf(() => requireRoleWithin({ scope: { permissions: ALL_PERMISSIONS } }, own)),
      undefined,
    );
  }
});

test("the right to see join codes ends with the role of an OWNER, and with the membership", () => {
  const losing = TEAM_ROLES.flatMap((before) =>
    [null, ...TEAM_ROLES].filter((after) => losesInviteCodes(before, after)).map((after) => `${before} ${after}`),
  );
  assert.deepEqual(
    losing,
    [null, ...TEAM_ROLES].filter((after) => after !== "OWNER").map((after) => `OWNER ${after}`),
  );
});

test("by a code a removed person only asks, like one whom a mapping had let in, and one who left gets no more than before", () => {
  const left = { isRemoved: false, isMapped: false };
  assert.equal(needsApproval(undefined, "OWNER"), false);
  for (const role of TEAM_ROLES) {
    assert.equal(needsApproval({ ...left, role, isRemoved: true }, "VIEWER"), true, role);
    assert.equal(needsApproval({ ...left, role, isMapped: true }, "VIEWER"), true, role);
    assert.equal(needsApproval({ ...left, role }, role), false, role);
    assert.equal(needsApproval({ ...left, role: "OWNER" }, role), false, role);
    assert.equal(needsApproval({ ...left, role }, "OWNER"), role !== "OWNER", role);
  }
});

test("a MEMBER that the client filled in never replaces a role, and every other input counts", () => {
  const cases: [asked: TeamRole | undefined, current: TeamRole, how: string, expected: TeamRole][] = [
    [undefined, "OWNER", "", "OWNER"],
    [undefined, "VIEWER", "other sdk", "VIEWER"],
    ["MEMBER", "OWNER", "", "MEMBER"],
    ["MEMBER", "OWNER", "sdk", "MEMBER"],
    ["MEMBER", "OWNER", "other", "OWNER"],
    ["MEMBER", "OWNER", "other sdk", "OWNER"],
    ["MEMBER", "VIEWER", "", "MEMBER"],
    ["MEMBER", "VIEWER", "other", "MEMBER"],
    ["MEMBER", "VIEWER", "other sdk", "VIEWER"],
    ["VIEWER", "OWNER", "other sdk", "VIEWER"],
    ["VIEWER", "OWNER", "", "VIEWER"],
    ["OWNER", "MEMBER", "other sdk", "OWNER"],
    ["MEMBER", "VIEWER", "confirms sdk", "MEMBER"],
    ["MEMBER", "VIEWER", "confirms other sdk", "MEMBER"],
    ["VIEWER", "MEMBER", "confirms", "VIEWER"],
  ];
  for (const [asked, current, how, expected] of cases) {
    const role = roleAfterUpdate({
      asked,
      current,
      isConfirmation: how.includes("confirms"),
      hasOtherChanges: how.includes("other"),
      isGeneratedSdk: how.includes("sdk"),
    });
    assert.equal(role, expected, `${asked} over ${current} ${how}`);
  }
});
