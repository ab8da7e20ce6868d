// Which test files `npm test` runs and which `npm run proof`, and how: patterns of paths, and nothing else decides it. Together
// the two run every file on SQLite, and on PostgreSQL every file whose outcome a database can change.

/** What `npm run proof` runs instead of `npm test`: clients of others, faults, fairness, volume, packages, and most of the command line. */
export const PROOF = [
  "test/{clients,fairness,faults,firewall,fronts,fuzz,generators,leaks,packaging,plans}/**",
  "test/{backup,archives}/{kills,faults,archives,full-disk,round-trip,damaged}.test.ts",
  "test/operations/{cached-responses,permissions,postgres-round-trips}.test.ts",
  "test/races/postgres-locks.test.ts",
  "test/cli/{data-directory,drain,env-files,firewall,input-refusals,json-log,key-start,keys,process-life,proof,remote,renewed-files,run-offline,secrets,start-refusals,starts}.test.ts",
  "test/{http,egress}/{late-requests,slow-bodies,slow-readers,large-bodies,receivers}.test.ts",
  "test/health/{readiness,tracing}.test.ts",
  "test/readme.test.ts",
  "test/gate/{laboratory,programs}/**",
  "test/browser/{browser,gate-challenge,mails,mail-stop,pages,documentation}.test.ts",
  "test/browser/console/{all-pages,api,firewall-bypasses,firewall-config,firewall-use,frame,home,hostile-texts,interruptions,keyboard,keys,large-teams,pictures,tokens,viewer}.test.ts",
  "src/firewall/evaluation/load.test.ts",
  "src/firewall/evaluator/**/{hostile,pattern-literals}.test.ts",
] as const;

/**
 * What of `npm test` runs on PostgreSQL as well: pages, queues, races, what has statements of its own there, and one pass over
 * the registry. `npm run proof` runs the rest there.
 */
export const ON_POSTGRES = [
  "src/platform/{egress,http,operations,store}/**",
  "src/{events,secrets}/**",
  "src/identity/{accounts,api-keys,methods,pages,programs,sessions}/**",
  "src/identity/workload/*.test.ts",
  "src/teams/{invites,members,projects,teams}/**",
  "src/firewall/{bots,decisions,traffic}/**",
  "src/serve/{console,http-server,reference}/**",
  "test/{races,store}/**",
  "test/operations/responses.test.ts",
  "**/postgres-*",
] as const;

/** Tests of PostgreSQL alone. */
export const POSTGRES_ONLY = ["**/postgres-*"] as const;

/**
 * What is the same on both engines: what clients and browsers make of responses; how a process starts and ends; and what is decided
 * before a database is asked: bytes of HTTP, input that is refused, who may do what, the form of rules, the log.
 */
export const SQLITE_ONLY = [
  "test/{architecture,client,clients,generators,packaging}/**",
  "test/documentation-site.test.ts",
  "test/leaks/{gate-decisions,process}.test.ts",
  "test/health/{log,tracing,watching}.test.ts",
  "test/http/{clients-that-leave,cross-origin,entity-tags,error-bodies,hostile-bytes,large-bodies,late-requests,manners,pipelining,proxy,request-heads,slow-bodies,slow-readers,wrong-calls}.test.ts",
  "test/operations/{access,bad-input,empty-input,empty-pages,empty-parameters,empty-team,forms,giving,limits,not-found-hints,permissions,recorded-members,request-words,unknown-ids,unknown-project,written-examples}.test.ts",
  "test/sign-in/{addresses,device-page,doctor-providers,oauth-clients,pages,passwords-off,refusals,same-browser,typed-address}.test.ts",
  "src/platform/http/{limits,requests}/*.test.ts",
  "src/platform/http/nearest-path.test.ts",
  "src/platform/http/responses/client-profile.test.ts",
  "src/identity/workload/exchange/{bounds,subject-token}.test.ts",
  "test/mail/{addresses,code-mails,invitation-senders,mail-faults,webhook-mail}.test.ts",
  "test/webhooks/{destinations,outcomes,published,responses,test-send}.test.ts",
  "src/firewall/evaluation/*.test.ts",
  "src/firewall/bypasses/{clients,rules}.test.ts",
  "src/events/events/export/csv.test.ts",
  "src/identity/{api-keys/key-permissions,tokens/limits}.test.ts",
  "src/firewall/bundles/engine.test.ts",
  "src/secrets/secrets/{generate,giving}.test.ts",
  "src/teams/teams/link-proof.test.ts",
  "src/identity/methods/identities/absent-claims.test.ts",
  "src/firewall/bots/*.test.ts",
  "src/serve/http-server/public-routes.test.ts",
  "src/serve/reference/openapi.test.ts",
  "test/archives/faults.test.ts",
  "test/backup/{full-disk,litestream}.test.ts",
  "test/proof/by-hand.test.ts",
  "src/firewall/configurations/{actions,changes,conditions,diff,fidelity,generate,ids,limits,lowered-limit,recorded,terraform}.test.ts",
  "test/cli/{command-table,commands,completion,data-directory,drain,empty-options,env-files,env-new-project,env-round-trip,environments,events-tail,examples,firewall,firewall-rules,gate-geo,gate-seclang,help,identity,input-refusals,json-log,key-start,link,print-options,printed-text,process-life,proof,remote,renewed-files,resources,run,run-offline,secrets,secrets-page,starts,tables-and-refusals,text-input,unknown-project,whoami,wrong-words}.test.ts",
  "{src,test}/gate/**",
  "test/faults/gate-*",
  "test/{browser,fronts}/**",
] as const;

/** Measures a quiet tenant on a machine with nothing else to do: only `npm run proof -- --long` and `npm test -- fairness` run it. */
export const LONG_ONLY = ["test/fairness/{bodies,connections}.test.ts"] as const;

/** Needs a process of its own: starts and kills others, changes the environment, doubles the clock or the timers of the whole process, or has hooks around each test. */
export const ALONE = [
  "test/{clients,fairness,faults,fronts,fuzz,generators,leaks,packaging,plans,readme}{/**,.test.ts}",
  "test/health/{log,metrics,readiness,starting,tracing}.test.ts",
  "test/cli/{data-directory,drain,firewall-rules,json-log,key-start,keys,process-life,remote,renewed-files,run,start-refusals,starts,postgres-*}.test.ts",
  "test/egress/{requests,tls}.test.ts",
  "test/gate/laboratory/**",
  "test/http/{late-requests,slow-readers}.test.ts",
  "test/mail/mail-faults.test.ts",
  "test/store/migrate.test.ts",
  "src/platform/kernel/{ids,telemetry/throttle}.test.ts",
  "src/gate/counters/deadline.test.ts",
  "src/platform/store/postgres/postgres-groups.test.ts",
  "src/platform/store/semaphore.test.ts",
  "src/events/queue/prune.test.ts",
] as const;

/** Starts a browser or a dozen proxies, which take most of a core: one process at a time. Files share a browser. */
export const IN_TURN = ["test/{browser,fronts}/**"] as const;

export interface LongRun {
  readonly pattern: string;
  /** What makes it long; what the environment says already wins. */
  readonly environment: Readonly<Record<string, string>>;
  /** What takes longer on one engine hangs. */
  readonly minutes: number;
}

/** What `npm run proof -- --long` runs, one file after another. */
export const LONG_RUNS: readonly LongRun[] = [
  { pattern: "test/faults/kills.test.ts", environment: { FAULT_ROUNDS: "1000" }, minutes: 90 },
  { pattern: "test/faults/migration-kills.test.ts", environment: { FAULT_ROUNDS: "200" }, minutes: 30 },
  { pattern: "test/faults/postgres/postgres-failover.test.ts", environment: { FAULT_ROUNDS: "20" }, minutes: 30 },
  { pattern: "test/plans/postgres-plans.test.ts", environment: { PLAN_EVENTS: "940000" }, minutes: 20 },
  { pattern: "test/fairness/bodies.test.ts", environment: {}, minutes: 10 },
  { pattern: "test/fairness/connections.test.ts", environment: {}, minutes: 10 },
  { pattern: "test/faults/overload.test.ts", environment: { OVERLOAD_SECONDS: "60" }, minutes: 10 },
];
