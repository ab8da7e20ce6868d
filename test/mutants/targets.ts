// What `npm run mutants` mutates, and what must notice. Patterns of paths; files named postgres-* run on PostgreSQL, others on SQLite.

export interface Target {
  readonly files: readonly string[];
  readonly tests: readonly string[];
}

export const TARGETS: readonly Target[] = [
  {
    files: ["src/operations/{execute,idempotency,validation}.ts"],
    tests: [
      "test/operations/{idempotency,bad-input,precondition}.test.ts",
      "src/operations/*.test.ts",
      "test/races/postgres-locks.test.ts",
    ],
  },
  {
    files: ["src/operations/authorize.ts"],
    tests: [
      "src/operations/authorize.test.ts",
      "test/operations/{access,limits,permissions}.test.ts",
      "src/resources/api-keys/limits.test.ts",
    ],
  },
  {
    files: [
      "src/resources/members/{rules,update,team-access,membership-lookup}.ts",
      "src/resources/members/{joining,removal}/*.ts",
      "src/resources/invites/{rules,codes,issue,join-link,redeem,pending}.ts",
    ],
    tests: [
      "src/operations/authorize.test.ts",
      "src/resources/{access-requests,invites,mails,members}/**/*.test.ts",
      "src/resources/users/{removal,users}.test.ts",
      "test/{mail/{limits,mail},operations/precondition,sign-in/invitation}.test.ts",
      "test/races/{members,postgres-handler-locks,postgres-sign-in-locks,postgres-suspension-locks}.test.ts",
    ],
  },
  {
    files: ["src/resources/api-keys/{key-permissions,key-view,responsibility,service}.ts"],
    tests: [
      "src/resources/api-keys/**/*.test.ts",
      "test/operations/storage-limits.test.ts",
      "test/races/postgres-{handler,suspension}-locks.test.ts",
      "test/store/key-responsibility.test.ts",
    ],
  },
  {
    files: [
      "src/resources/users/{administrators,change,email,service}.ts",
      "src/resources/sign-in/{account,methods,passkeys,password-sign-in,prove}.ts",
      "src/resources/sign-in/{codes,email,failures,identities}/*.ts",
    ],
    tests: [
      "src/resources/{sign-in,users,sessions}/**/*.test.ts",
      "src/resources/{invites/withdrawal,members/sso-roles}.test.ts",
      "test/sign-in/*.test.ts",
      "test/races/postgres-{handler,sign-in,suspension}-locks.test.ts",
    ],
  },
  {
    files: ["src/evaluator/{condition,evaluator,rule,numbers}.ts"],
    // Without those that bound CPU time, which a busy machine can fail.
    tests: [
      "src/evaluator/{challenge-passed,condition,counters,evaluator,explain,numbers,rate-limit}.test.ts",
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
  { files: ["src/keyring/*.ts"], tests: ["src/keyring/*.test.ts"] },
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
    file: "src/evaluator/condition.ts",
    code: 'parts.some((part) => part.includes("\\0"))',
    reason: "searching all values as one text finds the same, in less time",
  },
  {
    file: "src/evaluator/condition.ts",
    code: "values.texts.length > FEW_VALUES",
    reason: "searching all values as one text finds the same, in less time",
  },
  {
    file: "src/evaluator/numbers.ts",
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
    file: "src/operations/validation.ts",
    code: "unknown !== undefined",
    reason: "the library names the same member, in several times the time",
  },
  {
    file: "src/operations/validation.ts",
    code: "error",
    reason: "the library finds an error in each value that it refuses; the check is for the type",
  },
  {
    file: "src/keyring/key-file.ts",
    code: "process.getuid?.() === 0",
    reason: "only an account that may not give files away shows it, and the test runs as one account",
  },
  {
    file: "src/keyring/keyring.ts",
    code: "!(error instanceof KeyringError)",
    reason:
      "the sources fail with a KeyringError alone; another error would be a bug, which must not look like a missing key",
  },
  {
    file: "src/resources/users/change.ts",
    code: "next.username !== row.username || next.email !== row.email || next.name !== row.name",
    reason: "without the check the same search entries are written again",
  },
  {
    file: "src/resources/users/service.ts",
    code: "true",
    reason: "`limited` has one value in the contract, and that is what a response has",
  },
  {
    file: "src/resources/users/service.ts",
    code: "!account",
    reason: "every request that comes here is authenticated as a user's; the check is for the type",
  },
  {
    file: "src/resources/sign-in/failures/failures.ts",
    code: "pauseMs > 0",
    reason: "a pause of no length is none; the check saves a write",
  },
  {
    file: "src/resources/sign-in/identities/sign-in.ts",
    code: 'error instanceof ApiError && error.code === "email_taken"',
    reason: "the creation refuses nothing else; the check is for the type, and for bugs",
  },
  {
    file: "src/resources/invites/join-link.ts",
    code: "!link",
    reason: "the caller holds the lock of the team, so the team has its link; the check is for the type",
  },
  {
    file: "src/resources/api-keys/service.ts",
    code: "hasPlaces(call.caller.limits)",
    reason: "a caller without limits knows every key, so that a filtered page is the same and only takes longer",
  },
  {
    file: "src/resources/api-keys/service.ts",
    code: "!row",
    reason: "the authentication of the request has just found the key; the check is for the type",
  },
  {
    file: "src/resources/members/joining/join.ts",
    code: "!invitation",
    reason:
      "the rules let only an invited person take this step, and that person has an invitation; the check is for the type",
  },
  {
    file: "src/resources/members/joining/join.ts",
    code: "false",
    reason: "`confirmed` has one value in the contract, and that is what a response has",
  },
  {
    file: "src/resources/members/joining/join.ts",
    code: "invitedBy === null",
    reason: "no account has the id null, so that the look-up finds none; the condition saves it, and is for the type",
  },
  {
    file: "src/resources/members/team-access.ts",
    code: "role === null",
    reason: "there is no mask of null, and none is no permission either; the check is for the type",
  },
  {
    file: "src/resources/members/joining/join-with-account.ts",
    code: '"settings" in found.opened',
    reason:
      "the settings of a team hold no invite, so that nothing is no invitation of a person; the check is for the type",
  },
  {
    file: "src/resources/members/membership-lookup.ts",
    code: "!self",
    reason: "the authentication of the request has just found the account; the check is for the type",
  },
  {
    file: "src/resources/members/removal/account-removal.ts",
    code: "await lockTeamsOf(tx, userId)",
    reason: "on SQLite nothing changes between the two checks, and the second one takes time alone",
  },
  {
    file: "src/resources/members/removal/account-removal.ts",
    code: 'kind === "user"',
    reason: "no team is a member of a team, so that the check finds nothing for one; the condition saves looking",
  },
  {
    file: "src/resources/members/removal/removal.ts",
    code: "!listed",
    reason:
      "without an entry the status is none, and the rules refuse every step from there; the check is for the type",
  },
];
