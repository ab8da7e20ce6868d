// Renders what a configuration says about the core rule set as SecLang, for one project. Only the shapes of lines below occur, and nothing
// in them is a name that somebody chose but the project's, which the operator did.
//
// The rule set adds up a score and denies above a threshold (rules 949xxx). Categories that are only logged come after that decision;
// what their rules of phase 1 add is set aside before it. Both names of the scores are used: version 3.3 has one, version 4 the other.
import type { Configuration } from "../../firewall/evaluator/config.ts";
import { UNREADABLE, UNREADABLE_BODY, chooseFiles } from "./categories.ts";
import { renderTypes } from "./content-types.ts";
import { renderExclusions } from "./exclusions.ts";

export interface SeclangInput {
  /** `team/project` as the operator names it. */
  readonly project: string;
  /** Null: none is active. */
  readonly configuration: Configuration | null;
  /** Where the files of the rule set are. */
  readonly rules: string;
  /** Null: what the rule set's own settings say. */
  readonly paranoia: number | null;
  /** Hosts that are only watched; `all`: every one. */
  readonly watched: readonly string[] | "all";
}

export interface Seclang {
  readonly text: string;
  readonly notes: readonly string[];
}

/** The component that the engine's log names. */
export const COMPONENT = "Reeve ";
/** A rule of ours that matches when a request would have been denied. */
export const WOULD_DENY = 87_120;

const SCORES = ["anomaly_score", "inbound_anomaly_score"].flatMap((name) =>
  [1, 2, 3, 4].map((level) => `${name}_pl${level}`),
);
const saved = (at: number) => `tx.reeve_score${at}`;
const setting = (...assignments: readonly string[]) => assignments.map((one) => `setvar:${one}`).join(",");
const addScores = (sum: string) => setting(...SCORES.map((score) => `${sum}=+%{tx.${score}}`));
/** What no score reaches. */
const NEVER = 1_000_000;
const METHODS = "GET HEAD POST OPTIONS PUT PATCH DELETE";
const HOST = /^[a-z0-9.-]{1,253}$/;

function renderWatched(watched: SeclangInput["watched"]): readonly string[] {
  const raise = setting(`tx.inbound_anomaly_score_threshold=${NEVER}`);
  if (watched === "all") return [`SecAction "id:87104,phase:1,pass,nolog,${raise}"`];
  const hosts = watched.filter((host) => HOST.test(host)).map((host) => host.replaceAll(".", String.raw`\.`));
  if (hosts.length === 0) return [];
  const isHost = String.raw`@rx (?i)^(?:${hosts.join("|")})\.?(?::[0-9]*)?$`;
  return [`SecRule SERVER_NAME "${isHost}" "id:87104,phase:1,pass,nolog,t:none,${raise}"`];
}

function renderUnreadable(): readonly string[] {
  const add = setting(
    "tx.anomaly_score_pl1=+%{tx.critical_anomaly_score}",
    "tx.inbound_anomaly_score_pl1=+%{tx.critical_anomaly_score}",
  );
  return [
    // Nothing is no XML, but a type without a body is usual.
    `SecRule REQUEST_BODY_LENGTH "@eq 0" "id:87110,phase:2,pass,nolog,t:none,ctl:ruleRemoveById=${UNREADABLE_BODY}"`,
    ...[...UNREADABLE].map(
      ([id, [variable, test, message]]) =>
        `SecRule ${variable} "${test}" "id:${id},phase:2,pass,log,auditlog,t:none,severity:CRITICAL,msg:'${message}',${add}"`,
    ),
  ];
}

function renderChosen({ configuration, rules, paranoia, watched }: SeclangInput, exclusions: readonly string[]) {
  const { deny, log } = chooseFiles(configuration);
  if (deny.length + log.length === 0) return ["# No category is on."];
  const include = (file: number) => `Include ${rules}/REQUEST-${file}-*.conf`;
  // The second of each: rules above that level are not even tried.
  const levels = ["paranoia", "executing_paranoia", "blocking_paranoia", "detection_paranoia"].map(
    (one) => `tx.${one}_level`,
  );
  const first = [
    ...["reeve_deny", "reeve_log", ...SCORES].map((name) => `tx.${name}=0`),
    ...(paranoia === null ? [] : levels.map((level) => `${level}=${paranoia}`)),
  ];
  return [
    `SecAction "id:87100,phase:1,pass,nolog,${setting(...first)}"`,
    `SecRule &TX:allowed_methods "@eq 0" "id:87101,phase:1,pass,nolog,setvar:'tx.allowed_methods=${METHODS}'"`,
    ...renderTypes(),
    ...exclusions,
    include(901),
    `SecAction "id:87103,phase:1,pass,nolog,${setting("tx.reeve_threshold=%{tx.inbound_anomaly_score_threshold}")}"`,
    ...renderWatched(watched),
    include(905),
    ...(deny.length > 0 ? renderUnreadable() : []),
    ...deny.map(include),
    ...(deny.length > 0 ? [`SecAction "id:87112,phase:2,pass,nolog,${addScores("tx.reeve_deny")}"`, include(949)] : []),
    `SecAction "id:87113,phase:1,pass,nolog,${setting(...SCORES.map((score, at) => `${saved(at)}=%{tx.${score}}`))}"`,
    ...(deny.length > 0 ? [] : renderUnreadable()),
    ...log.map(include),
    `SecAction "id:87114,phase:1,pass,nolog,${addScores("tx.reeve_log")},${setting(
      ...SCORES.flatMap((score, at) => [`tx.reeve_log=-%{${saved(at)}}`, `tx.${score}=%{${saved(at)}}`]),
    )}"`,
    `SecAction "id:87115,phase:2,pass,nolog,${addScores("tx.reeve_log")}"`,
    `SecRule TX:reeve_log "@ge %{tx.reeve_threshold}" "id:${WOULD_DENY},phase:2,pass,log,auditlog,msg:'Would be denied'"`,
    // The engine's log has requests that are denied, or would be, and no others.
    `SecRule TX:reeve_deny "@lt %{tx.reeve_threshold}" "id:87121,phase:5,pass,nolog,chain"`,
    `SecRule TX:reeve_log "@lt %{tx.reeve_threshold}" "ctl:auditEngine=Off"`,
  ];
}

export function renderSeclang(input: SeclangInput): Seclang {
  const { lines, notes } = renderExclusions(input.configuration ?? { rules: [] });
  const text = [
    `# Written by \`reeve gate seclang\` for ${input.project}; changes are overwritten.`,
    `SecComponentSignature "${COMPONENT}${input.project}"`,
    ...renderChosen(input, lines),
  ].join("\n");
  return { text: `${text}\n`, notes };
}
