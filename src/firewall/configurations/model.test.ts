// Random requests on the firewall of a project, some concurrent, against a model that shares no code: the same responses,
// versions, draft and events. The responses of concurrent requests have to be those of some order.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Refusal, START, move, replay } from "../../../test/resources/firewall-model.ts";
import type { Model, ModelChange, ModelContent, Move } from "../../../test/resources/firewall-model.ts";
import { denyPath, firewallEvents, openFirewall, outcome, saidBy } from "../../../test/resources/firewalls.ts";
import type { Firewall } from "../../../test/resources/firewalls.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { TestResponse, Body } from "../../../test/harness/test-app.ts";

const RUNS = 25;
const ROUNDS = 14;
// For the property including the shrinking of a counterexample.
const TIME_LIMIT_MS = 30_000;

const client = await startTestApp();
const { clock, createUser } = client;

const id = fc.constantFrom("a", "b", "c", "d");
const rule = fc.record({ id, name: fc.constantFrom("one", "two") });
const content: fc.Arbitrary<ModelContent> = fc.record(
  {
    firewallEnabled: fc.boolean(),
    rules: fc.uniqueArray(rule, { maxLength: 3, selector: (one) => one.id }),
    botIdEnabled: fc.boolean(),
  },
  { requiredKeys: ["firewallEnabled", "rules"] },
);

const change: fc.Arbitrary<ModelChange> = fc.oneof(
  fc.record({ action: fc.constant("firewallEnabled"), value: fc.boolean() }),
  fc.record({ action: fc.constant("botId.toggle"), value: fc.boolean() }),
  { weight: 3, arbitrary: fc.record({ action: fc.constant("rules.insert"), value: rule }) },
  fc.record({ action: fc.constant("rules.update"), id, value: rule }),
  fc.record({ action: fc.constant("rules.remove"), id }),
  fc.record({ action: fc.constant("rules.priority"), id, value: fc.nat(4) }),
);

/** The version that a client expects: mostly none, else the one that was active before the round, or another. */
const expectation = fc.constantFrom(undefined, undefined, undefined, 0, 0, 1);

type Draw = (model: Model) => Move;

const draw: fc.Arbitrary<Draw> = fc
  .tuple(
    fc.oneof(
      { weight: 2, arbitrary: fc.record({ call: fc.constant("put"), content }) },
      { weight: 3, arbitrary: fc.record({ call: fc.constant("patch"), change }) },
      { weight: 4, arbitrary: fc.record({ call: fc.constant("stage"), change }) },
      { weight: 2, arbitrary: fc.constant({ call: "activate", version: "draft" }) },
      { weight: 2, arbitrary: fc.record({ call: fc.constant("activate"), version: fc.integer({ min: 1, max: 6 }) }) },
      { weight: 1, arbitrary: fc.constant({ call: "discard" }) },
    ),
    expectation,
  )
  .map(([step, off]) => ({ active }) => {
    const expects = off !== undefined && step.call !== "discard";
    return { ...step, ...(expects && { expectedVersion: (active ?? 0) + off }) };
  });

const bodyOf = ({ rules, ...rest }: ModelContent) => ({
  ...rest,
  rules: rules.map(({ id: own, name }) => denyPath(name, { id: own })),
});

function send(firewall: Firewall, step: Move): Promise<TestResponse> {
  const terms = step.expectedVersion === undefined ? {} : { expectedVersion: step.expectedVersion };
  switch (step.call) {
    case "put":
      return firewall.put({ ...bodyOf(step.content), ...terms });
    case "patch":
    case "stage": {
      const { change: one } = step;
      const value =
        one.action === "rules.insert" || one.action === "rules.update"
          ? denyPath(one.value.name, { id: one.value.id })
          : (one as { value?: unknown }).value;
      return firewall[step.call]({ ...one, value, ...terms });
    }
    case "activate":
      return firewall.activate(step.version, terms);
    case "discard":
      return firewall.discard();
  }
}

function* permutations<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length < 2) yield items;
  for (const [index, first] of items.entries()) {
    if (items.length < 2) return;
    for (const rest of permutations(items.toSpliced(index, 1))) yield [first, ...rest];
  }
}

interface Sent {
  readonly step: Move;
  readonly response: string;
}

/** The model after these requests in this order; undefined when one of them would have had another response. */
function explain(before: Model, order: readonly Sent[]): Model | undefined {
  let model = before;
  for (const { step, response } of order) {
    try {
      model = move(model, step);
      if (response !== "ok") return undefined;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (response !== error.message) return undefined;
    }
  }
  return model;
}

const shownContent = (document: Body) => {
  const { firewallEnabled, rules, botIdEnabled } = saidBy(document);
  return { firewallEnabled, rules: rules.map(({ id: own, name }: Body) => [own, name]), botIdEnabled };
};
const shownModel = ({ firewallEnabled, rules, botIdEnabled }: ModelContent) => ({
  firewallEnabled,
  rules: rules.map(({ id: own, name }) => [own, name]),
  botIdEnabled,
});

/** The observed state in the form of `expected`. */
async function look(firewall: Firewall, userId: string) {
  const { active, draft, versions } = await firewall.list("limit=100");
  const events = await firewallEvents(client, userId);
  return {
    documents: versions.toReversed() as Body[],
    seen: {
      active: active?.version ?? null,
      activeContent: active && shownContent(active),
      versions: versions
        .toReversed()
        .map((document: Body) => [document.version, document.basedOn, shownContent(document)]),
      draft: draft && [
        draft.version,
        draft.basedOn,
        draft.changes.map(({ action }: Body) => action),
        (draft.conflicts ?? []).map(({ index }: Body) => index),
        shownContent(draft),
      ],
      events: events.map(({ type, payload: { configVersion, previousVersion, restore } }) =>
        type === "firewall-config-promoted"
          ? `${type} ${configVersion} ${previousVersion} ${restore}`
          : [type, configVersion].filter(Boolean).join(" "),
      ),
    },
  };
}

function expected(model: Model) {
  const { versions, active, draft, events } = model;
  const { content: drafted, conflicts } = replay(model);
  return {
    active,
    activeContent: active === null ? null : shownModel((versions[active - 1] as { content: ModelContent }).content),
    versions: versions.map(({ basedOn, content: said }, index) => [index + 1, basedOn, shownModel(said)]),
    draft: draft && [versions.length + 1, active, draft.map(({ action }) => action), conflicts, shownModel(drafted)],
    events,
  };
}

function matches(model: Model | undefined, seen: unknown): boolean {
  try {
    assert.deepEqual(seen, model && expected(model));
    return true;
  } catch {
    return false;
  }
}

/** The states that these requests may have produced, in any order, that match the observed state. */
function explainAll(before: readonly Model[], sent: readonly Sent[], seen: unknown): Model[] {
  const found = new Map<string, Model>();
  for (const order of permutations(sent)) {
    for (const model of before) {
      const after = explain(model, order);
      if (after && matches(after, seen)) found.set(JSON.stringify(after), after);
    }
  }
  return [...found.values()];
}

function isFilled<T>(items: readonly T[]): items is readonly [T, ...T[]] {
  return items.length > 0;
}

test("any requests, sequential or concurrent, have the responses and effects of some order", async () => {
  const rounds = fc.array(
    fc.oneof({ weight: 2, arbitrary: fc.tuple(draw) }, fc.array(draw, { minLength: 2, maxLength: 3 })),
    {
      minLength: ROUNDS / 2,
      maxLength: ROUNDS,
      size: "max",
    },
  );
  const met = new Set<string>();
  await fc.assert(
    fc.asyncProperty(rounds, async (sequence) => {
      const user = await createUser();
      const firewall = openFirewall(client, user.token);
      // Two conflicting changes hide the order in which they were staged, so several states may match.
      let models: readonly [Model, ...Model[]] = [START];
      let before: readonly Body[] = [];
      const story: string[] = [];
      for (const round of sequence) {
        const steps = round.map((choose) => choose(models[0]));
        const sent = await Promise.all(
          steps.map(async (step) => ({ step, response: outcome(await send(firewall, step)) })),
        );
        story.push(sent.map(({ step, response }) => `${JSON.stringify(step)} ${response}`).join(" | "));
        const { seen, documents } = await look(firewall, user.id);
        const after = explainAll(models, sent, seen);
        if (!isFilled(after)) {
          const told = explain(models[0], sent);
          assert.deepEqual(seen, told && expected(told), story.join("\n"));
          assert.fail(`no order explains the last of\n${story.join("\n")}`);
        }
        assert.deepEqual(documents.slice(0, before.length), before, "a version never changes");
        [models, before] = [after, documents];
        for (const { step, response } of sent) met.add(`${step.call} ${response}`);
        clock.advance(1);
      }
    }),
    { numRuns: RUNS, unbiased: true, interruptAfterTimeLimit: TIME_LIMIT_MS },
  );
  for (const kind of [
    "put ok",
    "patch ok",
    "stage ok",
    "activate ok",
    "discard ok",
    "put version_conflict",
    "activate not_found",
  ]) {
    assert.ok(met.has(kind), `no ${kind}`);
  }
});
