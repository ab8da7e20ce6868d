// Which rules of the OWASP Core Rule Set a category of a configuration stands for. The number in the name of a file, which begins the
// ids of its rules, is the same in versions 3.3 and 4.
import { CRS_CATEGORIES } from "../../firewall/evaluator/config.ts";
import type { CategorySwitch, Configuration, CrsCategory } from "../../firewall/evaluator/config.ts";

const FILES: Readonly<Record<CrsCategory, number>> = {
  sd: 913,
  ma: 922,
  lfi: 930,
  rfi: 931,
  rce: 932,
  php: 933,
  gen: 934,
  xss: 941,
  sqli: 942,
  sf: 943,
  java: 944,
};

/** What is no valid HTTP, or hides from the other rules: on while any category is. */
export const PROTOCOL = "protocol";
const PROTOCOL_FILES = [911, 920, 921] as const;

const FIRST_RULE = 911_000;
const LAST_RULE = 944_999;

export type CategoryAction = CategorySwitch["action"];

/** The files whose rules deny, and those whose rules are only logged, in the order in which they are read. */
export interface ChosenFiles {
  readonly deny: readonly number[];
  readonly log: readonly number[];
}

/** What a configuration does about a category; null: it is off, or the whole configuration is. */
export function actionOf(configuration: Configuration | null, category: string): CategoryAction | null {
  if (!configuration?.firewallEnabled || !configuration.crs) return null;
  if (category === PROTOCOL) {
    const actions = CRS_CATEGORIES.map((name) => actionOf(configuration, name));
    return actions.includes("deny") ? "deny" : actions.includes("log") ? "log" : null;
  }
  const { active, action } = configuration.crs[category as CrsCategory] ?? { active: false };
  return active ? (action === "deny" ? "deny" : "log") : null;
}

export function chooseFiles(configuration: Configuration | null): ChosenFiles {
  const filesThat = (action: CategoryAction) => [
    ...(actionOf(configuration, PROTOCOL) === action ? PROTOCOL_FILES : []),
    ...CRS_CATEGORIES.filter((name) => actionOf(configuration, name) === action).map((name) => FILES[name]),
  ];
  return { deny: filesThat("deny"), log: filesThat("log") };
}

/** The category of a rule; null: it is none of these, such as one that adds up the score. */
export function categoryOf(ruleId: number): string | null {
  const file = Math.floor(ruleId / 1_000);
  if (PROTOCOL_FILES.some((number) => number === file)) return PROTOCOL;
  return CRS_CATEGORIES.find((name) => FILES[name] === file) ?? null;
}

const isCategory = (name: string): name is CrsCategory => CRS_CATEGORIES.some((category) => category === name);

/** The ids of the rules that a name stands for, as ModSecurity writes them; null: it stands for none. */
export function rulesNamed(name: string): string | null {
  if (name === "crs") return `${FIRST_RULE}-${LAST_RULE}`;
  if (isCategory(name)) return `${FILES[name]}000-${FILES[name]}999`;
  return /^9\d{5}$/.test(name) && Number(name) >= FIRST_RULE && Number(name) <= LAST_RULE ? name : null;
}

/** Arguments that the engine looks at, `SecArgumentsLimit` of engine.conf: it leaves out those behind. */
const MOST_ARGUMENTS = 1_000;
export const UNREADABLE_BODY = 87_111;
/** Rules of ours, by id: the engine cannot read the request as the application does. */
export const UNREADABLE: ReadonlyMap<number, readonly [variable: string, test: string, message: string]> = new Map([
  [UNREADABLE_BODY, ["REQBODY_ERROR", "!@eq 0", "The body cannot be read"]],
  [87_116, ["&ARGS", `@ge ${MOST_ARGUMENTS}`, "There are too many arguments"]],
  [87_117, ["MULTIPART_DATA_AFTER", "!@eq 0", "Something follows the last part of the body"]],
]);
