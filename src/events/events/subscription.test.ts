// Which patterns a subscription accepts, and which events match them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { threadMs } from "../../../test/harness/thread-time.ts";
import { PUBLIC_WEBHOOK_NAMES, TERRAFORM_SPELLINGS } from "../../platform/kernel/clients/public-webhook-names.ts";
import { checkSubscription, compileSubscription } from "./subscription.ts";
import { EVENT_TYPES } from "./types.ts";
import { ALL_TYPES } from "./vocabulary.ts";

const published = PUBLIC_WEBHOOK_NAMES.flatMap(({ names }) => names as readonly string[]);

describe("the vocabulary", () => {
  it("has the types that Reeve emits and those that callers publish, each name once", () => {
    assert.equal(new Set(published).size, 112);
    assert.deepEqual(new Set(ALL_TYPES), new Set([...Object.keys(EVENT_TYPES), ...published]));
    assert.equal(ALL_TYPES.length, Object.keys(EVENT_TYPES).length + 112, "nobody publishes what Reeve emits");
  });

  it("maps each of Terraform's spellings to a different name", () => {
    assert.equal(TERRAFORM_SPELLINGS.size, 17);
    assert.equal(new Set(TERRAFORM_SPELLINGS.values()).size, 17);
    for (const [spelling, name] of TERRAFORM_SPELLINGS) {
      assert.equal(spelling.replaceAll(".", "-"), name.replaceAll(".", "-"));
      assert.ok(published.includes(name) && !ALL_TYPES.includes(spelling), spelling);
    }
  });
});

describe("a subscription", () => {
  it("accepts every name, every spelling, and globs that match one", () => {
    const globs = ["*", "**", "team-*", "deployment.*", "*.created", "domain.*.failed", "secret-add*"];
    for (const pattern of [...ALL_TYPES, ...TERRAFORM_SPELLINGS.keys(), ...globs]) {
      assert.equal(checkSubscription(pattern), null, pattern);
    }
  });

  it("refuses unknown names, with suggestions", () => {
    const last = "GET /v1/events/types lists them all";
    for (const [pattern, hint] of [
      ["secret.ad", ' did you mean "secret-add"?'],
      ["deployment.creted", ' did you mean "deployment.created"?'],
      ["domain.certificate-addd", ' did you mean "domain.certificate.add"?'],
      ["project.domain.created.", ' did you mean "project.domain.created"?'],
      ["secrt.*", ' did you mean "secret-*", "secrets-*"?'],
      ["depployment.*", ' did you mean "deployment.*", "deployment-*"?'],
      ["Team-Delete", ' did you mean "team-delete"?'],
      // The feed's filter accepts this name; Reeve never records it.
      ["team-paid-invoice", ""],
      ["domain.certificate-*", ' did you mean "domain.certificate.*"?'],
      ["constructor", ""],
      ["", ""],
    ] as const) {
      assert.equal(checkSubscription(pattern), `no event is called "${pattern}";${hint} ${last}`);
    }
    assert.equal(checkSubscription("x".repeat(1000))?.startsWith(`no event is called "${"x".repeat(64)}...";`), true);
  });

  it("suggests the nearest names, the nearest first", () => {
    const offers = (pattern: string) => /did you mean (.*)\?/.exec(checkSubscription(pattern) ?? "")?.[1];
    assert.equal(offers("attack-mode-isabled"), '"attack-mode-disabled", "attack-mode-enabled"');
    assert.equal(offers("message.deated"), '"message.created", "message.deleted"');
    assert.equal(offers("comment.pdated"), '"comment.updated"');
  });

  it("matches its names and globs, and nothing else", () => {
    const gets = (patterns: readonly string[]) => ALL_TYPES.filter(compileSubscription(patterns));
    assert.deepEqual(gets(["secret-add", "deployment.ready"]), ["secret-add", "deployment.ready"]);
    assert.deepEqual(gets(["domain.renewal*"]), ["domain.renewal", "domain.renewal.failed"]);
    assert.deepEqual(gets(["*"]), ALL_TYPES);
    assert.deepEqual(gets([]), []);
    const begins = (word: string) => ALL_TYPES.filter((type) => type.startsWith(word));
    assert.deepEqual(gets(["team-*"]), begins("team-"));
    assert.deepEqual(gets(["deployment.*", "deployment.created"]), begins("deployment."));
    assert.deepEqual(gets(["domain.*.failed"]).length, 4);
  });

  it("matches by Terraform's spelling of a name", () => {
    for (const [spelling, name] of TERRAFORM_SPELLINGS) {
      assert.deepEqual(ALL_TYPES.filter(compileSubscription([spelling])), [name]);
    }
  });

  it("matches by glob a type that only a newer Reeve knows", () => {
    assert.equal(compileSubscription(["secret-*"])("secret-transfer"), true);
  });

  it("matches in linear time, whatever the pattern", () => {
    const ms = threadMs(() => {
      for (const pattern of [`${"a*".repeat(50_000)}b`, "*".repeat(100_000), `*${"a".repeat(100_000)}*`]) {
        assert.equal(compileSubscription([pattern])("a".repeat(100_000)), !pattern.endsWith("b"));
      }
    });
    assert.ok(ms < 5_000, `${ms} ms`);
  });

  it("stays cheap for an event with a hundred webhooks of many globs with many stars", () => {
    // Matches the last name only.
    const glob = "thread.unresolved".replaceAll(/./g, "$&*");
    const patterns = Array.from({ length: 200 }, (_, at) => `${"*".repeat(1 + (at % 30))}${glob}`);
    const ms = threadMs(() => {
      for (const pattern of patterns) assert.equal(checkSubscription(pattern), null);
      const webhooks = Array.from({ length: 100 }, () => compileSubscription(patterns));
      for (let event = 0; event < 200; event++) assert.ok(webhooks.every((wants) => !wants("secret-add")));
    });
    assert.ok(ms < 5_000, `${ms} ms`);
  });
});
