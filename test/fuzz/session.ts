// One run of the fuzzer: an instance of its own, so many made-up requests one after the other, each response held against
// the document, what was stored read back, and at the end everything read once more.
import fc from "fast-check";
import { verifyEvents } from "../../src/cli/bodies/verify-events.ts";
import { inject } from "../harness/inject.ts";
import type { TestResponse, TestApp } from "../harness/test-app.ts";
import { send } from "../harness/test-app.ts";
import { OPERATION_BY_ID, findOperation } from "./document.ts";
import type { Operation } from "./document.ts";
import { findProblem } from "./judge.ts";
import { plans } from "./plans.ts";
import type { Plan } from "./plans.ts";
import { readingsOf } from "./read-back.ts";
import { asCurl, compose } from "./requests.ts";
import type { FuzzRequest } from "./requests.ts";
import { FuzzWorld } from "./world.ts";
import type { Party } from "./world.ts";

export interface Report {
  requests: number;
  /** Reads of stored data, beside the requests. */
  reads: number;
  /** How often each operation succeeded. */
  readonly successes: Map<string, number>;
  /** The smallest request that goes wrong, and how. */
  failure: string | null;
}

/** Settings of the fuzzed instance: deliveries go to loopback, where nothing listens. */
export const FUZZ_SETTINGS = { egressAllow: "127.0.0.0/8", egressPorts: "1-65535" } as const;

/** A response takes milliseconds; a machine that is very busy takes longer. */
const HANG_MS = 60_000;
/** Requests until there are new parties. */
const RENEWAL = 1_500;

/** What a response's names and versions are of, where they do not say it. */
const TAGS: readonly (readonly [tag: string, ids: RegExp])[] = [
  ["secret", /[sS]ecret/],
  ["firewall", /[fF]irewall/],
  ["delivery", /Deliver(?:y|ies)|redeliver/],
];

class Contradiction extends Error {}

async function within<T>(work: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Contradiction(`no answer within ${HANG_MS} ms: ${what}`)), HANG_MS);
  });
  try {
    return await Promise.race([work, hang]);
  } finally {
    clearTimeout(timer);
  }
}

async function exchange({ app }: TestApp, request: FuzzRequest): Promise<TestResponse> {
  const { method, url, headers, payload } = request;
  const { id = "" } = findOperation(method, url.split("?")[0] as string) ?? {};
  const isLive = id === "streamEvents" || id === "streamGateChanges";
  const response = await inject(app, {
    method,
    url,
    headers: { ...headers },
    ...(payload === undefined ? {} : { payload }),
    ...(isLive ? { payloadAsStream: true as const } : {}),
  });
  let text: string;
  if (isLive) {
    const stream = response.stream();
    // Of a response that never ends its beginning, which is the end of a refusal.
    const chunks = method === "HEAD" ? [] : await stream.take(1).toArray();
    text = Buffer.concat(chunks as Buffer[]).toString();
    stream.destroy();
  } else text = response.body;
  const isJson = /^application\/(?:\w+\+)?json\b/.test(String(response.headers["content-type"]));
  let body: unknown = null;
  if (isJson && text !== "") body = JSON.parse(text);
  return { status: response.statusCode, headers: response.headers as TestResponse["headers"], text, body };
}

/** The party that a request was about, as the HTTP layer finds it. */
function partyOf(request: FuzzRequest, world: FuzzWorld): Party | undefined {
  const [path = "", search = ""] = request.url.split("?");
  const pathTeam = /^(?:\/v\d+)?\/teams\/([^/]+)/.exec(path)?.[1];
  const query = new URLSearchParams(search);
  const named = pathTeam ?? (query.get("teamId") || query.get("slug") || request.actor.teamId || request.actor.userId);
  return named ? world.find(named) : undefined;
}

export class Session {
  readonly report: Report = { requests: 0, reads: 0, successes: new Map(), failure: null };
  readonly #world: FuzzWorld;
  readonly #api: TestApp;

  constructor(api: TestApp) {
    this.#api = api;
    this.#world = new FuzzWorld(api);
  }

  /** Sends so many requests, or as many as there is time for. */
  async run(seed: number, requests: number, timeLimitMs = Infinity): Promise<Report> {
    const { report } = this;
    const property = fc.asyncProperty(plans, (plan) => this.#try(plan));
    const outcome = await fc.check(property, {
      seed,
      numRuns: requests,
      ...(timeLimitMs === Infinity ? {} : { interruptAfterTimeLimit: timeLimitMs }),
    });
    // Interrupted before the first one it counts as failed, too.
    if (outcome.failed && outcome.counterexample !== null) {
      const { errorInstance, numShrinks, counterexamplePath } = outcome;
      const message =
        errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : String(errorInstance);
      report.failure = `seed ${seed}, path ${counterexamplePath}, made small in ${numShrinks} steps\n${message}`;
      return report;
    }
    try {
      await this.#readEverything();
    } catch (error) {
      report.failure = `seed ${seed}, at the end\n${error instanceof Error ? error.stack : String(error)}`;
    }
    return report;
  }

  async #try(plan: Plan): Promise<void> {
    const { report } = this;
    const hasTeam = this.#world.parties.some(({ slug }) => slug !== null);
    if (report.requests % RENEWAL === 0 || !hasTeam) await this.#world.addParties();
    report.requests++;
    this.#api.clock.advance(plan.pauseMs);
    const request = compose(plan, this.#world);
    const curl = asCurl(request);
    const answer = await within(exchange(this.#api, request), curl);
    const problem = findProblem(request, answer);
    if (problem !== null) this.#fail(problem, curl, answer, plan);
    const operation = findOperation(request.method, request.url.split("?")[0] as string);
    if (answer.status === 401 && plan.mutations.length === 0 && plan.caller.kind === "best") {
      // The object was deleted.
      this.#world.forget(request.party);
    }
    if (answer.status >= 400 || !operation || request.method === "HEAD") return;
    report.successes.set(operation.canonicalId, (report.successes.get(operation.canonicalId) ?? 0) + 1);
    await this.#learn(operation, request, answer);
    const readProblem = await this.#readBack(operation, request, answer);
    if (readProblem !== null) this.#fail(readProblem, curl, answer, plan);
  }

  #fail(problem: string, curl: string, { status, text }: TestResponse, { mutations }: Plan): never {
    const wrong = mutations.map(({ change }) => change).join(", ");
    throw new Contradiction(
      `${problem}${wrong === "" ? "" : ` (${wrong})`}\n${curl}\nanswered ${status} ${text.slice(0, 2_000)}`,
    );
  }

  /** Remembers the names in the response, and the new callers. */
  async #learn(operation: Operation, request: FuzzRequest, { body, headers }: TestResponse): Promise<void> {
    const world = this.#world;
    const known = partyOf(request, world);
    const party = known ?? request.party;
    const { canonicalId } = operation;
    const about = TAGS.find(([, ids]) => ids.test(canonicalId))?.[0] ?? "";
    if (body !== null) world.harvest(party, body, about);
    if (headers["etag"] !== undefined) world.noteThing(party, "etag", headers["etag"]);
    const { userId } = request.actor;
    if (canonicalId === "createToken" && userId !== null && body.bearerToken !== undefined) {
      const teamId = body.token.teamId ?? null;
      world.addActor(party, {
        what: "made token",
        headers: { authorization: `Bearer ${body.bearerToken}` },
        userId,
        teamId,
      });
    } else if (canonicalId === "createApiKey" && known && body.value !== undefined) {
      const isTeam = known.slug !== null;
      const owner = isTeam ? { userId: null, teamId: known.id } : { userId: known.id, teamId: null };
      world.addActor(known, { what: "made key", headers: { "x-api-key": body.value }, ...owner });
    } else if (canonicalId === "updateTeam" && party.id === body.id) {
      party.slug = body.slug;
    } else if (canonicalId === "deleteTeam" || canonicalId === "deleteCurrentUser") {
      world.forget(party);
    }
  }

  /** Reads with the keeper of a party, who gets a new token when requests have taken the old one away. */
  async #read(party: Party, url: string): Promise<TestResponse> {
    const { app, admin } = this.#api;
    this.report.reads++;
    const token = party.slug === null ? party.keeper : admin.token;
    const answer = await within(send(app, "GET", url, { token }), url);
    if (answer.status !== 401 || party.slug !== null) return answer;
    await this.#world.renewKeeper(party);
    return await within(send(app, "GET", url, { token: party.keeper }), url);
  }

  /** Accounts are read by the steward, what is a user's own by that user, all else by the one who keeps it. */
  async #readAs(
    access: string,
    party: Party,
    url: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<TestResponse> {
    const { app, admin } = this.#api;
    const isOwn = access === "user" || access === "session";
    if (access !== "instance" && !isOwn) return await this.#read(party, url);
    this.report.reads++;
    return await send(app, "GET", url, isOwn ? { headers } : { token: admin.token });
  }

  async #readBack(operation: Operation, request: FuzzRequest, { body }: TestResponse): Promise<string | null> {
    const party = partyOf(request, this.#world);
    if (!party || body === null) return null;
    const teamId = party.slug === null ? null : party.id;
    for (const reading of readingsOf(operation, request, body, teamId)) {
      const answer = await this.#readAs(reading.operation.access, party, reading.url, request.actor.headers);
      // A suspended or deleted account reads nothing.
      if (answer.status === 401 && party.slug === null) return null;
      const problem = this.#problemOfReading(reading.operation, answer) ?? reading.problem(answer.body);
      if (problem !== null) return `read back by ${reading.operation.id} (${reading.url}): ${problem}`;
    }
    return null;
  }

  #problemOfReading(operation: Operation, answer: TestResponse): string | null {
    if (answer.status !== 200) return `answered ${answer.status} ${answer.text}`;
    return operation.answers.get(200)?.forms.get("application/json")?.(answer.body) ?? null;
  }

  /** Every list of every party, page by page, and every chain. */
  async #readEverything(): Promise<void> {
    const lists = [...OPERATION_BY_ID.values()].filter(
      ({ method, id, canonicalId, pathParameters, queryParameters, access }) =>
        method === "GET" &&
        id === canonicalId &&
        access !== "public" &&
        pathParameters.every(({ name }) => name === "teamId") &&
        queryParameters.some(({ name }) => name === "limit"),
    );
    for (const party of this.#world.parties) {
      for (const list of lists) await this.#walk(party, list);
    }
    const { firstFault } = await verifyEvents(this.#api.settings);
    if (firstFault !== null) throw new Contradiction(`a chain is not whole: ${JSON.stringify(firstFault)}`);
  }

  async #walk(party: Party, list: Operation): Promise<void> {
    const isTeam = party.slug !== null;
    if (list.template.includes("{teamId}") && !isTeam) return;
    if ((list.access === "user" || list.access === "session") && isTeam) return;
    const path = list.template.replace("{teamId}", party.id);
    const takesTeam = isTeam && list.queryParameters.some(({ name }) => name === "teamId");
    let url: string | null = `${path}?limit=100${takesTeam ? `&teamId=${party.id}` : ""}`;
    const session = list.access === "session" ? await this.#world.openSession(party) : undefined;
    if (session === null) return;
    for (let pages = 0; url !== null; pages++) {
      if (pages > 10_000) throw new Contradiction(`${list.id} has no end: ${url}`);
      const answer: TestResponse =
        list.access === "instance"
          ? await send(this.#api.app, "GET", url, { token: this.#api.admin.token })
          : session
            ? await send(this.#api.app, "GET", url, { headers: session })
            : await this.#read(party, url);
      if (answer.status === 401 && !isTeam) return;
      const problem = this.#problemOfReading(list, answer);
      if (problem !== null) throw new Contradiction(`${url}: ${problem}`);
      url = /<([^>]*)>; rel="next"/.exec(answer.headers["link"] ?? "")?.[1] ?? null;
    }
  }
}
