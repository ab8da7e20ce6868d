// The writes of one team's mixed load, one after another: its people, secrets, firewall and events. Each write knows the state
// of the team after it, so the applied writes and their order determine the team's state.
import { randomInt } from "node:crypto";
import type { Body } from "../../harness/test-app.ts";
import { denyPath } from "../../resources/firewalls.ts";

const ROLES = ["MEMBER", "DEVELOPER", "BILLING"] as const;
const LARGE_BYTES = 20_000;
export const PROJECT = "load";
export const PUBLISHED = "deployment.created";

export interface TeamState {
  name: string;
  /** Invited people and their roles. */
  readonly members: Map<string, string>;
  /** The one rule of the active firewall configuration. */
  rule: string | null;
  /** By the id of the write that created them. */
  readonly secrets: Map<string, { name: string; value: string; version: number }>;
}

export interface Write {
  /** Sent as `X-Request-Id`; every event of the write contains it. */
  readonly id: string;
  readonly kind: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** It has an idempotency key, so it is repeated until it has a response. */
  readonly isRepeated: boolean;
  /** Codes of its permitted refusals. */
  readonly refusals: readonly string[];
  apply(state: TeamState): void;
}

/** What the sender of a write knows about it. */
export type Outcome =
  | { readonly kind: "acknowledged"; readonly body: Body }
  | { readonly kind: "refused"; readonly code: string }
  | { readonly kind: "undecided" };

export interface TeamPlan {
  /** The next write; the first two create the team and its webhook. */
  next(): Write;
  /** Records the outcome of the last write. */
  note(outcome: Outcome): void;
}

export interface TeamSetting {
  readonly slug: string;
  /** Ids of accounts that it may invite. */
  readonly people: readonly string[];
  readonly hookUrl: string;
  readonly ordering: "strict" | "parallel";
}

export function emptyTeam(): TeamState {
  return { name: "", members: new Map(), rule: null, secrets: new Map() };
}

function pick<T>(values: readonly T[]): T {
  return values[randomInt(values.length)] as T;
}

const nothing = () => undefined;

export function planTeam({ slug, people, hookUrl, ordering }: TeamSetting): TeamPlan {
  let count = 0;
  let applyOutcome: (outcome: Outcome) => void = nothing;
  const secrets: { readonly handle: string; readonly uid: string }[] = [];
  /** People who are absent are not invited; `unsure` after a write with an unknown outcome. */
  const roles = new Map<string, string>();
  /** Configurations that certainly exist; none while the active one is unknown. */
  let versions: { readonly number: number; readonly rule: string }[] = [];
  let active = 0;

  const inTeam = (path: string, more = "") => `${path}?slug=${slug}${more}`;

  /** `whenDecided` and `whenNot` update the plan's own knowledge. */
  function write(
    kind: string,
    method: string,
    path: string,
    body: unknown,
    apply: (state: TeamState, id: string) => void,
    {
      isRepeated = false,
      refusals = [],
      whenKnown = nothing,
      whenNot = nothing,
    }: {
      isRepeated?: boolean;
      refusals?: readonly string[];
      whenKnown?: (body: Body, id: string) => void;
      whenNot?: () => void;
    } = {},
  ): Write {
    const id = `${slug}.${count}`;
    applyOutcome = (outcome) => (outcome.kind === "acknowledged" ? whenKnown(outcome.body, id) : whenNot());
    return { id, kind, method, path, body, isRepeated, refusals, apply: (state) => apply(state, id) };
  }

  const isChance = (one: number) => randomInt(one) === 0;
  const fresh = (what: string) => `${what}-${count}`;

  function renameTeam(): Write {
    const name = fresh("name");
    return write("team-rename", "PATCH", `/v2/teams/${slug}`, { name }, (state) => {
      state.name = name;
    });
  }

  function changePeople(): Write {
    const uid = pick(people);
    const known = roles.get(uid);
    const path = `/v1/teams/${slug}/members/${uid}`;
    const whenNot = () => roles.set(uid, "unsure");
    if (known === undefined) {
      const role = pick(ROLES);
      return write(
        "member-invite",
        "POST",
        `/v1/teams/${slug}/members`,
        { uid, role },
        (state) => state.members.set(uid, role),
        { refusals: ["already_invited"], whenKnown: () => roles.set(uid, role), whenNot },
      );
    }
    const refusals = ["member_not_found"];
    if (known === "unsure" || isChance(2)) {
      const whenKnown = () => roles.delete(uid);
      return write("member-withdraw", "DELETE", path, undefined, (state) => state.members.delete(uid), {
        refusals,
        whenKnown,
        whenNot: known === "unsure" ? whenKnown : whenNot,
      });
    }
    const role = pick(ROLES.filter((other) => other !== known));
    return write("member-role", "PATCH", path, { role }, (state) => state.members.set(uid, role), {
      refusals,
      whenKnown: () => roles.set(uid, role),
      whenNot,
    });
  }

  function createSecret(): Write {
    const [name, value] = [fresh("secret"), fresh("value")];
    return write(
      "secret-create",
      "POST",
      inTeam("/v2/secrets"),
      { name, value, decryptable: true },
      (state, id) => state.secrets.set(id, { name, value, version: 1 }),
      { isRepeated: isChance(2), whenKnown: ({ uid }, handle) => secrets.push({ handle, uid }) },
    );
  }

  function changeSecret(): Write {
    if (secrets.length === 0) return createSecret();
    const { handle, uid } = pick(secrets);
    const path = inTeam(`/v2/secrets/${uid}`);
    if (isChance(3)) {
      const name = fresh("renamed");
      return write("secret-rename", "PATCH", path, { name }, ({ secrets: all }) => {
        const secret = all.get(handle);
        if (secret) secret.name = name;
      });
    }
    const value = fresh("value");
    return write("secret-value", "PUT", path, { value }, ({ secrets: all }) => {
      const secret = all.get(handle);
      if (secret) all.set(handle, { ...secret, value, version: secret.version + 1 });
    });
  }

  function changeFirewall(): Write {
    const whenNot = () => (versions = []);
    const others = versions.filter(({ number }) => number !== active);
    if (others.length > 0 && isChance(2)) {
      const { number, rule } = pick(others);
      const path = inTeam(`/v1/firewalls/${number}/activate`, `&projectId=${PROJECT}`);
      const apply = (state: TeamState) => void (state.rule = rule);
      return write("firewall-activate", "POST", path, undefined, apply, {
        whenKnown: () => (active = number),
        whenNot,
      });
    }
    const rule = fresh("rule");
    const path = inTeam("/v1/firewalls", `&projectId=${PROJECT}`);
    const body = { firewallEnabled: true, rules: [denyPath(rule)] };
    const apply = (state: TeamState) => void (state.rule = rule);
    return write("firewall-put", "PUT", path, body, apply, {
      whenKnown({ active: { version } }) {
        versions.push({ number: version, rule });
        // Older ones than a hundred make room.
        if (versions.length > 50) versions.shift();
        active = version;
      },
      whenNot,
    });
  }

  function publish(): Write {
    const payload = { n: count, ...(isChance(12) && { large: "x".repeat(LARGE_BYTES) }) };
    const body = { type: PUBLISHED, payload };
    return write("event-publish", "POST", inTeam("/v1/events"), body, nothing, { isRepeated: isChance(3) });
  }

  /** A refused write leaves no trace. */
  function sendNonsense(): Write {
    const [first] = secrets;
    if (first !== undefined && isChance(2)) {
      const body = { name: first.uid, value: "x" };
      return write("nonsense", "POST", inTeam("/v2/secrets"), body, nothing, { refusals: ["invalid_secret_name"] });
    }
    const body = { type: PUBLISHED, payload: { n: count }, wrong: 1 };
    return write("nonsense", "POST", inTeam("/v1/events"), body, nothing, { refusals: ["bad_request"] });
  }

  const mix: readonly (readonly [weight: number, make: () => Write])[] = [
    [1, renameTeam],
    [3, changePeople],
    [1, createSecret],
    [4, changeSecret],
    [3, changeFirewall],
    [5, publish],
    [1, sendNonsense],
  ];
  const wheel = mix.flatMap(([weight, make]) => Array.from({ length: weight }, () => make));

  function begin(): Write {
    if (count === 1) {
      const body = { slug, name: slug };
      const apply = (state: TeamState) => void (state.name = slug);
      return write("team-create", "POST", "/v1/teams", body, apply, { isRepeated: true });
    }
    const body = { url: hookUrl, events: ["*"], ordering };
    return write("webhook-create", "POST", inTeam("/v1/webhooks"), body, nothing, { isRepeated: true });
  }

  return {
    next() {
      count++;
      return count <= 2 ? begin() : pick(wheel)();
    },
    note: (outcome) => applyOutcome(outcome),
  };
}
