// Two sites behind each proxy, one of which denies everybody, and requests that name the hosts of both: the application of the first is
// never reached, because the gate decides about the host that the proxy chose the application by. Each way of two sites gets a third of the
// requests, so that a proxy gets all of them; `HOSTS_ALL=1` sends all each time.
import assert from "node:assert/strict";
import { connect } from "node:http2";
import type { ClientHttp2Session } from "node:http2";
import { describe, it } from "node:test";
import { http2Requests, rawRequests } from "./conflicting-hosts.ts";
import type { Http2Request } from "./conflicting-hosts.ts";
import { sendRaw } from "./send-raw.ts";
import { PROXIES } from "./proxy-programs.ts";
import { LET_IN, admin, open, startSites } from "./two-sites.ts";

const MIXTURES = 600;
const AT_ONCE = 16;

/** Sends all of them, some at a time. Each of those who send has a place for what it uses again. */
async function each<T, R>(list: readonly T[], send: (one: T, place: Map<string, ClientHttp2Session>) => Promise<R>) {
  const results: R[] = [];
  let next = 0;
  const work = async () => {
    const place = new Map<string, ClientHttp2Session>();
    while (next < list.length) {
      const at = next++;
      results[at] = await send(list[at] as T, place);
    }
    for (const session of place.values()) session.destroy();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

/** The status of a response over HTTP/2; what refused the request besides: an error of the stream or the connection. */
function sendHttp2(session: ClientHttp2Session, { headers }: Http2Request): Promise<string> {
  return new Promise((resolve) => {
    let status = "no response";
    try {
      const stream = session.request({ ...headers });
      stream.on("response", (response) => (status = String(response[":status"])));
      stream.on("error", () => (status = "error"));
      stream.on("close", () => resolve(status));
      stream.resume();
      // A tunnel (CONNECT) is open until one ends it.
      stream.end();
    } catch {
      resolve("not sent");
    }
  });
}

async function openHttp2(port: number, sni: string): Promise<ClientHttp2Session> {
  const session = connect(`https://127.0.0.1:${port}`, { servername: sni, rejectUnauthorized: false });
  session.on("error", () => undefined);
  await new Promise((resolve) => session.once("connect", resolve));
  return session;
}

const counted = (statuses: readonly string[]) =>
  [...new Set(statuses)]
    .toSorted()
    .map((status) => `${status}: ${statuses.filter((one) => one === status).length}`)
    .join(", ");

const statusOf = (response: string) => /^HTTP\/1\.[01] (\d{3}) /.exec(response)?.[1] ?? "closed";

const PLAIN_HOST = /^([a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])\.?(?::\d+)?$/i;

/** Whether each header by which an application may find out its host names one that is not of the other site. */
const isOwn = (hosts: readonly string[], other: string) =>
  hosts.every((host) => ![undefined, other].includes(PLAIN_HOST.exec(host)?.[1]?.toLowerCase()));

/** Fails with the requests that an application should not have had. */
function assertApart(sent: (at: string) => unknown): void {
  const wrong = [
    ...admin.requests.filter(
      ({ isLetIn, url, hosts }) => !isLetIn || !url.startsWith("/") || !isOwn(hosts, "open.test"),
    ),
    ...open.requests.filter(({ url, hosts }) => !url.startsWith("/") || !isOwn(hosts, "admin.test")),
  ];
  admin.requests.length = open.requests.length = 0;
  assert.deepEqual(wrong.map(({ url, seen }) => ({ sent: sent(url), seen })).slice(0, 10), []);
}

const FALLBACKS = ["admin.test", "open.test", "neither"] as const;
const RAW = rawRequests(MIXTURES);
const HTTP2 = http2Requests();

/** The requests for two sites of which this one takes other hosts. */
const shareOf = <T>(all: readonly T[], fallback: (typeof FALLBACKS)[number]): readonly T[] =>
  process.env["HOSTS_ALL"] === undefined
    ? all.filter((_, at) => at % FALLBACKS.length === FALLBACKS.indexOf(fallback))
    : all;

for (const [name, fallback] of PROXIES.flatMap((one) => FALLBACKS.map((two) => [one, two] as const))) {
  const sites = await startSites(name, fallback);

  describe(`two sites behind ${name}, of which ${fallback} takes other hosts`, () => {
    it("each get the requests to their host, whatever the way it is usually written in", async () => {
      const letIn = `${LET_IN.name}: ${LET_IN.value}`;
      for (const site of ["admin", "open"]) {
        for (const port of [sites.http, sites.https]) {
          for (const host of [`${site}.test`, `${site}.test:${port}`, `${site.toUpperCase()}.Test`]) {
            for (const target of ["/x", `http://${host}/x`]) {
              const text = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${letIn}\r\nConnection: close\r\n\r\n`;
              const response = await sendRaw(port, text, port === sites.https ? `${site}.test` : null);
              assert.match(response, new RegExp(`^HTTP/1.1 200 [^]*x-application: ${site}`, "i"), text);
            }
          }
        }
        const session = await openHttp2(sites.https, `${site}.test`);
        for (const authority of [`${site}.test`, `${site}.test:${sites.https}`]) {
          const headers = { ":scheme": "https", ":path": "/x", ":authority": authority, [LET_IN.name]: LET_IN.value };
          assert.equal(await sendHttp2(session, { sni: "", headers }), "200");
        }
        session.close();
      }
      const of = (list: typeof admin.requests) =>
        new Set(list.flatMap(({ hosts }) => hosts.map((host) => host.replace(/:.*/, "").toLowerCase())));
      assert.deepEqual([of(admin.requests), of(open.requests)], [new Set(["admin.test"]), new Set(["open.test"])]);
      assert.deepEqual([admin.requests.length, open.requests.length], [14, 14]);
      assertApart(String);
    });

    it("are not taken for each other when a request names both", async () => {
      for (const [target, host] of [
        ["http://admin.test/x", "open.test"],
        ["/x", "admin.test,open.test"],
      ]) {
        const response = await sendRaw(
          sites.http,
          `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
        );
        assert.doesNotMatch(response, /x-application: admin/i, `${target} ${host}`);
      }
      assertApart(String);
    });

    it("are never taken for each other over HTTP/1", async (t) => {
      const requests = shareOf(RAW, fallback);
      const statuses = await each(requests, async ({ text, sni }) =>
        statusOf(await sendRaw(sni === null ? sites.http : sites.https, text, sni).catch(() => "")),
      );
      t.diagnostic(`${requests.length} requests: ${counted(statuses)}; ${open.requests.length} reached the open site`);
      assertApart((url) => RAW[Number(/\d+$/.exec(url)?.[0])]);
      assert.ok(statuses.includes("403") && statuses.includes("200"));
    });

    it("are never taken for each other over HTTP/2", async (t) => {
      const requests = shareOf(HTTP2, fallback);
      const statuses = await each(requests, async (request, place) => {
        // Some proxies close the connection for what they refuse.
        const kept = place.get(request.sni);
        const session = kept && !kept.closed && !kept.destroyed ? kept : await openHttp2(sites.https, request.sni);
        place.set(request.sni, session);
        return await sendHttp2(session, request);
      });
      t.diagnostic(`${requests.length} requests: ${counted(statuses)}; ${open.requests.length} reached the open site`);
      assertApart((url) => requests.find(({ headers }) => headers[":path"] === url) ?? url);
      assert.ok(statuses.includes("403") && statuses.includes("200"));
    });
  });
}
