// Random changes of secrets that compete for a few names, against a model that knows nothing of the code: the same
// answers, and the same secret behind each name.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { TestResponse, Body } from "../../../test/harness/test-app.ts";
import { openVault, outcome } from "../../../test/resources/secrets.ts";
import type { Vault } from "../../../test/resources/secrets.ts";
import {
  Refusal,
  currentOf,
  forChange,
  holderOf,
  holds,
  key,
  living,
  refuse,
  remove,
  renameAll,
  restore,
  take,
} from "../../../test/resources/secret-model.ts";
import type { HeldName, Model, ModelSecret, Renaming } from "../../../test/resources/secret-model.ts";

const RUNS = 25;
const MOVES = 40;
// Of the property with its search for a smaller counterexample.
const TIME_LIMIT_MS = 30_000;
const NAMES = ["a", "b", "c", "d"];

// Its own, because a run that the time limit gives up goes on for a while, and moves the clock.
const client = await startOwnApp();
const { clock, createUser } = client;

/** One call, and what it does to the model or the refusal that it meets. */
interface Step {
  readonly name: string;
  predict(model: Model): void;
  /** `model` is the one after the step. */
  act(vault: Vault, model: Model): Promise<TestResponse>;
}

/** Chooses its step when it sees what there is, so that most steps meet something. */
type Move = (model: Model) => Step;

const anyName = fc.constantFrom(...NAMES.flatMap((name) => [name, name.toUpperCase()]));
const number = fc.nat({ max: 20 });
const rarely = fc.constantFrom(true, false, false, false);

/** Mostly one of the names that `find` finds, in either case. */
function nameOutOf(find: (model: Model) => readonly HeldName[]): fc.Arbitrary<(model: Model) => string> {
  return fc
    .record({ drawn: number, other: anyName, isOther: rarely, isUpper: fc.boolean() })
    .map(({ drawn, other, isOther, isUpper }) => (model) => {
      const found = find(model);
      const { name } = (isOther ? undefined : found[drawn % found.length]) ?? { name: other };
      return isUpper ? name.toUpperCase() : name;
    });
}

const namesOf = (model: Model) => living(model).flatMap(({ names }) => names);
const heldName = nameOutOf((model) => namesOf(model).filter(({ kind }) => kind !== "former"));
const alias = nameOutOf((model) => namesOf(model).filter(({ kind }) => kind === "alias"));
const deletedName = nameOutOf(({ secrets }) => secrets.filter(({ state }) => state === "deleted").map(currentOf));

/** Mostly a secret that was deleted. */
const deletedSecret = fc
  .record({ drawn: number, isOther: rarely })
  .map(({ drawn, isOther }) => ({ secrets }: Model): ModelSecret | undefined => {
    const wanted = isOther ? secrets : secrets.filter(({ state }) => state === "deleted");
    return wanted[drawn % wanted.length];
  });

const idOf = (secret: ModelSecret | undefined) => secret?.id ?? "sec_none";
/** The same secret in a copy of the model. */
const inCopy = ({ secrets }: Model, secret: ModelSecret | undefined) => secrets.find(({ id }) => id === idOf(secret));

const createNamed =
  (name: string): Move =>
  () => ({
    name: `create ${name}`,
    predict(model) {
      const secret: ModelSecret = { id: "", names: [], version: 1, state: "living", deletion: 0 };
      model.secrets.push(secret);
      take(model, secret, name);
    },
    async act(vault, model) {
      const response = await vault.create({ name, value: name });
      const made = inCopy(model, { id: "" } as ModelSecret);
      if (made) made.id = response.body.uid;
      return response;
    },
  });
const create = anyName.map(createNamed);
const START = NAMES.slice(1).map(createNamed);

const renaming = fc
  .record({ from: heldName, to: anyName, keepAlias: fc.boolean() })
  .map(({ from, ...rest }) => (model: Model): Renaming => ({ from: from(model), ...rest }));

const rename = renaming.map((choose): Move => (before) => {
  const one = choose(before);
  return {
    name: `rename ${JSON.stringify(one)}`,
    predict: (model) => renameAll(model, [one]),
    act: (vault) => vault.change(one.from, { name: one.to, keepAlias: one.keepAlias }),
  };
});

function renameStep(what: string, renames: readonly Renaming[]): Step {
  return {
    name: `${what} ${JSON.stringify(renames)}`,
    predict: (model) => renameAll(model, renames),
    act: (vault) => vault.renameAll(renames),
  };
}

const renameSeveral = fc.array(renaming, { minLength: 2, maxLength: 3 }).map(
  (choices): Move =>
    (before) =>
      renameStep(
        "several",
        choices.map((choose) => choose(before)),
      ),
);

/** As entries drawn one by one seldom make one. */
const swap = fc.tuple(heldName, heldName).map(([one, other]): Move => (before) => {
  const [a, b] = [one(before), other(before)];
  return renameStep("exchange", [
    { from: a, to: b, keepAlias: false },
    { from: b, to: a, keepAlias: false },
  ]);
});

const put = heldName.map((choose): Move => (before) => {
  const name = choose(before);
  return {
    name: `put ${name}`,
    predict(model) {
      forChange(model, name).version++;
    },
    act: (vault) => vault.put(name, { value: name }),
  };
});

const removeNamed = fc
  .record({ choose: heldName, isPermanent: rarely })
  .map(({ choose, isPermanent }): Move => (before) => {
    const name = choose(before);
    return {
      name: `delete ${name}${isPermanent ? " for good" : ""}`,
      predict: (model) => remove(model, forChange(model, name), isPermanent),
      act: (vault) => vault.remove(name, `permanent=${isPermanent}`),
    };
  });

const destroy = deletedSecret.map((choose): Move => (before) => {
  const chosen = choose(before);
  return {
    name: `destroy ${idOf(chosen)}`,
    predict(model) {
      const secret = inCopy(model, chosen);
      if (!secret || secret.state === "destroyed") return refuse("not_found");
      remove(model, secret, true);
    },
    act: (vault) => vault.remove(idOf(chosen), "permanent=true"),
  };
});

const restoreById = fc
  .record({ choose: deletedSecret, newName: fc.option(anyName, { nil: undefined }) })
  .map(({ choose, newName }): Move => (before) => {
    const chosen = choose(before);
    return {
      name: `restore ${idOf(chosen)} as ${newName ?? "itself"}`,
      predict: (model) => restore(model, inCopy(model, chosen), newName),
      act: (vault) => vault.restore(idOf(chosen), { name: newName }),
    };
  });

const restoreByName = deletedName.map((choose): Move => (before) => {
  const name = choose(before);
  return {
    name: `restore ${name}`,
    predict(model) {
      const deleted = model.secrets.filter(
        (secret) => secret.state === "deleted" && key(currentOf(secret).name) === key(name),
      );
      const [last] = deleted.toSorted((a, b) => b.deletion - a.deletion);
      restore(model, last, undefined);
    },
    act: (vault) => vault.restore(name),
  };
});

const giveUp = alias.map((choose): Move => (before) => {
  const name = choose(before);
  const holder = holderOf(before, name);
  return {
    name: `give up ${name}`,
    predict(model) {
      const secret = inCopy(model, holder);
      const held = secret && holds(secret, name);
      if (held?.kind !== "alias") return refuse("not_found");
      held.kind = "former";
    },
    act: (vault) => vault.call("DELETE", `/${idOf(holder)}/aliases/${name}`),
  };
});

/** The model after a step, and what the step answers. */
function predict(model: Model, step: Step): { readonly next: Model; readonly expected: string } {
  const next = structuredClone(model);
  try {
    step.predict(next);
    return { next, expected: "ok" };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { next: model, expected: error.message };
  }
}

async function compareLists(vault: Vault, model: Model): Promise<void> {
  const newestFirst = (state: ModelSecret["state"]) =>
    model.secrets
      .filter((secret) => secret.state === state)
      .map((secret) => [secret.id, currentOf(secret).name, secret.version])
      .toReversed();
  const read = async (query: string) =>
    (await vault.list(query)).secrets.map(({ uid, name, version }: Body) => [uid, name, version]);
  assert.deepEqual(await read("limit=100"), newestFirst("living"));
  assert.deepEqual(await read("limit=100&deleted=true"), newestFirst("deleted"));
}

async function compareNames(vault: Vault, model: Model): Promise<void> {
  await Promise.all(
    NAMES.map(async (name) => {
      const { body } = await vault.read(name);
      assert.equal(body.uid, holderOf(model, name)?.id, name);
    }),
  );
  await Promise.all(
    living(model).map(async ({ id, names }) => {
      const expected = names.map(({ name, kind }) => `${name} ${kind}`).toReversed();
      assert.deepEqual(await vault.history(id), expected);
    }),
  );
}

async function compare(vault: Vault, model: Model): Promise<void> {
  await compareLists(vault, model);
  await compareNames(vault, model);
}

test("any changes in any order have the responses and the names that the rules say", async () => {
  const moves = fc.array(
    fc.oneof(
      { arbitrary: create, weight: 4 },
      { arbitrary: rename, weight: 4 },
      { arbitrary: renameSeveral, weight: 2 },
      { arbitrary: swap, weight: 2 },
      { arbitrary: put, weight: 1 },
      { arbitrary: removeNamed, weight: 3 },
      { arbitrary: destroy, weight: 1 },
      { arbitrary: restoreById, weight: 2 },
      { arbitrary: restoreByName, weight: 2 },
      { arbitrary: giveUp, weight: 2 },
    ),
    { minLength: MOVES / 2, maxLength: MOVES, size: "max" },
  );
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(moves, async (sequence) => {
      const vault = openVault(client, (await createUser()).token);
      let model: Model = { secrets: [], deletions: 0 };
      const steps: string[] = [];
      for (const move of [...START, ...sequence]) {
        const step = move(model);
        steps.push(step.name);
        const { next, expected } = predict(model, step);
        const response = await step.act(vault, next);
        assert.equal(outcome(response), expected, `${steps.join("; ")}: ${response.text}`);
        model = next;
        clock.advance(1);
        await compare(vault, model).catch((cause: unknown) => {
          throw new Error(`after ${steps.join("; ")}`, { cause });
        });
        seen.add(`${step.name.split(" ")[0]} ${expected}`);
      }
    }),
    // Small numbers are no more telling here than others.
    { numRuns: RUNS, unbiased: true, interruptAfterTimeLimit: TIME_LIMIT_MS },
  );
  for (const kind of ["create", "rename", "exchange", "put", "delete", "restore", "give"]) {
    assert.ok(seen.has(`${kind} ok`), `no ${kind} succeeded`);
  }
});
