// The settings of a team: their defaults, and the stored form, which has only the differences from them.
import { isDeepStrictEqual } from "node:util";
import { DEFAULT_JOIN_LINK } from "../invites/join-link.ts";
import { CHOSEN_COLUMNS } from "./store.ts";
import type { ChosenColumns, TeamRow } from "./store.ts";
import type { TeamSettings } from "./team-schema.ts";

/** The members of a team that its OWNERs choose, in the form of responses. */
export type TeamValues = TeamSettings & ChosenColumns & { readonly slug: string };

const DEFAULT_SETTINGS: TeamSettings = {
  emailDomain: null,
  previewDeploymentSuffix: null,
  resourceConfig: {},
  remoteCaching: { enabled: true },
  saml: { enforced: false, roles: {} },
  sensitiveEnvironmentVariablePolicy: "default",
  enablePreviewFeedback: "default",
  enableProductionFeedback: "default",
  hideIpAddresses: false,
  hideIpAddressesInLogDrains: false,
  ...DEFAULT_JOIN_LINK,
};

/** The stored settings of a team with only defaults. Most teams have these, so they are not parsed. */
const NO_SETTINGS = "{}";

export function readSettings(text: string): TeamSettings {
  return text === NO_SETTINGS ? DEFAULT_SETTINGS : { ...DEFAULT_SETTINGS, ...(JSON.parse(text) as TeamSettings) };
}

/** The settings that have no column and differ from the default, in the form in which they are served. */
function writeSettings(settings: TeamSettings): string {
  const columns: readonly string[] = CHOSEN_COLUMNS;
  const chosen = Object.entries(settings).filter(
    ([name, value]) =>
      !columns.includes(name) && !isDeepStrictEqual(value, DEFAULT_SETTINGS[name as keyof TeamSettings]),
  );
  return JSON.stringify(Object.fromEntries(chosen));
}

/** The stored settings of a new team, of which the caller can choose only some. */
export function newSettings(chosen: Partial<Pick<TeamSettings, "inviteCodeRole" | "inviteCodeEnabled">>): string {
  return writeSettings({ ...DEFAULT_SETTINGS, ...chosen });
}

const columnsOf = (source: ChosenColumns) =>
  Object.fromEntries(CHOSEN_COLUMNS.map((name) => [name, source[name]])) as ChosenColumns;

export function readValues(row: TeamRow): TeamValues {
  return { slug: row.slug, ...columnsOf(row), ...readSettings(row.settings) };
}

/** The values as columns of the team's row. */
export function writeValues({ slug, ...values }: TeamValues) {
  return { slug, ...columnsOf(values), settings: writeSettings(values) };
}
