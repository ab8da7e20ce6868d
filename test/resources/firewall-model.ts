// A naive model of a project's firewall, without the tested code.

export interface ModelRule {
  readonly id: string;
  readonly name: string;
}

export interface ModelContent {
  readonly firewallEnabled: boolean;
  readonly rules: readonly ModelRule[];
  readonly botIdEnabled?: boolean;
}

export type ModelChange =
  | { readonly action: "firewallEnabled"; readonly value: boolean }
  | { readonly action: "botId.toggle"; readonly value: boolean }
  | { readonly action: "rules.insert"; readonly value: ModelRule }
  | { readonly action: "rules.update"; readonly id: string; readonly value: ModelRule }
  | { readonly action: "rules.remove"; readonly id: string }
  | { readonly action: "rules.priority"; readonly id: string; readonly value: number };

interface Terms {
  readonly expectedVersion?: number;
}

/** One call. */
export type Move = Terms &
  (
    | { readonly call: "put"; readonly content: ModelContent }
    | { readonly call: "patch" | "stage"; readonly change: ModelChange }
    | { readonly call: "activate"; readonly version: number | "draft" }
    | { readonly call: "discard" }
  );

export interface ModelVersion {
  readonly basedOn: number | null;
  readonly content: ModelContent;
}

/** The visible state of a project. It is immutable: a change makes a new one. */
export interface Model {
  /** Version 1 first. */
  readonly versions: readonly ModelVersion[];
  readonly active: number | null;
  readonly draft: readonly ModelChange[] | null;
  /** Types of the events, with the version that each names. */
  readonly events: readonly string[];
}

export const START: Model = { versions: [], active: null, draft: null, events: [] };
const NOTHING: ModelContent = { firewallEnabled: true, rules: [] };

/** Refuses a move. */
export class Refusal extends Error {}

function refuse(code: string): never {
  throw new Refusal(code);
}

const contentAt = ({ versions }: Model, version: number | null) =>
  version === null ? NOTHING : (versions[version - 1] as ModelVersion).content;

function isSame(a: ModelContent, b: ModelContent): boolean {
  const textOf = ({ firewallEnabled, rules, botIdEnabled }: ModelContent) =>
    JSON.stringify([firewallEnabled, rules.map(({ id, name }) => [id, name]), botIdEnabled ?? null]);
  return textOf(a) === textOf(b);
}

function apply(content: ModelContent, change: ModelChange): ModelContent {
  if (change.action === "firewallEnabled") return { ...content, firewallEnabled: change.value };
  if (change.action === "botId.toggle") return { ...content, botIdEnabled: change.value };
  const { rules } = content;
  if (change.action === "rules.insert") {
    if (rules.some(({ id }) => id === change.value.id)) refuse("invalid_firewall");
    return { ...content, rules: [...rules, change.value] };
  }
  const { id } = change;
  const rule = rules.find((one) => one.id === id) ?? refuse("not_found");
  const others = rules.filter((one) => one !== rule);
  if (change.action === "rules.remove") return { ...content, rules: others };
  if (change.action === "rules.update") {
    return { ...content, rules: rules.map((one) => (one === rule ? { id, name: change.value.name } : one)) };
  }
  return { ...content, rules: [...others.slice(0, change.value), rule, ...others.slice(change.value)] };
}

/** What a draft makes, and which of its changes can't be made. */
export function replay(model: Model): { readonly content: ModelContent; readonly conflicts: readonly number[] } {
  let content = contentAt(model, model.active);
  const conflicts: number[] = [];
  (model.draft ?? []).forEach((change, index) => {
    try {
      content = apply(content, change);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      conflicts.push(index);
    }
  });
  return { content, conflicts };
}

function activated(model: Model, version: number, restore: boolean): Model {
  const { active } = model;
  const event = `firewall-config-promoted ${version} ${active} ${restore}`;
  return { ...model, active: version, events: [...model.events, event] };
}

function withContent(model: Model, content: ModelContent): Model {
  const { active, versions, events } = model;
  if (active !== null && isSame(contentAt(model, active), content)) return model;
  const version = versions.length + 1;
  const made = {
    ...model,
    versions: [...versions, { basedOn: active, content }],
    events: [...events, `firewall-config-modified ${version}`],
  };
  return activated(made, version, false);
}

function stage(model: Model, change: ModelChange): Model {
  const before = replay(model);
  if (before.conflicts.length > 0) refuse("draft_conflict");
  const content = apply(before.content, change);
  if (isSame(content, before.content) && (model.active !== null || model.draft !== null)) return model;
  return { ...model, draft: [...(model.draft ?? []), change], events: [...model.events, "firewall-draft-modified"] };
}

function discarded(model: Model): Model {
  return { ...model, draft: null, events: [...model.events, "firewall-draft-discarded"] };
}

function activate(model: Model, version: number | "draft", requireActive: () => void): Model {
  if (version !== "draft") {
    if (version > model.versions.length) refuse("not_found");
    requireActive();
    return version === model.active ? model : activated(model, version, true);
  }
  if (model.draft === null) refuse("not_found");
  requireActive();
  const { content, conflicts } = replay(model);
  if (conflicts.length > 0) refuse("draft_conflict");
  const done = withContent({ ...model, draft: null }, content);
  return done.active === model.active ? discarded(done) : done;
}

/** The model after a move; throws the refusal that the move meets. */
export function move(model: Model, step: Move): Model {
  const requireActive = () => {
    const { expectedVersion } = step;
    if (expectedVersion !== undefined && expectedVersion !== (model.active ?? 0)) refuse("version_conflict");
  };
  if (step.call === "activate") return activate(model, step.version, requireActive);
  if (step.call === "discard") {
    if (model.draft === null) refuse("not_found");
    return discarded(model);
  }
  requireActive();
  if (step.call === "put") return withContent(model, step.content);
  if (step.call === "patch") return withContent(model, apply(contentAt(model, model.active), step.change));
  return stage(model, step.change);
}
