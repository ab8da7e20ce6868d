// What `npm run mutants` mutates, and what must notice. Patterns of paths; files named postgres-* run on PostgreSQL, others on SQLite.

export interface Target {
  readonly files: readonly string[];
  readonly tests: readonly string[];
}

export const TARGETS: readonly Target[] = [
  {
    files: ["src/platform/operations/{execute,idempotency,validation}.ts"],
    tests: [
      "test/operations/{idempotency,bad-input,precondition}.test.ts",
      "src/platform/operations/*.test.ts",
      "test/races/postgres-locks.test.ts",
    ],
  },
  {
    files: ["src/platform/operations/authorize.ts"],
    tests: [
      "src/platform/operations/authorize.test.ts",
      "test/operations/{access,limits,permissions}.test.ts",
      "src/identity/api-keys/limits.test.ts",
    ],
  },
  {
    files: [
      "src/teams/members/{rules,update,membership-lookup}.ts",
      "src/identity/team-access/team-access.ts",
      "src/teams/members/{joining,removal}/*.ts",
      "src/teams/invites/{rules,codes,issue,join-link,redeem,pending}.ts",
    ],
    tests: [
      "src/platform/operations/authorize.test.ts",
      "src/teams/{access-requests,invites,members}/**/*.test.ts",
      "src/events/mails/**/*.test.ts",
      "src/identity/accounts/{removal,users}.test.ts",
      "test/{mail/{limits,mail},operations/precondition,sign-in/invitation}.test.ts",
      "test/races/{members,postgres-handler-locks,postgres-sign-in-locks,postgres-suspension-locks}.test.ts",
    ],
  },
  {
    files: [
      "src/identity/api-keys/{key-permissions,key-view,responsibility,service}.ts",
      "src/identity/workload/suspension.ts",
    ],
    tests: [
      "src/identity/{api-keys,workload}/*.test.ts",
      "test/operations/storage-limits.test.ts",
      "test/races/postgres-{handler,suspension}-locks.test.ts",
      "test/store/key-responsibility.test.ts",
    ],
  },
  {
    files: [
      "src/identity/accounts/{administrators,change,email,service}.ts",
      "src/identity/methods/{account,methods,passkeys,password-sign-in,internal-changes}.ts",
      "src/identity/methods/{codes,email,failures,identities}/*.ts",
    ],
    tests: [
      "src/identity/{accounts,methods,sessions}/**/*.test.ts",
      "src/teams/{invites/withdrawal,members/sso-roles}.test.ts",
      "test/sign-in/*.test.ts",
      "test/races/postgres-{handler,sign-in,suspension}-locks.test.ts",
    ],
  },
  {
    files: ["src/firewall/evaluator/{condition,evaluator,rule,numbers}.ts"],
    // Without those that bound CPU time, which a busy machine can fail.
    tests: [
      "src/firewall/evaluator/{challenge-passed,condition,counters,evaluator,explain,numbers,rate-limit}.test.ts",
      "src/gate/{decider,decider-bodies,protection}.test.ts",
      "src/gate/counters/counting.test.ts",
      "test/firewall/page.test.ts",
    ],
  },
  {
    files: ["src/gate/{decider,decision,protection}.ts"],
    tests: [
      "src/gate/{decider,decider-bodies,decision,protection}.test.ts",
      "src/gate/reports/explanations.test.ts",
      "test/gate/{bots,bypass-rule-bodies}.test.ts",
    ],
  },
  { files: ["src/platform/keyring/*.ts"], tests: ["src/platform/keyring/*.test.ts"] },
];

export interface Survivor {
  readonly file: string;
  /** The mutated source, so that the entry ends with what it is about. */
  readonly code: string;
  readonly reason: string;
}

/** Mutants that no test can notice, or need not. */
export const ACCEPTED: readonly Survivor[] = [
  {
    file: "src/firewall/evaluator/condition.ts",
    code: 'parts.some((part) => part.includes("\\0"))',
    reason: "searching all values as one text finds the same, in less time",
  },
  {
    file: "src/firewall/evaluator/condition.ts",
    code: "values.texts.length > FEW_VALUES",
    reason: "searching all values as one text finds the same, in less time",
  },
  {
    file: "src/firewall/evaluator/numbers.ts",
    code: "PLAIN.test(text)",
    reason: "the other notations include this one, and take longer",
  },
  {
    file: "src/gate/protection.ts",
    code: "false",
    reason: "a configuration without steps decides nothing, switched on or off",
  },
  {
    file: "src/gate/protection.ts",
    code: "readsBodies",
    reason: "the first bodies take longer to read without it, and it runs once in a process",
  },
  {
    file: "src/gate/protection.ts",
    code: "await warmUpBodies();",
    reason: "the first bodies take longer to read without it, and it runs once in a process",
  },
  {
    file: "src/platform/operations/validation.ts",
    code: "unknown !== undefined",
    reason: "the library names the same member, in several times the time",
  },
  {
    file: "src/platform/operations/validation.ts",
    code: "error",
    reason: "the library finds an error in each value that it refuses; the check is for the type",
  },
  {
    file: "src/platform/keyring/key-file.ts",
    code: "process.getuid?.() === 0",
    reason: "only an account that may not give files away shows it, and the test runs as one account",
  },
  {
    file: "src/platform/keyring/keyring.ts",
    code: "!(error instanceof KeyringError)",
    reason:
      "the sources fail with a KeyringError alone; another error would be a bug, which must not look like a missing key",
  },
  {
    file: "src/identity/accounts/change.ts",
    code: "next.username !== row.username || next.email !== row.email || next.name !== row.name",
    reason: "without the check the same search entries are written again",
  },
  {
    file: "src/identity/accounts/service.ts",
    code: "true",
    reason: "`limited` has one value in the contract, and that is what a response has",
  },
  {
    file: "src/identity/accounts/service.ts",
    code: "!account",
    reason: "every request that comes here is authenticated as a user's; the check is for the type",
  },
  {
    file: "src/identity/methods/failures/failures.ts",
    code: "pauseMs > 0",
    reason: "a pause of no length is none; the check saves a write",
  },
  {
    file: "src/identity/methods/identities/sign-in.ts",
    code: 'error instanceof ApiError && error.code === "email_taken"',
    reason: "the creation refuses nothing else; the check is for the type, and for bugs",
  },
  {
    file: "src/teams/invites/join-link.ts",
    code: "!link",
    reason: "the caller holds the lock of the team, so the team has its link; the check is for the type",
  },
  {
    file: "src/identity/api-keys/service.ts",
    code: "hasPlaces(call.caller.limits)",
    reason: "a caller without limits knows every key, so that a filtered page is the same and only takes longer",
  },
  {
    file: "src/identity/api-keys/service.ts",
    code: "!row",
    reason: "the authentication of the request has just found the key; the check is for the type",
  },
  {
    file: "src/teams/members/joining/join.ts",
    code: "hasWaited",
    reason:
      "what is read again without need is the same; that it is read where it may have changed, tests of races require",
  },
  {
    file: "src/teams/members/joining/join.ts",
    code: "!invitation",
    reason:
      "the rules let only an invited person take this step, and that person has an invitation; the check is for the type",
  },
  {
    file: "src/teams/members/joining/join.ts",
    code: "false",
    reason: "`confirmed` has one value in the contract, and that is what a response has",
  },
  {
    file: "src/teams/members/joining/join.ts",
    code: "invitedBy === null",
    reason: "no account has the id null, so that the look-up finds none; the condition saves it, and is for the type",
  },
  {
    file: "src/identity/team-access/team-access.ts",
    code: "role === null",
    reason: "there is no mask of null, and none is no permission either; the check is for the type",
  },
  {
    file: "src/teams/members/joining/join-with-account.ts",
    code: '"settings" in found.opened',
    reason:
      "the settings of a team hold no invite, so that nothing is no invitation of a person; the check is for the type",
  },
  {
    file: "src/teams/members/membership-lookup.ts",
    code: "!self",
    reason: "the authentication of the request has just found the account; the check is for the type",
  },
  {
    file: "src/teams/members/removal/account-removal.ts",
    code: "await lockTeamsOf(tx, userId)",
    reason: "on SQLite nothing changes between the two checks, and the second one takes time alone",
  },
  {
    file: "src/teams/members/removal/account-removal.ts",
    code: 'kind === "user"',
    reason: "no team is a member of a team, so that the check finds nothing for one; the condition saves looking",
  },
  {
    file: "src/teams/members/removal/removal.ts",
    code: "!listed",
    reason:
      "without an entry the status is none, and the rules refuse every step from there; the check is for the type",
  },
];
