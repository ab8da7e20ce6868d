// Reads a call of curl, as browsers and the console copy it, into the form of a request.
interface PastedRequest {
  readonly method: string;
  readonly url: string;
  /** One on each line. */
  readonly headers: string;
  readonly body: string;
}

/** A word of a shell: bare, in quotes of either kind, or in `$'…'`. */
const PIECE = /\\\r?\n|\\([^])|'([^']*)'|\$'((?:[^\\']|\\[^])*)'|"((?:[^\\"]|\\[^])*)"|([^\s\\'"]+)|(\s+)/gy;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "0": "\0" };

function unescapeAnsi(text: string): string {
  return text.replaceAll(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|([^]))/g, (_all, unit, byte, one: string) =>
    one === undefined ? String.fromCodePoint(Number.parseInt(unit ?? byte, 16)) : (ESCAPES[one] ?? one),
  );
}

/** The words of a command; null: it is none, such as with a quote that does not end. */
function wordsOf(command: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let end = 0;
  for (const match of command.matchAll(PIECE)) {
    const [whole, escaped, single, ansi, double, bare, space] = match;
    end = match.index + whole.length;
    if (space !== undefined) {
      if (word !== null) words.push(word);
      word = null;
      continue;
    }
    const text =
      escaped ?? single ?? bare ?? double?.replaceAll(/\\([$`"\\\n])/g, (_all, one) => (one === "\n" ? "" : one));
    const isContinued = text === undefined && ansi === undefined;
    if (!isContinued) word = (word ?? "") + (text ?? unescapeAnsi(ansi ?? ""));
  }
  if (word !== null) words.push(word);
  return end === command.length ? words : null;
}

/** Options with a value, and what they give the request; those that have none are about the transfer. */
const HEADERS: Readonly<Record<string, (value: string) => string>> = {
  "-H": (value) => value,
  "-A": (value) => `User-Agent: ${value}`,
  "-b": (value) => `Cookie: ${value}`,
  "-e": (value) => `Referer: ${value}`,
  "-u": (value) => `Authorization: Basic ${btoa(value)}`,
  "-r": (value) => `Range: bytes=${value}`,
};
const LONG: Readonly<Record<string, string>> = {
  "--header": "-H",
  "--user-agent": "-A",
  "--cookie": "-b",
  "--referer": "-e",
  "--user": "-u",
  "--range": "-r",
  "--request": "-X",
  "--data": "-d",
  "--data-raw": "-d",
  "--data-ascii": "-d",
  "--data-binary": "-d",
  "--head": "-I",
  "--get": "-G",
  "--output": "-o",
  "--max-time": "-m",
  "--proxy": "-x",
  "--write-out": "-w",
  "--cert": "-E",
  "--cookie-jar": "-c",
};
const IGNORED =
  /^(?:-[omxwEcCDFTzK]|--(?:connect-timeout|resolve|connect-to|cacert|capath|key|retry|retry-delay|max-redirs|interface|limit-rate))$/;

/** The words as pairs of an option, by its short name where it has one, and its value: `-XPOST` and `--request=POST` alike. */
function* optionsOf(words: readonly string[]): Generator<readonly [string, string]> {
  const takesValue = (name: string): boolean =>
    name in HEADERS || IGNORED.test(name) || ["-X", "-d", "--json", "--url", "--data-urlencode"].includes(name);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const [, long, attached] = /^(--[\w-]+)(?:=([^]*))?$/.exec(word) ?? [];
    if (long !== undefined) {
      const name = LONG[long] ?? long;
      yield [name, takesValue(name) ? (attached ?? words[++at] ?? "") : ""];
    } else if (/^-\w/.test(word)) {
      // Several of those without a value may stand together: `-sSLX POST`.
      for (let letter = 1; letter < word.length; letter++) {
        const name = `-${word[letter]}`;
        if (!takesValue(name)) yield [name, ""];
        else {
          yield [name, word.slice(letter + 1) || (words[++at] ?? "")];
          break;
        }
      }
    } else yield ["--url", word];
  }
}

/** Null: it is no call of curl. */
export function readCurl(command: string): PastedRequest | null {
  const [program, ...words] =
    (/^\s*(?:\$\s+)?curl\s/.test(command) && wordsOf(command.replace(/^\s*\$\s+/, "").trim())) || [];
  if (program !== "curl") return null;
  const headers: string[] = [];
  const data: string[] = [];
  let [method, url, isQuery] = ["", "", false];
  for (const [name, value] of optionsOf(words)) {
    if (name === "-X") method = value;
    else if (name === "-I") method ||= "HEAD";
    else if (name === "-G") isQuery = true;
    else if (name === "--url") url ||= value;
    else if (name === "-d" || name === "--json") data.push(value);
    else if (name === "--data-urlencode") data.push(encodeNamed(value));
    if (name === "--json") headers.push("Content-Type: application/json", "Accept: application/json");
    const header = HEADERS[name]?.(value);
    if (header !== undefined) headers.push(header);
  }
  if (url === "") return null;
  const body = data.join("&");
  if (isQuery && body !== "") url += `${url.includes("?") ? "&" : "?"}${body}`;
  const hasBody = data.length > 0 && !isQuery;
  if (hasBody && !headers.some((header) => /^content-type:/i.test(header)))
    headers.push("Content-Type: application/x-www-form-urlencoded");
  return { method: method || (hasBody ? "POST" : "GET"), url, headers: headers.join("\n"), body: hasBody ? body : "" };
}

/** `name=value` with the value encoded, as `--data-urlencode` sends it. */
function encodeNamed(value: string): string {
  const [, name = "", rest = ""] = /^([^=]*=)?([^]*)$/.exec(value) ?? [];
  return (name === "=" ? "" : name) + encodeURIComponent(rest);
}
