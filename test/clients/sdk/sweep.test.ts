// Every function of each release of the SDK that reads, called once: none may refuse a response that Reeve gave with success. What
// Reeve does not have is 404.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openEnvironments } from "../../resources/environments.ts";
import { SDK_FUNCTIONS, SDK_GROUPS } from "../../supported/claims.ts";
import { startListeningApp } from "../started-app.ts";
import { RELEASES } from "./releases.ts";

type Functions = Readonly<Record<string, (request: object) => Promise<unknown>>>;

interface Issue {
  readonly path: readonly (string | number)[];
  readonly expected?: string;
  readonly options?: readonly string[];
  readonly values?: readonly string[];
}

/** An error of the client, in which old releases do not say whether the request or the response is wrong but in words. */
interface ClientError extends Error {
  readonly statusCode?: number;
  readonly cause?: { readonly issues?: readonly Issue[] };
}

const READS = /^(?:get|list|read|search|filter|status|find)/;
const MOST_TRIES = 5;

const reeve = await startListeningApp();
const owner = await reeve.createUser();
const team = await reeve.createTeam(owner);
const env = openEnvironments(reeve, owner.token, "shop", team.id);
await env.set("production", { LEVEL: { value: "info" }, TOKEN: { secretValue: "hidden" } });
const post = async (path: string, body: object) =>
  (await reeve.request("POST", `${path}?teamId=${team.id}`, { token: owner.token, body })).body;
const webhook = await post("/v1/webhooks", { url: "https://hooks.example/in", events: ["project.created"] });
const GIVEN = {
  teamId: team.id,
  projectId: "shop",
  idOrName: "shop",
  projectIdOrName: "shop",
  id: webhook.id,
  tokenId: "current",
  userId: owner.id,
  configVersion: "active",
};

function placeholder({ expected, options, values }: Issue): unknown {
  const [known] = options ?? values ?? [];
  if (known !== undefined) return known;
  return { number: 1, object: {}, array: [], boolean: false }[expected ?? ""] ?? "x";
}

/** The request with what the client finds missing in it. */
function complete(request: object, issues: readonly Issue[]): void {
  for (const issue of issues) {
    const path = [...issue.path];
    const last = path.pop();
    let place = request as Record<string | number, unknown>;
    for (const name of path) place = (place[name] ??= {}) as typeof place;
    if (last !== undefined) place[last] = placeholder(issue);
  }
}

const isOfRequest = ({ name, message }: Error) =>
  name === "SDKValidationError" && message.startsWith("Input validation");

/** What a function made of its response: "read", its status, or what the client refused in a response with success. */
async function outcomeOf(functions: Functions, name: string): Promise<string> {
  const request = { ...GIVEN };
  for (let tries = 1; ; tries++) {
    try {
      await functions[name]?.(request);
      return "read";
    } catch (thrown) {
      const error = thrown as ClientError;
      const { statusCode = 200, cause } = error;
      if (isOfRequest(error) && tries < MOST_TRIES) {
        complete(request, cause?.issues ?? []);
        continue;
      }
      if (isOfRequest(error)) return "not sent";
      if (statusCode >= 400) return String(statusCode);
      return `refused: ${(cause?.issues ?? []).map(({ path }) => path.join(".")).join(", ") || error.message}`;
    }
  }
}

for (const { version, packageName, canListMembers } of RELEASES) {
  describe(`@vercel/sdk ${version}`, () => {
    test("no function that reads refuses a response with success", async () => {
      const { Vercel } = (await import(packageName)) as { Vercel: new (options: object) => Record<string, Functions> };
      const sdk = new Vercel({ bearerToken: owner.token, serverURL: reeve.url });
      const outcomes: Record<string, string> = {};
      for (const group of Object.getOwnPropertyNames(Vercel.prototype)) {
        const functions = sdk[group];
        if (group === "constructor" || typeof functions !== "object") continue;
        for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(functions))) {
          // Releases that cannot list members throw beside their promise.
          const isBroken = name === "getTeamMembers" && !canListMembers;
          if (READS.test(name) && !isBroken) outcomes[`${group}.${name}`] = await outcomeOf(functions, name);
        }
      }
      const refused = Object.entries(outcomes).filter(([, outcome]) => outcome.startsWith("refused"));
      assert.deepEqual(Object.fromEntries(refused), {});
      const read = Object.keys(outcomes).filter((name) => outcomes[name] === "read");
      const isClaimed = (name: string) =>
        SDK_FUNCTIONS.includes(name) || SDK_GROUPS.some((group) => name.startsWith(`${group}.`));
      assert.deepEqual(
        read.filter((name) => !isClaimed(name)),
        [],
        "functions that work, and that SUPPORTED.md leaves out",
      );
      assert.ok(read.length >= 8, JSON.stringify(outcomes));
    });
  });
}
