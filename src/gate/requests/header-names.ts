// Names of headers that only letters, digits and hyphens make up. CGI, WSGI, Rack and PHP fold every other character into the one that they
// write for a hyphen: a client could send past a rule what the rule names, and forge what the gate says.
import type { IncomingMessage } from "node:http";
import { rememberByName } from "./name-cache.ts";

const FOREIGN = /[^A-Za-z0-9-]/;

/** Whether a name has other characters. Looking a known one up takes a third of the time. */
export const isForeign = rememberByName((name) => FOREIGN.test(name));

export function findForeignName(headers: object): string | undefined {
  return Object.keys(headers).find(isForeign);
}

/** Of names and values in turn, as Node.js keeps them, those whose name passes. */
export function filterPairs(raw: readonly string[], passes: (name: string) => boolean): string[] {
  const kept: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    if (passes(raw[at] as string)) kept.push(raw[at] as string, raw[at + 1] as string);
  }
  return kept;
}

function distinct(raw: readonly string[]): NodeJS.Dict<string[]> {
  const values: NodeJS.Dict<string[]> = Object.create(null);
  for (let at = 0; at < raw.length; at += 2) {
    (values[(raw[at] as string).toLowerCase()] ??= []).push(raw[at + 1] as string);
  }
  return values;
}

/**
 * Frameworks read each of the three forms in which Node.js keeps headers. What was read from the message before stays as it is. Few read
 * the third one, so that it is made then, as Node.js does.
 */
export function replaceHeaders(message: IncomingMessage, headers: IncomingMessage["headers"], raw: string[]): void {
  message.headers = headers;
  message.rawHeaders = raw;
  let values: NodeJS.Dict<string[]> | undefined;
  Object.defineProperty(message, "headersDistinct", {
    configurable: true,
    enumerable: true,
    get: () => (values ??= distinct(message.rawHeaders)),
    set(changed: NodeJS.Dict<string[]>) {
      values = changed;
    },
  });
}

/** Neither rules nor the application see such headers. */
export function dropForeignNames(message: IncomingMessage): void {
  const { headers, rawHeaders } = message;
  if (findForeignName(headers) === undefined) return;
  const kept = Object.entries(headers).filter(([name]) => !isForeign(name));
  const raw = filterPairs(rawHeaders, (name) => !isForeign(name));
  replaceHeaders(message, Object.fromEntries(kept), raw);
}

function filterTrailers(message: IncomingMessage, passes: (name: string) => boolean): void {
  if (message.rawTrailers.length === 0) return;
  const raw = filterPairs(message.rawTrailers, (name) => !isForeign(name) && passes(name.toLowerCase()));
  const values = distinct(raw);
  message.rawTrailers = raw;
  message.trailersDistinct = values;
  message.trailers = Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all?.join(", ")]));
}

/** They are there when the body has ended, which for an application may be later. */
export function dropTrailers(message: IncomingMessage, passes: (name: string) => boolean): void {
  filterTrailers(message, passes);
  message.prependOnceListener("end", () => filterTrailers(message, passes));
}
