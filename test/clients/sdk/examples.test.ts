// The examples for the generated SDK in the API's document: its newest release sends each as the call that it is an example of.
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeApi } from "../../../src/serve/reference/openapi.ts";
import { templatePath } from "../../../src/platform/operations/endpoint-details.ts";
import type { SdkExample } from "../../../src/serve/reference/endpoint-examples.ts";
import type { Endpoint } from "../../../src/platform/kernel/contract.ts";
import { operations } from "../../../src/serve/composition/registry.ts";
import { RELEASES } from "./releases.ts";

interface Described {
  readonly operationId: string;
  readonly "x-vercel-sdk"?: SdkExample;
}

type Functions = Readonly<Record<string, Readonly<Record<string, (request?: unknown) => Promise<unknown>>>>>;

const { packageName } = RELEASES.at(-1) as { readonly packageName: string };
const { Vercel } = (await import(packageName)) as { Vercel: new (options: object) => Functions };
const document = describeApi([...operations.values()], "0.0.0") as { paths: Record<string, Record<string, Described>> };
const described = Object.values(document.paths).flatMap((item) => Object.values(item));

/** Sends nothing, and says what would have been sent. */
async function sentBy({ function: name, request }: SdkExample): Promise<Request> {
  const sent: Request[] = [];
  const httpClient = {
    async request(asked: Request) {
      sent.push(asked);
      return new Response("{}", { status: 418 });
    },
  };
  const sdk = new Vercel({ bearerToken: "none", serverURL: "http://localhost/", httpClient });
  const [group = "", call = ""] = name.split(".");
  await assert.rejects(async () => await sdk[group]?.[call]?.(...(request === undefined ? [] : [request])));
  assert.equal(sent.length, 1, `${name} sends one request`);
  return sent[0] as Request;
}

test("each example for the SDK makes the call that it is an example of", async () => {
  let count = 0;
  for (const { operationId, "x-vercel-sdk": example } of described) {
    if (!example) continue;
    count++;
    const request = await sentBy(example);
    const endpoint = operations.get(operationId)?.endpoint as Endpoint;
    const { pathname, searchParams } = new URL(request.url);
    const isOwn = [endpoint.path, ...(endpoint.aliases ?? [])].some((path) =>
      new RegExp(`^${templatePath(path).replace(/\{\w+\}/g, "[^/]+")}$`).test(pathname),
    );
    assert.ok(isOwn && request.method === endpoint.method, `${operationId}: ${request.method} ${pathname}`);
    const { requestBody, teamId } = (example.request ?? {}) as { requestBody?: object; teamId?: string };
    if (teamId !== undefined) assert.ok(pathname.includes(teamId) || searchParams.has("teamId"), operationId);
    if (requestBody) assert.deepEqual(await request.json(), requestBody, operationId);
  }
  assert.ok(count > 30);
});
