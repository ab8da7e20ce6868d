// What trusted proxies say of protocol, host and port, in the words of what was decided on. Applications read lists and spellings each in
// their own way, and proxies pass on what a client has said under a name that they do not set.
import type { IncomingHttpHeaders } from "node:http";
import type { GateRequest } from "../message.ts";

/** Undefined: the application does not get it. */
type Restate = (request: GateRequest, said: string) => string | undefined;

const sayScheme: Restate = ({ scheme }) => scheme;
const sayHost: Restate = ({ host }) => host;
const saySwitch: Restate = ({ scheme }) => (scheme === "https" ? "on" : "off");

/** Many hosts have no port though the client's URL had one, so that any is believed but that of the other protocol. */
const sayPort: Restate = ({ scheme, host }, said) => {
  const own = /:(\d+)$/.exec(host)?.[1];
  const isOther = own === undefined ? said === (scheme === "https" ? "80" : "443") : said !== own;
  return isOther || !/^\d{1,5}$/.test(said) ? undefined : said;
};

const SAID = /(?:^|[;,\s])(host|proto)\s*=\s*("[^"]*"?|[^\s;,]*)/gi;

/** The gate does not read it (RFC 7239), so that it can only agree. */
const sayForwarded: Restate = ({ scheme, host }, said) => {
  const agrees = [...said.matchAll(SAID)].every(([, name = "", value = ""]) => {
    const text = value.replaceAll('"', "").toLowerCase();
    return text === (name.toLowerCase() === "host" ? host.toLowerCase() : scheme);
  });
  return agrees ? said : undefined;
};

const RESTATED: ReadonlyMap<string, Restate> = new Map([
  ["forwarded", sayForwarded],
  ["x-forwarded-proto", sayScheme],
  ["x-forwarded-protocol", sayScheme],
  ["x-forwarded-scheme", sayScheme],
  ["x-original-proto", sayScheme],
  ["x-scheme", sayScheme],
  ["x-url-scheme", sayScheme],
  ["cloudfront-forwarded-proto", sayScheme],
  ["x-forwarded-ssl", saySwitch],
  ["front-end-https", saySwitch],
  ["x-forwarded-host", sayHost],
  ["x-original-host", sayHost],
  ["x-host", sayHost],
  ["x-forwarded-port", sayPort],
]);

/** Of the headers of a trusted proxy those that are said otherwise, or not at all. */
export function restate(headers: IncomingHttpHeaders, request: GateRequest): ReadonlyMap<string, string | undefined> {
  const changed = new Map<string, string | undefined>();
  for (const [name, say] of RESTATED) {
    const said = headers[name];
    if (said === undefined) continue;
    const told = say(request, String(said));
    if (told !== said) changed.set(name, told);
  }
  return changed;
}
