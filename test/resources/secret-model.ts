// A naive model of a few secrets and their names, without the tested code.

export interface HeldName {
  readonly name: string;
  kind: "current" | "alias" | "former";
}

/** The expected state of a secret; it keeps its position among `secrets`, which are in the order of creation. */
export interface ModelSecret {
  id: string;
  /** Oldest first. */
  readonly names: HeldName[];
  version: number;
  state: "living" | "deleted" | "destroyed";
  /** Its position among all deletions. */
  deletion: number;
}

export interface Model {
  secrets: ModelSecret[];
  deletions: number;
}

/** Refuses a move; what it had changed in the model by then is thrown away. */
export class Refusal extends Error {}

export function refuse(code: string): never {
  throw new Refusal(code);
}

export const key = (name: string) => name.toLowerCase();
export const currentOf = ({ names }: ModelSecret) => names.find(({ kind }) => kind === "current") as HeldName;
export const living = ({ secrets }: Model) => secrets.filter(({ state }) => state === "living");

/** What a living secret answers to. */
export function holds(secret: ModelSecret, name: string): HeldName | undefined {
  return secret.names.find((held) => held.kind !== "former" && key(held.name) === key(name));
}

export function holderOf(model: Model, name: string): ModelSecret | undefined {
  return living(model).find((secret) => holds(secret, name));
}

export function forChange(model: Model, name: string): ModelSecret {
  const secret = holderOf(model, name) ?? refuse("not_found");
  return holds(secret, name)?.kind === "alias" ? refuse("secret_is_alias") : secret;
}

export function take(model: Model, secret: ModelSecret, name: string): void {
  if (living(model).some((other) => other !== secret && holds(other, name))) refuse("secret_name_taken");
  for (const held of secret.names) if (held.kind === "alias" && key(held.name) === key(name)) held.kind = "former";
  secret.names.push({ name, kind: "current" });
}

export interface Renaming {
  readonly from: string;
  readonly to: string;
  readonly keepAlias: boolean;
}

export function renameAll(model: Model, renames: readonly Renaming[]): void {
  const secrets: ModelSecret[] = [];
  for (const { from } of renames) {
    const secret = forChange(model, from);
    if (secrets.includes(secret)) refuse("bad_request");
    secrets.push(secret);
  }
  const made = renames
    .map((one, at) => ({ ...one, secret: secrets[at] as ModelSecret }))
    .filter(({ secret, to }) => currentOf(secret).name !== to);
  for (const { secret, keepAlias } of made) currentOf(secret).kind = keepAlias ? "alias" : "former";
  for (const { secret, to } of made) take(model, secret, to);
}

export function remove(model: Model, secret: ModelSecret, isPermanent: boolean): void {
  secret.state = isPermanent ? "destroyed" : "deleted";
  secret.deletion = ++model.deletions;
}

export function restore(model: Model, secret: ModelSecret | undefined, newName: string | undefined): void {
  if (secret?.state !== "deleted") return refuse("not_found");
  const old = currentOf(secret);
  const name = newName ?? old.name;
  if (holderOf(model, name)) refuse("secret_name_taken");
  for (const held of secret.names) {
    if (held.kind === "alias" && (holderOf(model, held.name) || key(held.name) === key(name))) held.kind = "former";
  }
  if (name !== old.name) {
    old.kind = "former";
    secret.names.push({ name, kind: "current" });
  }
  secret.state = "living";
}
