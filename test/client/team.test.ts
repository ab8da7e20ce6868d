// The team of the settings: which calls it is of, and that only a team that is really sent takes its place.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "../../src/client/client.ts";
import { create, record, refusalOf, server } from "./refusals.ts";

/** Every way to call an operation about what a team owns. */
const WAYS: readonly ((client: Client, query: never) => Promise<unknown>)[] = [
  (client, query) => client.call("listSecrets", { query }),
  (client, query) => client.answer("listSecrets", { query }),
  (client, query) => client.items("listSecrets", { query }).next(),
  (client, query) => client.pages("listSecrets", { query }).next(),
  (client, query) => client.lines("listSecrets", { query }, { accept: "text/csv" }).next(),
  (client, query) => client.call("createSecret", { query, body: { name: "A", value: "1" } }),
  (client, query) => client.call("deleteSecret", { query, params: { name: "A" } }),
];

const UNDEFINED = [{ teamId: undefined }, { slug: undefined }, { teamId: undefined, slug: undefined }];

test("a team that is undefined in the query is left out: the team of the settings counts", async () => {
  for (const team of ["team_one", "acme"]) {
    const expected = team === "acme" ? "slug=acme" : "teamId=team_one";
    for (const query of UNDEFINED) {
      for (const way of WAYS) {
        const { client, sent } = record({ team });
        await way(client, query as never);
        assert.deepEqual(
          sent.map(({ target }) => target.split("?")[1]),
          [expected],
          String(way),
        );
      }
    }
  }
});

test("a team in the query counts instead, beside one that is undefined too", async () => {
  for (const [query, expected] of [
    [{ teamId: undefined, slug: "other" }, "slug=other"],
    [{ teamId: "team_two", slug: undefined }, "teamId=team_two"],
  ] as const) {
    for (const team of ["team_one", "acme"]) {
      const { client, sent } = record({ team });
      await client.call("listSecrets", { query } as never);
      assert.equal(sent[0]?.target.split("?")[1], expected);
    }
  }
});

test("members that would not be sent are refused: inherited ones and hidden ones", async () => {
  const inherited = (parent: object) => Object.create(parent) as object;
  const bare = (members: object) => Object.assign(Object.create(null) as object, members);
  const odd = [
    inherited({ teamId: "acme" }),
    inherited(bare({ teamId: "acme" })),
    Object.assign(inherited(bare({})), { limit: 1 }),
    Object.defineProperty({}, "teamId", { value: "acme", enumerable: false }),
    Object.defineProperty({ limit: 1 }, "slug", { get: () => "acme", enumerable: false }),
  ];
  for (const team of [undefined, "mine"]) {
    const client = create({ server, team });
    for (const query of odd) {
      for (const way of WAYS) {
        assert.match(await refusalOf(() => way(client, query as never)), /^TypeError: query: expected a plain object/);
      }
      assert.match(
        await refusalOf(() => client.request("GET", "/x", { query: query as never })),
        /^TypeError: query: expected/,
      );
    }
  }
});
