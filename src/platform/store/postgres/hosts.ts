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
  return `${name || "the local socket"}${port && `:${port}`}`;
}

/** The driver takes these modes as `verify-full` today, warns of them, and will take them less strictly one day. */
function withStrictMode(query: string): string {
  if (/[?&]uselibpqcompat=true(?:&|$)/.test(query)) return query;
  return query.replace(/([?&]sslmode=)(?:allow|prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
}

/** Reads a database URL with one or more `host:port`, separated by commas. */
export function parsePostgresUrl(text: string): PostgresTarget {
  const [, start = text, hostList = "", rest = ""] = URL_PARTS.exec(text) ?? [];
  const hosts = hostList.split(",");
  // The driver supports only one host, and refuses the attribute.
  const attribute = /([?&])target_session_attrs=([^&]*)&?/.exec(rest);
  const query = withStrictMode(rest.replace(/([?&])target_session_attrs=[^&]*&?/, "$1").replace(/[?&]$/, ""));
  return {
    urls: hosts.map((host) => `${start}${host}${query}`),
    mustBeWritable: hosts.length > 1 || /^(?:read-write|primary)$/.test(attribute?.[2] ?? ""),
  };
}
