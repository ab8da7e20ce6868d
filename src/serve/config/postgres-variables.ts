// The variables of libpq: they say what a database URL leaves out, as for `psql`.
// https://www.postgresql.org/docs/current/libpq-envars.html
import { expected } from "../../platform/kernel/settings/setting-values.ts";

export interface UrlParts {
  /** `user:password`, as it is written before the `@`. */
  readonly login: string;
  /** `host:port`, separated by commas. */
  readonly hosts: string;
  readonly database: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Each with the parameters of the URL that say the same. */
const PARAMETERS: Readonly<Record<string, readonly [own: string, ...others: string[]]>> = {
  PGOPTIONS: ["options"],
  PGTARGETSESSIONATTRS: ["target_session_attrs"],
  PGSSLMODE: ["sslmode", "ssl"],
  PGSSLNEGOTIATION: ["sslnegotiation"],
};

/** Files of certificates, each with the modes that do without. */
const FILES: Readonly<Record<string, readonly [own: string, withoutIt: RegExp]>> = {
  PGSSLROOTCERT: ["sslrootcert", /^(?:disable|false|0|no-verify)$/],
  PGSSLCERT: ["sslcert", /^(?:disable|false|0)$/],
  PGSSLKEY: ["sslkey", /^(?:disable|false|0)$/],
};

/** Name and port of each host, of lists as libpq takes them. */
function listHosts(hosts: string, ports: string): string {
  const [names, numbers] = [hosts.split(","), ports.split(",")];
  if (numbers.length > 1 && numbers.length !== names.length) expected("one port, or as many as hosts, in PGPORT");
  return names
    .map((name, at) => {
      const port = numbers[at] ?? numbers[0];
      return port === "" || /^(?:[^:]*|\[.*\]):\d+$/.test(name) ? name : `${name}:${port}`;
    })
    .join(",");
}

/** A host of PGHOST as a URL has it: the folder of a socket, or an address with colons. */
const writeHost = (host: string) => (host.includes(":") ? `[${host}]` : encodeURIComponent(host));

/** The URL with what it leaves out, and the variables that say this; the same URL where there are none. */
export function completeUrl(
  url: string,
  { login, hosts, database, parameters }: UrlParts,
  environment: NodeJS.ProcessEnv,
): { readonly url: string; readonly variables: readonly string[] } {
  const variables: string[] = [];
  /** The value of a variable, where the URL does not say it. */
  const take = (variable: string, isSaid: boolean): string => {
    const value = isSaid ? "" : (environment[variable] ?? "");
    if (value !== "") variables.push(variable);
    return value;
  };
  const added: [name: string, value: string][] = [];
  const add = (name: string, value: string) => void (value !== "" && added.push([name, value]));

  add("user", take("PGUSER", /^[^:]/.test(login) || parameters.has("user")));
  add("password", take("PGPASSWORD", login.includes(":") || parameters.has("password")));
  const names = hosts || take("PGHOST", parameters.has("host")).split(",").map(writeHost).join(",");
  const areAllSaid = parameters.has("port") || (names !== "" && listHosts(names, "1") === names);
  const ports = take("PGPORT", areAllSaid);
  if (names === "") add("port", ports);
  const path = database || encodeURIComponent(take("PGDATABASE", false));
  for (const [variable, same] of Object.entries(PARAMETERS)) {
    add(
      same[0],
      take(
        variable,
        same.some((name) => parameters.has(name)),
      ),
    );
  }
  const mode = [...parameters, ...added].findLast(([name]) => name === "sslmode" || name === "ssl")?.[1] ?? "";
  for (const [variable, [name, withoutIt]] of Object.entries(FILES)) {
    add(name, take(variable, parameters.has(name) || withoutIt.test(mode)));
  }

  if (variables.length === 0) return { url, variables };
  const [, scheme = ""] = /^(\w+:\/\/)/.exec(url) ?? [];
  const [, ownQuery = ""] = /\?(.*)$/s.exec(url) ?? [];
  const query = [ownQuery, ...added.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)].filter(Boolean);
  const authority = `${login && `${login}@`}${names && listHosts(names, ports)}`;
  return { url: `${scheme}${authority}/${path}${query.length > 0 ? `?${query.join("&")}` : ""}`, variables };
}
