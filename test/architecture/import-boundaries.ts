// Who may import whom, as data, and the linter's rule that holds every import of `src/` and `console/` against it: imports of values, of
// types, and dynamic ones. ARCHITECTURE.md shows the same table to people.
import { dirname, matchesGlob, relative, resolve, sep } from "node:path";

interface Boundary {
  /** Paths below `src/`, as globs. Of the boundaries of a file the first one counts. */
  readonly from: string;
  /** What those files may import; `!` takes away from what stands before it. `{own}` is the folder of the file's own resource. */
  readonly may: readonly string[];
  /** Of what else they may import types. */
  readonly types?: readonly string[];
  /** What else they may load with `import()`, when they need it. */
  readonly loads?: readonly string[];
  readonly message: string;
}

const CONTRACTS = "{contract,*-contract,*-schema}.ts";
const STORES = "{store,*-store}.ts";

/** The folders that run everything below them. Each imports those before it. */
const UPPER = ["observability", "server", "backup", "commands"];

/** Where the bodies of commands are. */
const BODIES = ["commands/**", "backup/**", "server/**"];

export const BOUNDARIES: readonly Boundary[] = [
  {
    from: "../console/**",
    may: [
      "../console/**",
      "client/**",
      "kernel/{roles,issued-keys,limit-words}.ts",
      "platform/kernel/text/located-yaml.ts",
      "evaluator/{config,condition-types}.ts",
      "outcomes/{expectations,decision-text}.ts",
      "events/checkpoints/statement.ts",
      "serve/reference/schema-words.ts",
      "identity/pages/sign-in/passkey-codec.ts",
    ],
    message:
      "the console imports the client, tables of roles, what issued keys may do, the words for limits, tables of firewall conditions, what reads the file of `reeve firewall test`, the text that checkpoints sign, what puts schemas into words, and what reads passkeys: it is a client of the API",
  },
  {
    from: "resources/**/*.test.ts",
    may: ["**", "../test/**", "!main.ts", `!**/${STORES}`, "!http/**"],
    message: "a resource's tests enter through HTTP, by test/harness/test-app.ts",
  },
  { from: "**/*.test.ts", may: ["**", "../test/**", "!main.ts"], message: "nothing imports main" },
  { from: "kernel/**", may: ["kernel/**"], message: "kernel imports nothing of ours" },
  {
    from: "outcomes/**",
    may: ["outcomes/**", "kernel/**"],
    message: "outcomes, what commands and the server report, import kernel",
  },
  { from: "config/**", may: ["config/**", "keyring/**", "kernel/**"], message: "config imports kernel and keyring" },
  ...["keyring", "store", "evaluator"].map((folder) => ({
    from: `${folder}/**`,
    may: [`${folder}/**`, "kernel/**"],
    message: `${folder} imports kernel`,
  })),
  {
    from: "gate/**",
    may: ["gate/**", "evaluator/**", "kernel/**", "config/{gate-setting-values,setting-values}.ts"],
    message:
      "the gate imports kernel, evaluator and the readers of values of settings: it works without the control plane",
  },
  {
    from: "operations/**",
    may: ["operations/**", "kernel/**", "store/**"],
    message: "operations import kernel and store",
  },
  {
    from: "http/**",
    may: ["http/**", "operations/**", "kernel/**", "store/**"],
    types: ["sign-in/**"],
    message: "http imports operations, kernel and store, and types of sign-in",
  },
  {
    from: "sign-in/**",
    may: [
      "sign-in/**",
      "resources/{api-keys,sessions,sign-in,users,tokens,oauth,members,invites}/**",
      `!resources/**/${STORES}`,
      "config/**",
      "operations/**",
      "kernel/**",
    ],
    types: ["internal-commands.ts"],
    message: "sign-in imports operations, kernel, config and the services of accounts and teams",
  },
  {
    from: `resources/**/${CONTRACTS}`,
    may: [`resources/**/${CONTRACTS}`, "evaluator/{config,decision}.ts", "events/queue/vocabulary.ts", "kernel/**"],
    message:
      "a contract imports kernel, the vocabularies of evaluator and queue, and other contracts (and the schemas that they share)",
  },
  {
    from: "resources/**/{rules,*-rules}.ts",
    may: [`{own}/**/${CONTRACTS}`, "{own}/**/{rules,*-rules}.ts", "evaluator/**", "kernel/**"],
    message: "rules import kernel, evaluator and their own contract",
  },
  {
    from: `resources/**/${STORES}`,
    may: [`{own}/**/${CONTRACTS}`, `{own}/**/${STORES}`, "{own}/row.ts", "kernel/**", "store/**"],
    message: "a resource's store imports kernel, store, its own contract and its own rows",
  },
  ...[
    { from: "events/webhooks/**", queue: ["events/queue/**"] },
    { from: "resources/**", queue: [] },
  ].map(({ from, queue }) => ({
    from,
    may: ["resources/**", `!resources/**/${STORES}`, "{own}/**", ...queue, "evaluator/**", "kernel/**"],
    types: ["store/**"],
    message:
      "a service imports kernel, evaluator, types of store, its own resource, and of other resources all but their store; that of webhooks imports the queue too",
  })),
  {
    from: "events/queue/**",
    may: ["events/queue/**", "events/events/**", `!resources/**/${STORES}`, "kernel/**", "store/**"],
    message: "the queue imports kernel, store and the resource of events",
  },
  {
    from: "delivery/**",
    may: ["delivery/**", "kernel/**", "store/**", "resources/{events,mails,webhooks}/**"],
    message: "delivery imports kernel, store, and the resources of events, mails and webhooks",
  },
  {
    from: "client/**",
    may: ["client/**", "platform/kernel/text/{retry-after,nearest-name}.ts"],
    types: ["contracts.ts"],
    message:
      "the client imports types of contracts.ts, the reader of Retry-After and what finds the nearest name: programs get no more than it needs",
  },
  {
    from: "cli/**",
    may: [
      "cli/**",
      "client/**",
      "config/**",
      "kernel/**",
      "outcomes/**",
      "version.ts",
      "contracts.ts",
      "commands/{input,json-error}.ts",
      "cli/bodies/remote/{place-names,place-failure,remote-failure}.ts",
    ],
    types: BODIES,
    loads: BODIES,
    message:
      "the command line imports kernel, outcomes, config, the client, contracts.ts, and what commands read and say of a server elsewhere; it loads the body of a command when that runs",
  },
  ...UPPER.map((folder, at) => ({
    from: `${folder}/**`,
    may: ["**", "!main.ts", "!cli/**", ...UPPER.slice(at + 1).map((above) => `!${above}/**`)],
    message: `${folder} imports neither what stands above it (${[...UPPER.slice(at + 1), "cli"].join(", ")}) nor main`,
  })),
  {
    from: "{main,generate,cli-reference}.ts",
    may: ["**", "../package.json", "!main.ts"],
    message: "nothing imports main",
  },
  {
    from: "**",
    may: ["**", "../package.json", "!main.ts", "!cli/**"],
    message: "nothing imports main and the command line, and the product imports no tests and no benchmarks",
  },
];

/** The folders of `src/resources/`. Each may import those before it. */
export const RESOURCE_ORDER: readonly string[] = [
  "search",
  "projects",
  "removals",
  "events",
  "master-keys",
  "api-keys",
  "mails",
  "users",
  "sessions",
  "sign-in",
  "tokens",
  "invites",
  "members",
  "oauth",
  "access-requests",
  "teams",
  "secrets",
  "environments",
  "attack-mode",
  "firewall",
  "bypasses",
  "bots",
  "traffic",
  "evaluation",
  "decisions",
  "gate",
  "webhooks",
  "checkpoints",
  "key-use",
  "instance",
];

/** The place in the order of the resource that a file belongs to; -1 for files of none. */
function rankOf(path: string): number {
  const [folder, resource = ""] = path.split("/");
  return folder === "resources" ? RESOURCE_ORDER.indexOf(resource) : -1;
}

/** What is wrong with an import of one resource by another, or null. A test may look at all of them. */
function findUpward(from: string, to: string): string | null {
  const [rank, imported] = [rankOf(from), rankOf(to)];
  if (rank < 0 || imported <= rank || from.endsWith(".test.ts")) return null;
  return `${RESOURCE_ORDER[rank]} comes before ${RESOURCE_ORDER[imported]} and does not import it: hand it what it needs`;
}

/** How a module is imported: its values, its types, or with `import()`. */
type ImportKind = "value" | "type" | "load";

/** What is wrong with an import, or null. Paths are relative to `src/`. */
function findViolation(from: string, to: string, kind: ImportKind): string | null {
  const boundary = BOUNDARIES.find((one) => matchesGlob(from, one.from));
  if (boundary === undefined) return null;
  const own = from.split("/").slice(0, 2).join("/");
  const isIn = (globs: readonly string[] = []) => {
    const last = globs.findLast((glob) => matchesGlob(to, glob.replace(/^!/, "").replace("{own}", own)));
    return last !== undefined && !last.startsWith("!");
  };
  const more = { value: [], type: boundary.types, load: boundary.loads }[kind];
  const isAllowed = isIn(boundary.may) || isIn(more);
  return isAllowed ? findUpward(from, to) : boundary.message;
}

/** What this rule sees of a module's syntax, in ESTree's terms. */
interface ImportNode {
  readonly type: string;
  readonly source: { readonly type: string; readonly value?: unknown } | null;
  readonly importKind?: string;
  readonly exportKind?: string;
}

interface RuleContext {
  readonly cwd: string;
  readonly filename: string;
  report(finding: { readonly node: unknown; readonly message: string }): void;
}

const plugin = {
  meta: { name: "reeve" },
  rules: {
    "import-boundaries": {
      create(context: RuleContext) {
        const src = resolve(context.cwd, "src");
        const toPath = (file: string) => relative(src, file).split(sep).join("/");
        const from = toPath(context.filename);
        if (from.startsWith("..") && !from.startsWith("../console/")) return {};
        function check(node: ImportNode): void {
          const { source } = node;
          if (source?.type !== "Literal" || typeof source.value !== "string" || !source.value.startsWith(".")) return;
          const to = toPath(resolve(dirname(context.filename), source.value));
          const isType = node.importKind === "type" || node.exportKind === "type";
          const kind = node.type === "ImportExpression" ? "load" : isType ? "type" : "value";
          const message = findViolation(from, to, kind);
          if (message !== null) context.report({ node: source, message });
        }
        return {
          ImportDeclaration: check,
          ExportNamedDeclaration: check,
          ExportAllDeclaration: check,
          ImportExpression: check,
        };
      },
    },
  },
};

// oxlint loads plugins by their default export.
// oxlint-disable-next-line import/no-default-export
export default plugin;
