// The OpenID Connect providers of `REEVE_OIDC_FILE`, a YAML file. docs/single-sign-on.md describes it.
import { dirname, resolve } from "node:path";
import { parseClaimPath } from "../../platform/kernel/text/claim-path.ts";
import { MAX_IDENTIFYING_LENGTH, isIdentifying } from "../../platform/kernel/text/identifying-value.ts";
import { parseYaml } from "../../platform/kernel/text/located-yaml.ts";
import type { LocatedText } from "../../platform/kernel/text/located-yaml.ts";
import { TEAM_ROLES } from "../../platform/kernel/roles.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import { listOf, objectOf, textOf, valueOf } from "../../platform/kernel/settings/file-values.ts";
import type { FieldProblem } from "../../platform/kernel/settings/file-values.ts";
import { ConfigError, readTextFile } from "../../platform/kernel/settings/setting-source.ts";
import { domainName, expected, isProtectedUrl } from "../../platform/kernel/settings/setting-values.ts";

/** Gives a role to people whose claim has a value. */
export type RoleMapping = {
  /** Path of the claim, as platform/kernel/text/claim-path.ts reads it. */
  readonly claim: string;
  /** Compared as text. */
  readonly value: string;
} & (
  | { readonly instance: "administrator" }
  | {
      /** Id or slug. */
      readonly team: string;
      readonly role: TeamRole;
    }
);

export interface OidcProvider {
  /** Part of URLs, the redirect URI among them. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  /** The claim by which the provider says that an e-mail address is its owner's. */
  readonly emailVerifiedClaim: string;
  /** Whether somebody without an account gets one. */
  readonly signUp: boolean;
  /** The domains of addresses that get one; empty: all. */
  readonly domains: readonly string[];
  readonly roles: readonly RoleMapping[];
  /** What a claim means that role mappings name and the provider does not send at all. */
  readonly missingClaims: "none" | "unknown";
}

const ID = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const ISSUER = "an https URL without a query (http is allowed on loopback only)";

function issuer(text: string): string {
  if (!URL.canParse(text)) expected(ISSUER);
  const url = new URL(text);
  const { search, hash, username, password } = url;
  return isProtectedUrl(url) && search + hash + username + password === "" && isIdentifying(text)
    ? text
    : expected(ISSUER);
}

const ID_TEXT = "lower-case letters, digits and dashes, 40 at most, such as keycloak";
const SCOPES_TEXT = "a list of scopes such as [openid, email, profile]";
const VARIABLE_TEXT = "the name of an environment variable that does not begin with REEVE_";

const MISSING_TEXT = "none or unknown";
const CLAIM_TEXT = 'a name such as groups or realm_access.roles, or a list of names as ["a.b","c"]';
const VALUE_TEXT = `a text without control characters, ${MAX_IDENTIFYING_LENGTH} characters at most`;

function missingClaims(text: string): OidcProvider["missingClaims"] {
  return text === "none" || text === "unknown" ? text : expected(MISSING_TEXT);
}

function mappedValue(value: unknown): string {
  const text = ["string", "number", "boolean"].includes(typeof value) ? String(value) : "";
  return isIdentifying(text) ? text : expected(VALUE_TEXT);
}

interface MappingKeys {
  readonly claim: string;
  readonly value: string;
  readonly instance: string | null;
  readonly team: string | null;
  readonly role: TeamRole | null;
}

const mappingKeys = objectOf<MappingKeys>(
  "an object such as { claim: groups, value: admins, instance: administrator }",
  {
    claim: { read: textOf(CLAIM_TEXT, (text) => (parseClaimPath(text) === null ? expected(CLAIM_TEXT) : text)) },
    value: { read: valueOf(mappedValue) },
    instance: {
      read: textOf("administrator", (text) => (text === "administrator" ? text : expected("administrator"))),
      fallback: null,
    },
    team: { read: textOf("the id or the slug of a team"), fallback: null },
    role: {
      read: textOf(`one of ${TEAM_ROLES.join(", ")}`, (text) => {
        return TEAM_ROLES.find((role) => role === text) ?? expected(`one of ${TEAM_ROLES.join(", ")}`);
      }),
      fallback: null,
    },
  },
);

function readMapping(value: unknown, field: string, problems: FieldProblem[]): RoleMapping {
  const before = problems.length;
  const mapping = mappingKeys(value, field, problems);
  if (problems.length > before) return undefined as never;
  const { claim, value: text, instance, team, role } = mapping;
  if (instance !== null && team === null && role === null) return { claim, value: text, instance: "administrator" };
  if (instance === null && team !== null && role !== null) return { claim, value: text, team, role };
  problems.push({ field, message: "expected either instance: administrator, or both team and role" });
  return undefined as never;
}

type ProviderKeys = Omit<OidcProvider, "clientSecret"> & {
  readonly clientSecretFile: string | null;
  readonly clientSecretEnv: string | null;
};

const isSwitch = valueOf((value) => (typeof value === "boolean" ? value : expected("true or false")));

const readFile = objectOf<{ readonly providers: readonly ProviderKeys[] }>("an object with the key providers", {
  providers: {
    read: listOf(
      "a list of providers",
      objectOf<ProviderKeys>("an object with id, name, issuer and clientId", {
        id: { read: textOf(ID_TEXT, (text) => (ID.test(text) ? text : expected(ID_TEXT))) },
        name: {
          read: textOf("a name for people", (text) => (text.length <= 60 ? text : expected("60 characters at most"))),
        },
        issuer: { read: textOf(ISSUER, issuer) },
        clientId: { read: textOf("the id that the provider gave this client") },
        clientSecretFile: { read: textOf("the path of a file"), fallback: null },
        clientSecretEnv: {
          read: textOf(VARIABLE_TEXT, (text) => (/^(?!REEVE_)\w+$/.test(text) ? text : expected(VARIABLE_TEXT))),
          fallback: null,
        },
        scopes: {
          read: listOf(
            SCOPES_TEXT,
            textOf("a scope", (text) => (SCOPE.test(text) ? text : expected("a scope"))),
          ),
          fallback: ["openid", "email", "profile"],
        },
        emailVerifiedClaim: { read: textOf("the name of a claim"), fallback: "email_verified" },
        signUp: { read: isSwitch, fallback: false },
        domains: {
          read: listOf("a list of domains such as [acme.com]", textOf("a domain such as acme.com", domainName)),
          fallback: [],
        },
        roles: { read: listOf("a list of role mappings", readMapping), fallback: [] },
        missingClaims: { read: textOf(MISSING_TEXT, missingClaims), fallback: "none" },
      }),
    ),
  },
});

/** What fields must agree on with each other. */
function refuseContradictions(providers: readonly ProviderKeys[], problems: FieldProblem[]): void {
  for (const [index, { id, scopes, signUp, domains, clientSecretFile, clientSecretEnv }] of providers.entries()) {
    const note = (key: string, message: string) => problems.push({ field: `providers[${index}].${key}`, message });
    if (providers.findIndex((other) => other.id === id) !== index)
      note("id", "expected an id that no provider before has");
    if (!scopes.includes("openid")) note("scopes", "expected openid among the scopes");
    if (domains.length > 0 && !signUp) note("domains", "expected only beside signUp: true");
    if (clientSecretFile !== null && clientSecretEnv !== null) {
      note("clientSecretEnv", "expected to be alone, but clientSecretFile is given too");
    }
  }
}

interface Place {
  readonly file: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** Throws an Error with the problem. */
function readSecretFile(path: string): string {
  const text = readTextFile(path).trim();
  return text === "" ? expected("a file with the client secret, got an empty one") : text;
}

function readSecret(provider: ProviderKeys, field: string, { file, environment }: Place, problems: FieldProblem[]) {
  const { clientSecretFile, clientSecretEnv } = provider;
  if (clientSecretFile !== null) {
    const read = valueOf(() => readSecretFile(resolve(dirname(file), clientSecretFile)));
    return read(null, `${field}.clientSecretFile`, problems);
  }
  if (clientSecretEnv === null) return null;
  const read = valueOf(
    () => environment[clientSecretEnv] || expected(`a variable that is set, but ${clientSecretEnv} is not`),
  );
  return read(null, `${field}.clientSecretEnv`, problems);
}

function refuse(file: string, { lineOf }: LocatedText, problems: readonly FieldProblem[]): never {
  const located = problems.map((problem) => ({ ...problem, line: lineOf(problem.field) }));
  const lines = located
    .toSorted((a, b) => a.line - b.line)
    .map(({ line, field, message }) => `${file}:${line}: ${field === "" ? "" : `${field}: `}${message}`);
  throw new ConfigError(`REEVE_OIDC_FILE: ${lines.join("\n")}`);
}

/** Throws a ConfigError that lists every problem with its line. Relative paths in the file start at its folder. */
export function readOidcFile(file: string, environment: NodeJS.ProcessEnv): readonly OidcProvider[] {
  let text: string;
  try {
    text = readTextFile(file);
  } catch (error) {
    throw new ConfigError(`REEVE_OIDC_FILE: ${(error as Error).message}`);
  }
  const located = parseYaml(text);
  if ("problem" in located) throw new ConfigError(`REEVE_OIDC_FILE: ${file}:${located.line}: ${located.problem}`);
  const problems: FieldProblem[] = [];
  const read = readFile(located.value, "", problems);
  if (problems.length > 0) refuse(file, located, problems);
  refuseContradictions(read.providers, problems);
  const providers = read.providers.map(({ clientSecretFile: _file, clientSecretEnv: _env, ...provider }, index) => ({
    ...provider,
    clientSecret: readSecret(
      read.providers[index] as ProviderKeys,
      `providers[${index}]`,
      { file, environment },
      problems,
    ),
  }));
  if (problems.length > 0) refuse(file, located, problems);
  return providers;
}
