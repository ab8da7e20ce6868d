// The events of a change of a team: one for each field that has a public event type, and one for all others.
import { isDeepStrictEqual } from "node:util";
import type { EventInput } from "../../events/events/emit.ts";
import type { EventType } from "../../events/events/types.ts";
import type { TeamValues } from "./settings.ts";

type Change = Required<Pick<EventInput, "type" | "text" | "payload" | "previous" | "next">>;
type State = Readonly<Record<string, unknown>>;

interface ChangeKind {
  readonly type: EventType;
  /** The part of the team that the event is about. */
  view(values: TeamValues): State;
  text(values: TeamValues): string;
}

const CHANGE_KINDS: readonly ChangeKind[] = [
  {
    type: "team-name-update",
    view: ({ name }) => ({ name }),
    text: ({ name }) => `changed the team's name to ${name}`,
  },
  {
    type: "team-slug-update",
    view: ({ slug }) => ({ slug }),
    text: ({ slug }) => `changed the team's slug to ${slug}`,
  },
  {
    type: "team-avatar-update",
    view: ({ avatar }) => ({ avatar }),
    text: ({ avatar }) => (avatar === null ? "removed the team's avatar" : "changed the team's avatar"),
  },
  {
    type: "team-email-domain-update",
    view: ({ emailDomain }) => ({ emailDomain }),
    text: ({ emailDomain }) =>
      emailDomain === null ? "removed the team's e-mail domain" : `changed the team's e-mail domain to ${emailDomain}`,
  },
  {
    type: "team-remote-caching-update",
    view: ({ remoteCaching }) => ({ remoteCaching }),
    text: ({ remoteCaching }) => `switched remote caching ${remoteCaching.enabled ? "on" : "off"}`,
  },
  {
    type: "team-saml-enforced",
    view: ({ saml }) => ({ enforced: saml.enforced }),
    text: ({ saml }) => (saml.enforced ? "enforced single sign-on" : "no longer enforces single sign-on"),
  },
  {
    type: "team-saml-roles",
    view: ({ saml }) => ({ roles: saml.roles }),
    text: () => "changed the team's single sign-on role mapping",
  },
];

/** Members of the team that have events of their own. */
const WITH_OWN_EVENT = new Set(["name", "slug", "avatar", "emailDomain", "remoteCaching", "saml"]);

function describeRest(before: State, after: State): Change | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !WITH_OWN_EVENT.has(name) && !isDeepStrictEqual(before[name], after[name]),
  );
  if (names.length === 0) return undefined;
  const pick = (values: State) => Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
  return {
    type: "team-collaboration-settings-updated",
    text: `changed the team's settings ${names.join(", ")}`,
    payload: { settings: names },
    previous: pick(before),
    next: pick(after),
  };
}

/** The fields whose values differ, in the order of their events. */
export function describeChanges(before: TeamValues, after: TeamValues): Change[] {
  const events = CHANGE_KINDS.filter(({ view }) => !isDeepStrictEqual(view(before), view(after))).map(
    ({ type, view, text }): Change => ({
      type,
      text: text(after),
      payload: view(after),
      previous: view(before),
      next: view(after),
    }),
  );
  const rest = describeRest(before, after);
  return rest ? [...events, rest] : events;
}
