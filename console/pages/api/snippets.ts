// Calls written out for people: curl, TypeScript, and the function of `@vercel/sdk` that does the same.
import type { Operation } from "./operations.ts";

export interface Snippet {
  /** In the page's address, too. */
  readonly language: "curl" | "typescript" | "sdk";
  readonly text: string;
}

interface Call {
  readonly url: string;
  readonly method: string;
  /** A value that ends in `$NAME` is the environment's. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: unknown;
  readonly isStream: boolean;
}

const TOKEN = "REEVE_TOKEN";
const SESSION = "REEVE_SESSION";

/** The parameters of the example. */
export function examplesIn(
  { access, parameters }: Operation,
  place: "path" | "query",
): [name: string, example: string | number | boolean][] {
  // The team is in the query only where the call is about an owner that nothing else names.
  const isWanted = (name: string) => place === "path" || name !== "teamId" || access === "owner";
  return parameters.flatMap(({ name, in: own, example }) =>
    own === place && example !== undefined && isWanted(name) ? [[name, example]] : [],
  );
}

/** The URL of the example; `base` ends with a slash. */
export function exampleUrl(operation: Operation, base: string): string {
  const inPath = new Map(examplesIn(operation, "path"));
  const filled = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(inPath.get(name) ?? name)),
  );
  const query = examplesIn(operation, "query").map(([name, example]) => [name, String(example)]);
  const text = new URLSearchParams(query).toString();
  return base + filled.slice(1) + (text === "" ? "" : `?${text}`);
}

function credentialOf({ access, method }: Operation, base: string): [string, string][] {
  if (access === null) return [];
  if (access !== "session") return [["authorization", `Bearer $${TOKEN}`]];
  const cookie = base.startsWith("https:") ? "__Host-reeve" : "reeve";
  // A change by a session has to come from the server's own pages.
  const origin: [string, string][] = method === "GET" ? [] : [["origin", new URL(base).origin]];
  return [["cookie", `${cookie}=$${SESSION}`], ...origin];
}

function callOf(operation: Operation, base: string): Call {
  const isStream = operation.forms.every(({ type }) => type === "text/event-stream") && operation.forms.length > 0;
  const body = operation.body?.example;
  return {
    url: exampleUrl(operation, base),
    method: operation.method,
    headers: [
      ...credentialOf(operation, base),
      ...(isStream ? [["accept", "text/event-stream"] as const] : []),
      ...(body === undefined ? [] : [["content-type", "application/json"] as const]),
    ],
    body,
    isStream,
  };
}

/** The text as one word of a shell, which takes nothing in it for a variable or a command. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `$NAME` stays a variable of the shell. */
function curlHeader([name, value]: readonly [string, string]): string {
  const text = `${name}: ${value}`;
  return `-H ${value.includes("$") ? `"${text}"` : quoted(text)}`;
}

function curl({ url, method, headers, body, isStream }: Call): string {
  const options = [...(method === "GET" ? [] : [`-X ${method}`]), ...(isStream ? ["-N"] : [])].map(
    (option) => ` ${option}`,
  );
  return [
    `curl${options.join("")} ${quoted(url)}`,
    ...headers.map(curlHeader),
    ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ].join(" \\\n  ");
}

/** JSON as people write it in TypeScript: names without quotes where they need none. */
export function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, "$1$2:");
}

function indented(text: string, by: string): string {
  return text.replaceAll("\n", `\n${by}`);
}

function header([name, value]: readonly [string, string]): string {
  const key = /^[a-z]+$/.test(name) ? name : `"${name}"`;
  const text = value.includes("$") ? `\`${value.replace(/\$(\w+)/, "${process.env.$1}")}\`` : JSON.stringify(value);
  return `    ${key}: ${text},`;
}

/** How the response is read. */
function reading({ forms, status }: Operation, isStream: boolean): string[] {
  if (status === 204) return [];
  if (isStream) {
    return ["for await (const text of response.body!.pipeThrough(new TextDecoderStream())) console.log(text);"];
  }
  const isJson = forms.some(({ type }) => type === "application/json");
  return [`const result = await response.${isJson ? "json" : "text"}();`];
}

function typescript(operation: Operation, { url, method, headers, body, isStream }: Call): string {
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    ...(headers.length === 0 ? [] : ["  headers: {", ...headers.map(header), "  },"]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(literal(body), "  ")}),`]),
  ];
  const rest = options.length === 0 ? "" : `, {\n${options.join("\n")}\n}`;
  return [
    `const response = await fetch(${JSON.stringify(url)}${rest});`,
    "if (!response.ok) throw new Error(await response.text());",
    ...reading(operation, isStream),
  ].join("\n");
}

function sdk({ function: name, request }: NonNullable<Operation["sdk"]>, base: string): string {
  return [
    `import { Vercel } from "@vercel/sdk";`,
    "",
    "const vercel = new Vercel({",
    `  bearerToken: process.env.${TOKEN},`,
    `  serverURL: ${JSON.stringify(base)},`,
    "});",
    `const result = await vercel.${name}(${request === undefined ? "" : literal(request)});`,
  ].join("\n");
}

/** Every way of writing an operation's example; `base` is the API's own URL, with a slash at the end. */
export function snippetsOf(operation: Operation, base: string): readonly Snippet[] {
  const call = callOf(operation, base);
  return [
    { language: "curl", text: curl(call) },
    { language: "typescript", text: typescript(operation, call) },
    ...(operation.sdk ? [{ language: "sdk" as const, text: sdk(operation.sdk, base) }] : []),
  ];
}
