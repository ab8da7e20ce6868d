// What the bytes of heads are as text, and what percent-encoding is, written from docs/firewall.md.

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const windows = new TextDecoder("windows-1252");
const latin = (bytes: Uint8Array) => String.fromCharCode(...bytes);

/** The values of a header, a cookie, a query or a path by its bytes. */
export function readHead(text: string): string[] {
  const codes = text.split("").map((one) => one.charCodeAt(0));
  if (codes.every((code) => code < 0x80)) return [text];
  const encoded = latin(new TextEncoder().encode(text));
  if (codes.some((code) => code > 0xff)) return [text, encoded];
  const bytes = Uint8Array.from(codes);
  const decoded = utf8.decode(bytes);
  const isValid = latin(new TextEncoder().encode(decoded)) === text;
  return isValid ? [decoded, text] : [text, encoded, decoded];
}

const RUN = /((?:%[0-9a-fA-F]{2})+)/;

function decodeWith(text: string, decode: (bytes: Uint8Array, run: string) => string): string {
  return text
    .split(RUN)
    .map((part, at) => {
      if (at % 2 === 0) return part;
      const bytes = part.split("%").slice(1).map((digits) => Number.parseInt(digits, 16)); // prettier-ignore
      return decode(Uint8Array.from(bytes), part);
    })
    .join("");
}

/** Escaped bytes and others in one text. */
function together(text: string): string {
  const codes = text.split("").map((one) => one.charCodeAt(0));
  return codes.some((code) => code > 0xff) ? text : utf8.decode(Uint8Array.from(codes));
}

const isReplaced = (text: string) => text.includes("\ufffd");

/** What applications decode a text to; each at its own place. */
export function decodeInAllWays(text: string, isLatin = false): string[] {
  const usual = decodeWith(text, (bytes) => utf8.decode(bytes));
  if (!text.split("").some((_, at) => RUN.test(text.slice(at, at + 3)))) return [text];
  const isOdd = isReplaced(usual) || /%(?![0-9a-fA-F][0-9a-fA-F])/.test(text) || (isLatin && /%[89a-f]./i.test(text));
  if (!isOdd) return [usual];
  return [
    usual,
    text,
    decodeWith(text, (bytes, run) => (isReplaced(utf8.decode(bytes)) ? run : utf8.decode(bytes))),
    decodeWith(text, latin),
    decodeWith(text, (bytes) => windows.decode(bytes)),
    together(decodeWith(text, latin)),
  ];
}
