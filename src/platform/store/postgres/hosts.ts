// A database URL with several hosts, as in libpq: connections go to the first host that accepts writes, so a failover needs no
// restart. https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS

export interface PostgresTarget {
  /** The same URL once for each host. */
  readonly urls: readonly string[];
  /** `target_session_attrs=read-write` or `primary`, which several hosts imply. */
  readonly mustBeWritable: boolean;
}

// As in the URL class, a password may have an `@`.
const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/;

/** The host and port of a URL with one host, as messages name them. As for the driver, those of the query come first. */
export function hostOf(url: string): string {
  const [, , authority = "", rest = ""] = URL_PARTS.exec(url) ?? [];
  const [, ownName = "", ownPort = ""] = /^(.*?)(?::(\d+))?$/.exec(authority) ?? [];
  const query = new URLSearchParams(rest.replace(/^[^?]*/, ""));
  const [name, port] = [query.get("host") || ownName, query.get("port") || ownPort];
  return `${decodeURIComponent(name) || "localhost"}${port && `:${port}`}`;
}

/** The driver takes these modes as `verify-full` today, warns of them, and will take them less strictly one day. */
const STRICT_MODES: ReadonlySet<string | undefined> = new Set(["allow", "prefer", "require", "verify-ca"]);

/** The parameters of a query as libpq reads them: a `+` is no space, unlike in a form. Of two with one name, the last one. */
function readQuery(query: string): Map<string, string> {
  const parts = query === "" ? [] : query.split("&");
  return new Map(
    parts.map((part): [string, string] => {
      const [name = "", ...value] = part.split("=");
      return [name, decodeURIComponent(value.join("="))];
    }),
  );
}

const URL_TAIL = /^([^?]*)(?:\?(.*))?$/s;

/** Reads a database URL with one or more `host:port`, separated by commas. */
export function parsePostgresUrl(text: string): PostgresTarget {
  const [, start = text, hostList = "", tail = ""] = URL_PARTS.exec(text) ?? [];
  const hosts = hostList.split(",");
  const [, path = "", query = ""] = URL_TAIL.exec(tail) ?? [];
  const parameters = readQuery(query);
  // The driver supports only one host, and refuses the attribute.
  const attribute = parameters.get("target_session_attrs") ?? "";
  parameters.delete("target_session_attrs");
  const isCompatible = parameters.get("uselibpqcompat") === "true";
  if (!isCompatible && STRICT_MODES.has(parameters.get("sslmode"))) parameters.set("sslmode", "verify-full");
  const written = [...parameters].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return {
    urls: hosts.map((host) => `${start}${host}${path}${written && `?${written}`}`),
    mustBeWritable: hosts.length > 1 || /^(?:read-write|primary)$/.test(attribute),
  };
}
