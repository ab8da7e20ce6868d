// Who may import whom, as data, and the linter's rule that holds every import of `src/` and `console/` against it: imports of values, of
// types, and dynamic ones. ARCHITECTURE.md shows the same to people, and `npm run architecture` draws it.
import { dirname, matchesGlob, relative, resolve, sep } from "node:path";
import { ORDER, RESOURCES, rankOf } from "./order.ts";

interface Boundary {
  /** Paths below `src/`, as globs. Of the boundaries of a file the first one counts. */
  readonly from: string;
  /** What of the earlier folders those files may import; `!` takes away from what stands before it. `{own}` is the file's own resource. */
  readonly may: readonly string[];
  /** Of what else they may import types. */
  readonly types?: readonly string[];
  /** What else they may load with `import()`, when they need it. */
  readonly loads?: readonly string[];
  readonly message: string;
}

const CONTRACTS = "{contract,*-contract,*-schema}.ts";
const STORES = "{store,*-store}.ts";
const IN_RESOURCES = `{${RESOURCES.join(",")}}`;
const KERNEL = "platform/kernel/**";
/** What commands do. */
const BODIES = ["cli/bodies/**", "serve/**"];

const BOUNDARIES: readonly Boundary[] = [
  {
    from: "../console/**",
    may: [
      "../console/**",
      "client/**",
      "platform/kernel/{counts,roles,issued-keys,limit-words}.ts",
      "platform/kernel/text/located-yaml.ts",
      "firewall/evaluator/{config,condition-types,value-doubts}.ts",
      "platform/outcomes/{expectations,decision-text}.ts",
      "events/checkpoints/statement.ts",
      "serve/reference/schema-words.ts",
      "identity/pages/sign-in/passkey-codec.ts",
      "teams/attention/attention-schema.ts",
    ],
    message:
      "the console imports the client, tables of roles, what issued keys may do, the words for limits, tables of firewall conditions, what reads the file of `reeve firewall test`, the text that checkpoints sign, what puts schemas into words, what reads passkeys, and how far the server counts: it is a client of the API",
  },
  {
    from: `${IN_RESOURCES}/**/*.test.ts`,
    may: ["**", "../test/**", "!cli/main.ts", `!**/${STORES}`, "!platform/http/**", "!serve/http-server/**"],
    message: "a resource's tests enter through HTTP, by test/harness/test-app.ts",
  },
  { from: "**/*.test.ts", may: ["**", "../test/**", "!cli/main.ts"], message: "nothing imports main" },
  {
    from: "platform/kernel/**",
    may: [KERNEL, "../package.json"],
    message: "the kernel imports nothing of ours",
  },
  ...["outcomes", "egress"].map((folder) => ({
    from: `platform/${folder}/**`,
    may: [`platform/${folder}/**`, KERNEL],
    message: `platform/${folder} imports the kernel`,
  })),
  { from: "platform/**", may: ["platform/**"], message: "the platform knows no product" },
  {
    from: `${IN_RESOURCES}/**/${CONTRACTS}`,
    may: [`**/${CONTRACTS}`, "firewall/evaluator/{config,decision}.ts", "events/queue/vocabulary.ts", KERNEL],
    message:
      "a contract imports the kernel, the vocabularies of evaluator and queue, and other contracts (and the schemas that they share)",
  },
  {
    from: `${IN_RESOURCES}/**/{rules,*-rules}.ts`,
    may: [`{own}/**/${CONTRACTS}`, "{own}/**/{rules,*-rules}.ts", "firewall/evaluator/**", KERNEL],
    message: "rules import the kernel, the evaluator and their own contract",
  },
  {
    from: `${IN_RESOURCES}/**/${STORES}`,
    may: [`{own}/**/${CONTRACTS}`, `{own}/**/${STORES}`, "{own}/row.ts", KERNEL, "platform/store/**"],
    message: "a resource's store imports the kernel, the platform's store, its own contract and its own rows",
  },
  ...[
    { from: "events/webhooks/**", more: ["events/queue/**"] },
    { from: "firewall/bots/**", more: ["platform/egress/**"] },
    { from: `${IN_RESOURCES}/**`, more: [] },
  ].map(({ from, more }) => ({
    from,
    may: [
      `${IN_RESOURCES}/**`,
      "identity/team-access/**",
      `!**/${STORES}`,
      "{own}/**",
      ...more,
      "firewall/evaluator/**",
      "platform/{keyring,store/search,store/removals}/**",
      KERNEL,
    ],
    types: ["platform/store/**"],
    message:
      "a service imports the kernel, keyring, the store's search and removals and otherwise its types, the evaluator, its own resource, and of other resources all but their store; that of webhooks imports the queue too, that of bots egress",
  })),
  {
    from: "events/queue/**",
    may: ["events/queue/**", "events/events/**", `!events/events/**/${STORES}`, "platform/store/**", KERNEL],
    message: "the queue imports the kernel, the store and the resource of events",
  },
  {
    from: "events/delivery/**",
    may: ["events/**", `!events/{events,webhooks,mails}/**/${STORES}`, "platform/{store,egress}/**", KERNEL],
    message: "delivery imports the kernel, store, egress, the queue, and the resources of events, mails and webhooks",
  },
  {
    from: "firewall/evaluator/**",
    may: ["firewall/evaluator/**", KERNEL],
    message: "the evaluator imports the kernel",
  },
  {
    from: "identity/team-access/**",
    may: ["identity/team-access/**", "platform/store/**", KERNEL],
    message: "what a caller may do in a team is found in the store",
  },
  {
    from: "identity/pages/**",
    may: ["identity/**", `!**/${STORES}`, "platform/http/**", KERNEL],
    message: "pages import http, kernel, and what signs people in",
  },
  {
    from: "identity/**",
    may: ["identity/**", `!**/${STORES}`, KERNEL],
    message: "signing in imports the kernel and the services of accounts",
  },
  {
    from: "firewall/**",
    may: ["firewall/**", `!**/${STORES}`, "platform/{egress,store}/**", KERNEL],
    message: "what the firewall does outside of transactions imports the kernel, egress and the threads of the store",
  },
  {
    from: "gate/**",
    may: ["gate/**", "firewall/evaluator/**", KERNEL],
    message: "the gate imports the kernel and the evaluator: it works without the control plane",
  },
  {
    from: "contracts.ts",
    may: [`**/${CONTRACTS}`, "platform/kernel/contract.ts"],
    message: "contracts.ts lists contracts",
  },
  {
    from: "client/**",
    may: ["client/**", "platform/kernel/text/{retry-after,nearest-name}.ts"],
    types: ["contracts.ts"],
    message:
      "the client imports types of contracts.ts, the reader of Retry-After and what finds the nearest name: programs get no more than it needs",
  },
  {
    from: "cli/bodies/**",
    may: ["**", "!cli/*.ts", "!cli/{commands,resources,value-files}/**"],
    message: "what a command does knows nothing of the command line",
  },
  {
    from: "cli/**",
    may: [
      "cli/**",
      "!cli/bodies/**",
      "!cli/main.ts",
      "client/**",
      "contracts.ts",
      "serve/config/**",
      "platform/outcomes/**",
      KERNEL,
      "cli/bodies/{input,json-error}.ts",
      "cli/bodies/remote/{place-names,place-failure,remote-failure}.ts",
    ],
    types: BODIES,
    loads: BODIES,
    message:
      "the command line imports kernel, outcomes, the client, contracts.ts, and what commands read and say of a server elsewhere; it loads the body of a command when that runs",
  },
  {
    from: "**",
    may: ["**", "!cli/main.ts"],
    message: "nothing imports main, and the product imports no tests and no tools",
  },
];

/** What is wrong with the direction of an import, or null. A test may look at everything. */
function findUpward(from: string, to: string): string | null {
  const [rank, imported] = [rankOf(from), rankOf(to)];
  if (rank < 0 || imported <= rank || from.endsWith(".test.ts")) return null;
  return `${ORDER[rank]} comes before ${ORDER[imported]} and does not import it: let it be handed what it needs`;
}

/** How a module is imported: its values, its types, or with `import()`. */
type ImportKind = "value" | "type" | "load";

/** What is wrong with an import, or null. Paths are relative to `src/`. */
export function findViolation(from: string, to: string, kind: ImportKind): string | null {
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
