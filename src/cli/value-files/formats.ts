// Values of an environment as files: written by `env pull`, read by `env diff` and `env push`.
import { hash } from "node:crypto";
import { extname } from "node:path";
import { Option } from "commander";
import { findEncodingProblem } from "../../platform/kernel/text/decode-text.ts";
import { findDuplicate } from "../../platform/kernel/text/duplicate-members.ts";
import { renderEnvText } from "../../platform/kernel/text/env-text.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { explainJson } from "../bodies/json-error.ts";
import { shownFile, textOf } from "../bodies/input.ts";
import type { EnvironmentPlace } from "../bodies/remote/place-names.ts";
import { parseDotenv } from "./dotenv.ts";
import { renderDotenv } from "./dotenv-text.ts";
import { parseShell } from "./shell-text.ts";

const FORMATS = ["dotenv", "json", "yaml", "shell", "kubernetes"] as const;
export type Format = (typeof FORMATS)[number];
export type Values = Readonly<Record<string, string>>;

export const FORMAT_OPTION = new Option(
  "--format <format>",
  "form of the file; by its name by default (.json, .yaml, else dotenv)",
).choices(FORMATS);

/** The form of a file by its name. Null: none is named. */
export function formatOf(file: string | null, given: Format | undefined): Format {
  if (given !== undefined) return given;
  const ending = extname(file ?? "").toLowerCase();
  if (ending === ".json") return "json";
  return ending === ".yaml" || ending === ".yml" ? "yaml" : "dotenv";
}

const yaml = async () => await import("./yaml-text.ts");

/** A name of a Secret, as Kubernetes takes it: 253 letters, digits and hyphens. RFC 1123 */
function manifestName({ project, environment }: EnvironmentPlace): string {
  const name = `${project}-${environment}`.toLowerCase().replaceAll(/[^a-z0-9-]/g, "-");
  return name.slice(0, 253).replaceAll(/^-+|-+$/g, "");
}

async function manifestOf(values: Values, name: string): Promise<string> {
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  );
  return (await yaml()).renderYaml({ apiVersion: "v1", kind: "Secret", metadata: { name }, type: "Opaque", data });
}

export async function renderValues(format: Format, values: Values, place: EnvironmentPlace): Promise<string> {
  switch (format) {
    case "dotenv":
      return renderDotenv(values);
    case "shell":
      return renderEnvText(Object.entries(values), "export ");
    case "json":
      return `${JSON.stringify(values, null, 2)}\n`;
    case "yaml":
      return (await yaml()).renderYaml(values);
    case "kubernetes":
      return await manifestOf(values, manifestName(place));
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The values of a Secret of Kubernetes; of another document, the document itself, which may have a value named `kind`. */
function contentOf(
  file: string,
  document: Readonly<Record<string, unknown>>,
  format: Format,
): Readonly<Record<string, unknown>> {
  const { kind, data, stringData } = document;
  const isManifest = format === "kubernetes" || isObject(data) || isObject(stringData);
  if (kind !== "Secret" || !isManifest) return document;
  const decoded = Object.entries(isObject(data) ? data : {}).map(([key, value]) => {
    const text = typeof value === "string" ? value.replaceAll(/\s/g, "") : "";
    const bytes = Buffer.from(text, "base64");
    if (typeof value !== "string" || bytes.toString("base64") !== text) {
      throw new Failure("usage", `${file}: expected base64 as the value of ${key}`);
    }
    const problem = findEncodingProblem(bytes);
    if (problem !== null) throw new Failure("usage", `${file}, ${key}: ${problem}`);
    // A byte order mark within a value belongs to it.
    return [key, bytes.toString("utf8")];
  });
  return { ...Object.fromEntries(decoded), ...(isObject(stringData) ? stringData : {}) };
}

/** Numbers and booleans are texts, as they are written: 1.10 is not 1.1. */
function parseJson(text: string): { readonly value: unknown; readonly twice: string | undefined } {
  const asWritten = (_key: string, value: unknown, { source }: { readonly source?: string }) =>
    typeof value === "number" || typeof value === "boolean" ? source : value;
  const document: unknown = JSON.parse(text, asWritten as (key: string, value: unknown) => unknown);
  return { value: document, twice: findDuplicate(text, "")?.slice(1) };
}

async function parseDocument(file: string, text: string, format: Format): Promise<ReadonlyMap<string, string>> {
  let parsed: ReturnType<typeof parseJson>;
  try {
    parsed = format === "json" ? parseJson(text) : (await yaml()).parseYaml(text);
  } catch {
    // The parsers' messages quote the text.
    const { line, reason } = format === "json" ? explainJson(text) : (await yaml()).explainYaml(text);
    const place = line === null ? file : `${file}, line ${line}`;
    throw new Failure("usage", `${place}: expected ${format === "json" ? "JSON" : "YAML"} (${reason})`);
  }
  const { value: document, twice } = parsed;
  if (twice !== undefined) throw new Failure("usage", `${file}: expected the key ${twice} once`);
  if (!isObject(document)) throw new Failure("usage", `${file}: expected an object of values by name`);
  if (format === "kubernetes" && document["kind"] !== "Secret") {
    throw new Failure("usage", `${file}: expected a Secret of Kubernetes (kind: Secret)`);
  }
  return new Map(
    Object.entries(contentOf(file, document, format)).map(([key, value]) => {
      if (typeof value === "string") return [key, value] as const;
      throw new Failure("usage", `${file}: expected a text, a number or a boolean as the value of ${key}`);
    }),
  );
}

/** Throws a Failure that quotes no value. */
export async function parseValues(given: string, bytes: Buffer, format: Format): Promise<ReadonlyMap<string, string>> {
  const file = shownFile(given);
  const text = textOf(file, bytes);
  if (format === "dotenv") return parseDotenv(file, text);
  return format === "shell" ? parseShell(file, text) : await parseDocument(file, text, format);
}

const MARK = "# Written by reeve env pull, sha256 ";

/** A file's text with a first line by which it is known again while nobody has changed it. JSON has no comments. */
export function markWritten(format: Format, text: string): string {
  return format === "json" ? text : `${MARK}${hash("sha256", text)}\n${text}`;
}

export function isMarked(text: string): boolean {
  const [, digest, rest = ""] = /^# Written by reeve env pull, sha256 ([0-9a-f]{64})\n([^]*)$/.exec(text) ?? [];
  return digest !== undefined && hash("sha256", rest) === digest;
}
