// The one form of an e-mail address, in which addresses are stored, compared and mailed to. A mailbox can be spelled in many ways; what
// mail servers read in different ways is no address here.
import { domainToASCII, domainToUnicode } from "node:url";
import { fieldError } from "../errors.ts";

/** RFC 5321, 4.5.3.1; the whole is what fits into a command to a mail server. */
const MAX_LOCAL_OCTETS = 64;
const MAX_OCTETS = 254;
const MAX_DOMAIN_LENGTH = 253;
/** Of what is read at all: spellings can be longer than the address. */
export const MAX_SPELLED_LENGTH = 256;

const EXPECTED =
  "an e-mail address such as ada@example.com, without quotes, comments, brackets, invisible characters, % and !, " +
  `at most ${MAX_LOCAL_OCTETS} bytes before the @ and ${MAX_OCTETS} in all`;

/** The dot-atom of RFC 5322 and RFC 6531, without `%`, `!` and `|`: mail servers take what is before or after for a next destination. */
const LOCAL = /^[\w#$&'*+/=?^`{}~\-\u{80}-\u{10FFFF}]+(?:\.[\w#$&'*+/=?^`{}~\-\u{80}-\u{10FFFF}]+)*$/u;
/** What nobody sees: controls, unassigned characters, spaces, and marks without a letter that they belong to. */
const HIDDEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]|(?:^|[^\p{L}\p{N}\p{M}])\p{M}/u;

/** Node's conversion is that of URLs, which decodes `%` and cuts off ports and paths. */
const CONVERTIBLE = /^[\w.\-\u{80}-\u{10FFFF}]+$/u;
const DOMAIN = /^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)*(?!\d+$)[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;
const A_LABEL = /(?:^|\.)xn--/;

/** A domain in A-labels and lower case; undefined: mail can't be sent there. */
export function canonicalDomain(text: string): string | undefined {
  if (text.length > MAX_SPELLED_LENGTH || !CONVERTIBLE.test(text)) return undefined;
  const domain = domainToASCII(text);
  if (domain.length > MAX_DOMAIN_LENGTH || !DOMAIN.test(domain)) return undefined;
  if (!A_LABEL.test(domain)) return domain;
  // Labels that decode to nothing, or to what is encoded in another way.
  const decoded = domainToUnicode(domain);
  return A_LABEL.test(decoded) || domainToASCII(decoded) !== domain ? undefined : domain;
}

/** A part of an address, as people type it, in the form of stored ones: each whole label of its domain as an A-label. */
export function canonicalPart(text: string): string {
  const at = text.lastIndexOf("@") + 1;
  const labels = text.slice(at).split(".");
  const domain = labels.map((label) => canonicalDomain(label) ?? label.normalize("NFC").toLowerCase()).join(".");
  return text.slice(0, at).normalize("NFC").toLowerCase() + domain;
}

function canonicalLocal(text: string): string | undefined {
  const composed = text.normalize("NFC");
  // Some mail servers take compatible characters, such as full-width letters, for the same.
  if (composed !== text.normalize("NFKC")) return undefined;
  const local = composed.toLowerCase().normalize("NFC");
  return LOCAL.test(local) && !HIDDEN.test(local) ? local : undefined;
}

/** The one form of an address; undefined: it is none that mail can be sent to. */
export function canonicalEmail(text: string): string | undefined {
  const at = text.lastIndexOf("@");
  if (at < 1 || text.length > MAX_SPELLED_LENGTH) return undefined;
  const [local, domain] = [canonicalLocal(text.slice(0, at)), canonicalDomain(text.slice(at + 1))];
  if (local === undefined || domain === undefined) return undefined;
  const email = `${local}@${domain}`;
  return Buffer.byteLength(local) <= MAX_LOCAL_OCTETS && Buffer.byteLength(email) <= MAX_OCTETS ? email : undefined;
}

/** The one form of the address in a field of a request; refuses what is none. */
export function requireEmail(text: string, field = "body.email"): string {
  return canonicalEmail(text) ?? refuseEmail(field);
}

function refuseEmail(field: string): never {
  throw fieldError("bad_request", field, `expected ${EXPECTED}`);
}

/**
 * What an address is found and compared by. Addresses that older versions took, and that are none, keep a key of their own: no canonical
 * address is like them.
 */
export function emailKey(text: string): string {
  return canonicalEmail(text) ?? text.toLowerCase();
}

/** What people type to name an account, a username or an address, as the key of either. */
export function loginKey(login: string): string {
  return login.includes("@") ? emailKey(login) : login.toLowerCase();
}

export function isSameEmail(one: string, other: string): boolean {
  return emailKey(one) === emailKey(other);
}

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf("@") + 1);
}
