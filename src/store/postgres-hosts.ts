// A database URL that names several hosts, as libpq has it: connections go to the first that accepts writes, so a
// failover needs no restart. https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS

export interface HostAddress {
  readonly host: string;
  readonly port: number;
}

export interface PostgresTarget {
  /** The URL with its first host alone; what else it says holds for every host. */
  readonly url: string;
  readonly hosts: readonly HostAddress[];
  /** `target_session_attrs=read-write`, which several hosts imply. */
  readonly mustBeWritable: boolean;
}

const DEFAULT_PORT = 5432;
const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/;
const HOST_PARTS = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/;

function parseHost(text: string): HostAddress {
  const [, host = "", port] = HOST_PARTS.exec(text) ?? [];
  return {
    host: decodeURIComponent(host.replace(/^\[|\]$/g, "")),
    port: port === undefined ? DEFAULT_PORT : Number(port),
  };
}

/** Reads a database URL with one or more `host:port`, separated by commas. */
export function parsePostgresUrl(text: string): PostgresTarget {
  const [, start = text, hostList = "", rest = ""] = URL_PARTS.exec(text) ?? [];
  const hosts = hostList.split(",");
  // The driver knows only one host and would refuse the attribute.
  const attribute = /([?&])target_session_attrs=([^&]*)&?/.exec(rest);
  const query = rest.replace(/([?&])target_session_attrs=[^&]*&?/, "$1").replace(/[?&]$/, "");
  return {
    url: `${start}${hosts[0]}${query}`,
    hosts: hosts.filter((host) => host !== "").map(parseHost),
    mustBeWritable: hosts.length > 1 || attribute?.[2] === "read-write",
  };
}
