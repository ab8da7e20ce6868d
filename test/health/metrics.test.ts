// The metrics of a real server: they follow Prometheus' naming conventions and have correct values.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { examine } from "../../src/cli/bodies/doctor.ts";
import { listWaitingWebhooks } from "../../src/events/queue/due-webhooks.ts";
import { METRICS } from "../../src/platform/kernel/telemetry/metric-list.ts";
import type { Metric } from "../../src/platform/kernel/telemetry/metric-list.ts";
import { createChainTotals } from "../../src/serve/observability/chain-totals.ts";
import { ENGINE, send, startOwnApp } from "../harness/test-app.ts";
import type { TestApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { LOOPBACK, startReceiver } from "../webhooks/receiver.ts";
import { openOwner } from "../webhooks/webhook-world.ts";
import { parseMetrics } from "./metrics-text.ts";
import type { Exposition } from "./metrics-text.ts";

const { request, clock, createUser, createTeam, query, withStore, startAnother } = await startOwnApp(LOOPBACK);

async function scrape(): Promise<Exposition> {
  const { status, text, headers } = await request("GET", "/metrics", { token: null });
  assert.equal(status, 200);
  assert.match(headers["content-type"] ?? "", /^text\/plain; version=0\.0\.4/);
  return parseMetrics(text);
}

const KEPT = ["reeve_event_chains", "reeve_webhook_deliveries_waiting", "reeve_mails_waiting"] as const;
let first: Exposition;
before(async () => {
  // On a busy machine the store may be too slow for a scrape, which then omits the store's metrics.
  do first = await scrape();
  while (first.value("reeve_ready") !== 1 || !KEPT.every((name) => first.series.has(name)));
});

test("names, units and descriptions follow the conventions", () => {
  // https://prometheus.io/docs/practices/naming/, and what promtool complains of.
  for (const { name, type, help, labels = [], buckets } of Object.values<Metric>(METRICS)) {
    assert.match(name, /^reeve(?:_[a-z]+)+$/, name);
    assert.equal(type === "counter", name.endsWith("_total"), `${name}: counters alone end with _total`);
    assert.doesNotMatch(name, /_(?:count|sum|bucket)$/, `${name}: histograms alone have those`);
    assert.doesNotMatch(name, /_(?:ms|milliseconds|microseconds|minutes|hours|kb|mb|kilobytes|percent)(?:_|$)/, name);
    assert.doesNotMatch(name, /_(?:counter|gauge|histogram)(?:_|$)/, `${name}: no type in a name`);
    assert.match(help, /^[A-Z1].{20,}\.$/, `${name}: a sentence`);
    assert.equal(buckets !== undefined, type === "histogram", name);
    for (const label of labels) assert.match(label, /^[a-z]+$/, `${name}: ${label}`);
    assert.ok(!labels.includes("le"), name);
    assert.deepEqual(
      buckets,
      buckets?.toSorted((a, b) => a - b),
      `${name}: bounds grow`,
    );
  }
  const names = Object.values<Metric>(METRICS).map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

/** What `promtool check metrics` reports about one metric. */
function lint(name: string, type: string, help: string): string[] {
  const words = name.split("_");
  const has = (...wrong: string[]) => wrong.some((word) => words.includes(word));
  return [
    [help === "", "no help"],
    [type === "counter" && words.at(-1) !== "total", "a counter without _total"],
    [type !== "counter" && words.at(-1) === "total", "_total without a counter"],
    [type !== "histogram" && words.at(-1) === "bucket", "_bucket without a histogram"],
    [!/^(?:histogram|summary)$/.test(type) && /_(?:count|sum)$/.test(name), "_count or _sum without a histogram"],
    [has("counter", "gauge", "histogram", "summary", "untyped"), "a type in the name"],
    [has("milliseconds", "microseconds", "nanoseconds", "minutes", "hours", "days", "weeks"), "a unit of time"],
    [has("kilobytes", "megabytes", "gigabytes", "bits", "percent", "percentage"), "a unit that is no base unit"],
    [has("s", "ms", "us", "ns", "sec", "b", "kb", "mb", "gb", "tb", "pb", "m", "h", "d"), "an abbreviated unit"],
    [/[a-z][A-Z]|:/.test(name), "a colon or camel case"],
  ].flatMap(([isWrong, what]) => (isWrong ? [`${name}: ${String(what)}`] : []));
}

test("all metrics pass promtool's lint, those of the process and of Node.js included", () => {
  assert.ok(first.types.has("process_cpu_seconds_total") && first.types.has("nodejs_active_handles"));
  const found = [...first.types].flatMap(([name, type]) => lint(name, type, first.helps.get(name) ?? ""));
  assert.deepEqual(found, []);
});

test("every metric has its type and help, also without a sample", () => {
  for (const { name, type, help } of Object.values<Metric>(METRICS)) {
    assert.equal(first.types.get(name), type, name);
    assert.equal(first.helps.get(name), help, name);
  }
});

test("the metrics of the whole instance are in the first scrape, also with an empty queue", () => {
  assert.equal(first.value("reeve_ready"), 1);
  assert.equal(first.value("reeve_webhook_deliveries_waiting"), 0);
  for (const receiver of ["healthy", "backoff"])
    assert.equal(first.value(`reeve_webhook_oldest_due_age_seconds{receiver="${receiver}"}`), 0);
  assert.equal(first.value("reeve_webhook_unclaimed_age_seconds"), 0);
  assert.equal(first.value("reeve_mails_waiting"), 0);
  assert.equal(first.value("reeve_event_checkpoints_overdue"), 0);
  assert.ok((first.value("reeve_event_chains") ?? 0) >= 1);
  assert.equal(first.value('reeve_health_check_failed{code="store_full"}'), 0);
  assert.ok([...first.series.keys()].some((series) => series.startsWith("reeve_build_info{")));
});

test("the duration of changes, and the size of their group commit, are measured", async () => {
  const user = await createUser();
  const count = (series: string, page: Exposition) => page.value(series) ?? 0;
  const earlier = await scrape();
  const made = 20;
  const teams = await Promise.all(Array.from({ length: made }, () => createTeam(user)));
  // None is cached yet, and one in 16 reads is measured.
  await Promise.all(teams.map(({ id }) => request("GET", `/v2/teams/${id}`, { token: user.token })));
  const later = await scrape();
  const grown = (series: string) => count(series, later) - count(series, earlier);
  assert.equal(grown('reeve_http_request_duration_seconds_count{operation="createTeam",status="200"}'), made);
  assert.ok(grown("reeve_store_transaction_duration_seconds_count") >= 1);
  assert.ok(grown("reeve_store_transaction_duration_seconds_sum") > 0);
  assert.equal(
    grown("reeve_store_transaction_duration_seconds_count"),
    grown("reeve_store_commit_duration_seconds_count"),
  );
  assert.ok(grown("reeve_store_wait_duration_seconds_count") >= made);
  assert.ok(grown("reeve_store_read_duration_seconds_count") >= 1);
  if (ENGINE === "sqlite") {
    assert.ok(grown("reeve_store_group_size_sum") >= made);
    assert.ok(grown("reeve_store_group_size_count") < grown("reeve_store_group_size_sum"));
    assert.ok(count('reeve_store_size_bytes{file="database"}', later) > 0);
    assert.ok(count('reeve_store_size_bytes{file="wal"}', later) > 0);
    assert.ok(count("reeve_store_disk_free_bytes", later) > 0);
  } else {
    assert.ok(count('reeve_store_connections{state="idle"}', later) > 0);
    assert.equal(count("reeve_store_connection_waiters", later), 0);
  }
});

test("chains and their events are counted", async () => {
  // Sums are cached for a minute: a starting server has none yet. Its start records that it made a link.
  const other = await startAnother();
  const [{ chains, events, longest, last } = {}] = await query(
    "select count(*) as chains, sum(sequence) as events, max(sequence) as longest, max(event_at) as last from owners",
  );
  const page = await waitFor("a store that is in time for a scrape", async () => {
    const seen = parseMetrics((await send(other, "GET", "/metrics", { token: null })).text);
    return seen.series.has("reeve_event_chains") ? seen : undefined;
  });
  assert.equal(page.value("reeve_event_chains"), Number(chains));
  assert.equal(page.value("reeve_event_chain_events"), Number(events));
  assert.equal(page.value("reeve_event_chain_longest_events"), Number(longest));
  assert.equal(page.value("reeve_event_last_timestamp_seconds"), Number(last) / 1000);
  // It would take deliveries of the tests that follow, and count them itself.
  await other.close();
});

test("a scrape waits for a thousand chains at most, and shows all as soon as they are counted", async () => {
  const more = 2_500;
  await withStore(({ transaction }) =>
    transaction(async (tx) => {
      const rows = Array.from({ length: more }, (_, at) => `('planted_${at}', 'user')`);
      await tx.exec(`insert into owners (id, kind) values ${rows.join(", ")}`);
    }),
  );
  const [{ chains } = {}] = await query("select count(*) as chains from owners");
  const other = await startAnother();
  const read = async () => parseMetrics((await send(other, "GET", "/metrics", { token: null })).text);
  assert.equal((await read()).value("reeve_event_chains"), undefined, "the scrape waited for all of them");
  const told = createChainTotals(other.runner.reader);
  await waitFor("the sum", async () => (await told())?.chains === Number(chains));
  assert.equal((await told())?.chains, Number(chains));
  await other.close();
});

/** Advances the clock while it waits: after an attempt that took too long, or failed late, the next one is due then. */
async function waitAdvancing(
  what: string,
  { clock: advanced, byMs }: { readonly clock: TestApp["clock"]; readonly byMs: number },
  look: () => boolean | Promise<boolean>,
): Promise<void> {
  // A shorter interval would never finish in time.
  let patientUntil = performance.now() + 2_000;
  await waitFor(what, async () => {
    if (performance.now() > patientUntil) {
      advanced.advance(byMs);
      patientUntil += 2_000;
    }
    return await look();
  });
}

test("deliveries have attempts by outcome, latencies, and the size of the queue", async () => {
  const receiver = await startReceiver();
  const user = await createUser();
  const hook = async (path: string) =>
    await request("POST", "/v1/webhooks", {
      token: user.token,
      body: { url: receiver.url + path, events: ["user-*"] },
    });
  assert.equal((await hook("/")).status, 200);
  const earlier = await scrape();
  assert.equal((await request("PATCH", "/v2/user", { token: user.token, body: { name: "Changed" } })).status, 200);
  const attempts = (page: Exposition, outcome: string) =>
    page.value(`reeve_webhook_attempt_duration_seconds_count{outcome="${outcome}"}`) ?? 0;
  await waitAdvancing("the delivery", { clock, byMs: 60_000 }, async () => {
    return attempts(await scrape(), "delivered") > attempts(earlier, "delivered");
  });
  const page = await scrape();
  const atFirst = page.value("reeve_webhook_delivery_lag_seconds_count") ?? 0;
  assert.ok(atFirst + attempts(page, "retried") >= 1);
});

type Shown = Readonly<Record<"healthy" | "backoff" | "unclaimed" | "stalled", number>>;

async function untilShown({ request: ask }: TestApp, isWanted: (shown: Shown) => boolean): Promise<void> {
  // Values of the store are cached for some seconds.
  await waitFor("the queues to be shown as wanted", async () => {
    const page = parseMetrics((await ask("GET", "/metrics", { token: null })).text);
    const value = (name: string) => page.value(`reeve_webhook_${name}`) ?? Number.NaN;
    return isWanted({
      healthy: value('oldest_due_age_seconds{receiver="healthy"}'),
      backoff: value('oldest_due_age_seconds{receiver="backoff"}'),
      unclaimed: value("unclaimed_age_seconds"),
      stalled: value("stalled_seconds"),
    });
  });
}

const HALF_HOUR = 30 * 60;

test("what a failing receiver delays counts apart from what a healthy one waits for", async () => {
  const world = await startOwnApp(LOOPBACK);
  const [owner, receiver] = [await openOwner(world), await startReceiver()];
  receiver.respond(500);
  const { id } = await owner.hook(receiver.url);
  await owner.publishMany(50);
  const isFailing = async () => {
    const [queue] = await world.query(`select failing_since from webhook_queues where webhook_id = '${id}'`);
    return queue?.["failing_since"] !== null;
  };
  await waitFor("the receiver to fail", isFailing);
  const responses: { end(): void }[] = [];
  receiver.respond((response) => {
    responses.push(response);
  });
  world.clock.advance(HALF_HOUR * 1000);
  const halfHours = { clock: world.clock, byMs: HALF_HOUR * 1000 };
  await waitAdvancing("an attempt without a response", halfHours, () => responses.length > 0);
  // A process leases it, and waits for the response.
  const [waiting] = await listWaitingWebhooks(world.app.runner.reader, world.clock.now);
  assert.deepEqual([waiting?.webhookId, waiting?.receiver], [id, "backoff"]);
  await world.query(`update webhook_queues set failing_since = 0 where webhook_id = '${id}'`);
  const line = (await examine(world.settings)).find(({ check }) => check === "deliveries");
  assert.deepEqual(
    [line?.status, line?.detail],
    ["warning", `${id} of ${owner.id} fails since 1970-01-01T00:00:00.000Z`],
  );
  await untilShown(world, ({ healthy, backoff, unclaimed, stalled }) => {
    return backoff >= HALF_HOUR && healthy === 0 && unclaimed < 60 && stalled < 60;
  });
  // Outcomes can't be stored: the lease is renewed, and no delivery is completed.
  receiver.respond(200);
  for (const response of responses) response.end();
  await world.query("alter table webhook_attempts rename to webhook_attempts_away");
  const other = await openOwner(world);
  const healthy = await startReceiver();
  await other.hook(healthy.url);
  await other.publish();
  await healthy.until(({ length }) => length > 0);
  world.clock.advance(50_000);
  await untilShown(world, (shown) => shown.stalled >= 50 && shown.healthy >= 50);
  await world.query("alter table webhook_attempts_away rename to webhook_attempts");
  await untilShown(world, (shown) => shown.stalled < 50 && shown.healthy === 0);
});

test("a webhook that no process delivers to is shown", async () => {
  const world = await startOwnApp(LOOPBACK, undefined, { delivery: { maxLeased: 0 } });
  const owner = await openOwner(world);
  const { id } = await owner.hook((await startReceiver()).url);
  await owner.publish();
  world.clock.advance(HALF_HOUR * 1000);
  await untilShown(world, ({ healthy, unclaimed }) => healthy >= HALF_HOUR && unclaimed >= HALF_HOUR);
  // Doctor goes by the clock of the machine, which is years behind.
  const examineAt = async (dueAt: number) => {
    await world.query(`update webhook_deliveries set due_at = ${dueAt}`);
    return (await examine(world.settings)).find(({ check }) => check === "deliveries");
  };
  const { status, detail } = (await examineAt(0)) ?? {};
  assert.deepEqual([status, detail], ["warning", `${id} of ${owner.id} is behind: due since 1970-01-01T00:00:00.000Z`]);
  assert.equal((await examineAt(Date.now() - 9 * 60_000))?.status, "ok");
});

test("refusals that protect the service are counted by their code", async () => {
  const limited = await startOwnApp({ rateLimit: "1" });
  // The harness has used the one permitted request.
  for (let sent = 0; sent < 2; sent++) assert.equal((await limited.request("GET", "/v2/user")).status, 429);
  const page = parseMetrics((await limited.request("GET", "/metrics", { token: null })).text);
  assert.equal(page.value('reeve_http_requests_refused_total{code="too_many_requests"}'), 2);
});

test("no label is an id, a name, an address or a credential", async () => {
  const { series } = await scrape();
  for (const name of series.keys()) {
    assert.doesNotMatch(name, /\b(?:user|usr|team|whk|req|uev|tok|key)_[0-9A-Za-z]{8}|@|127\.0\.0\.1|rv[tk]_/, name);
  }
});
