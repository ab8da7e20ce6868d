// The log of one team under load: its writes and their outcomes, compared with its chain, its state and its deliveries.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import type { Body } from "../../harness/test-app.ts";
import type { Receiver } from "../../webhooks/receiver.ts";
import { PROJECT, PUBLISHED, emptyTeam } from "./mixed-writes.ts";
import type { Outcome, Write } from "./mixed-writes.ts";
import type { RetryingClient } from "./retrying-client.ts";

/** Error codes that mean that nothing was executed. After any other failure the outcome is unknown. */
export const NOT_EXECUTED: ReadonlySet<string> = new Set([
  "shutting_down",
  "storage_full",
  "store_unavailable",
  "store_busy",
  "too_many_requests",
  "idempotency_key_in_use",
]);

interface Entry {
  readonly write: Write;
  outcome: Outcome;
}

/** An event, as exported with its chain. */
interface ChainedEvent {
  readonly sequence: number;
  readonly type: string;
  readonly entityId: string;
  readonly payload: Body;
}

export interface TeamLog {
  readonly slug: string;
  readonly ordering: "strict" | "parallel";
  /** In the order in which they were sent, by their ids. */
  readonly entries: Map<string, Entry>;
  /** Acknowledged writes that the chain was not yet searched for. */
  readonly unread: Set<string>;
  /** The events read so far, and the events of each write. */
  readonly events: ChainedEvent[];
  readonly recorded: Map<string, ChainedEvent[]>;
  lastHash: string;
}

export function openTeamLog(slug: string, ordering: TeamLog["ordering"]): TeamLog {
  return { slug, ordering, entries: new Map(), unread: new Set(), events: [], recorded: new Map(), lastHash: "" };
}

/** Reads the new events of the chain, verifies their hashes, and looks for the writes acknowledged before. */
export async function followChain(client: RetryingClient, teamLog: TeamLog): Promise<void> {
  const { slug, events, recorded, unread } = teamLog;
  const acknowledged = [...unread];
  const { status, text } = await client.read(`/v1/events?slug=${slug}&form=chain&after=${events.length}`, {
    accept: "application/x-ndjson",
  });
  const isAbsent = status === 404 && events.length === 0;
  if (!isAbsent) assert.equal(status, 200, text);
  for (const line of isAbsent ? [] : text.split("\n").slice(0, -1)) {
    const { columns, hash: told } = JSON.parse(line);
    const worked = hash("sha256", `${teamLog.lastHash}\n${JSON.stringify(columns)}`, "hex");
    assert.equal(told, worked, `${slug}: the chain is broken at ${columns[1]}`);
    assert.equal(columns[1], events.length + 1, `${slug}: an event is missing`);
    teamLog.lastHash = told;
    const event = { sequence: columns[1], type: columns[3], entityId: columns[14], payload: JSON.parse(columns[18]) };
    events.push(event);
    const requestId: string = JSON.parse(columns[9]).clientRequestId ?? columns[13];
    recorded.set(requestId, [...(recorded.get(requestId) ?? []), event]);
  }
  for (const id of acknowledged) {
    assert.ok(recorded.has(id), `${id} (${teamLog.entries.get(id)?.write.kind}) was acknowledged and is gone`);
    unread.delete(id);
  }
}

/**
 * Each write is recorded completely or not at all, as its response said; all writes of a kind record the same event types.
 * Returns how many writes with an unknown outcome were applied.
 */
export function checkWrites({ slug, entries, recorded }: TeamLog, typesOfKind: Map<string, string>): number {
  let applied = 0;
  for (const [id, { write, outcome }] of entries) {
    const types = recorded.get(id)?.map(({ type }) => type);
    if (outcome.kind === "refused") {
      assert.equal(types, undefined, `${id} was refused with ${outcome.code}, and is recorded`);
      const isExpected = write.refusals.includes(outcome.code) || NOT_EXECUTED.has(outcome.code);
      assert.ok(isExpected, `${id} (${write.kind}) was refused with ${outcome.code}`);
    }
    if (!types) continue;
    if (outcome.kind === "undecided") applied++;
    const whole = typesOfKind.get(write.kind) ?? types.join();
    typesOfKind.set(write.kind, whole);
    assert.equal(types.join(), whole, `${id} (${write.kind}) was applied in part`);
    if (write.kind === "event-publish") {
      assert.deepEqual(recorded.get(id)?.[0]?.payload, (write.body as Body).payload);
    }
  }
  for (const id of recorded.keys()) {
    assert.ok(entries.has(id) || !id.startsWith(`${slug}.`), `${id} is recorded and was not sent`);
  }
  // The writes were sent one after another.
  const inOrder = (ids: Iterable<string>) => [...ids].filter((id) => entries.get(id)?.outcome.kind === "acknowledged");
  assert.deepEqual(inOrder(recorded.keys()), inOrder(entries.keys()));
  return applied;
}

/** Asserts that the team's state is the result of the writes in its chain. */
export async function checkState(client: RetryingClient, { slug, entries, recorded }: TeamLog): Promise<void> {
  const expected = emptyTeam();
  for (const id of recorded.keys()) entries.get(id)?.write.apply(expected);

  const read = async (path: string): Promise<Body> => (await client.read(path)).body;
  const { members } = await read(`/v2/teams/${slug}/members?limit=100`);
  const { secrets } = await read(`/v2/secrets?slug=${slug}&limit=100`);
  const firewall = await read(`/v1/firewalls/active?slug=${slug}&projectId=${PROJECT}`);
  const revealed: Record<string, unknown> = {};
  for (const { uid, name } of secrets) {
    const { value, version } = await read(`/v2/secrets/${uid}?slug=${slug}&decrypt=true`);
    revealed[name] = { value, version };
  }
  const invited = members.filter(({ confirmed }: Body) => !confirmed);
  assert.deepEqual(
    {
      name: (await read(`/v2/teams/${slug}`)).name,
      members: Object.fromEntries(invited.map(({ uid, role }: Body) => [uid, role])),
      rule: firewall.error?.code === "not_found" ? null : firewall.rules[0].name,
      secrets: revealed,
    },
    {
      name: expected.name,
      members: Object.fromEntries(expected.members),
      rule: expected.rule,
      secrets: Object.fromEntries(
        [...expected.secrets.values()].map(({ name, value, version }) => [name, { value, version }]),
      ),
    },
    slug,
  );
}

/** The id of the team's webhook, from its chain. */
export function webhookOf({ events }: TeamLog): string | undefined {
  return events.find(({ type }) => type === "webhook-created")?.entityId;
}

/** The delivery log of the webhook, by sequence. */
async function readLog(
  client: RetryingClient,
  { slug, events }: TeamLog,
  webhookId: string,
): Promise<Map<number, Body>> {
  const log = new Map<number, Body>();
  for (let before = events.length + 1; ;) {
    const path = `/v1/webhooks/${webhookId}/deliveries?slug=${slug}&limit=100&before=${before}`;
    const { deliveries } = (await client.read(path)).body;
    if (deliveries.length === 0) return log;
    for (const delivery of deliveries) log.set((before = delivery.sequence), delivery);
  }
}

/**
 * Every event since the webhook's creation has its delivery, and the received payloads match the events. `count` gets the
 * outcome of each delivery: `once`, `moreThanOnce`, or the logged state of one that was not received.
 */
export async function checkDeliveries(
  client: RetryingClient,
  teamLog: TeamLog,
  receiver: Receiver,
  count: (what: string) => void,
): Promise<void> {
  const { slug, ordering, events } = teamLog;
  const webhookId = webhookOf(teamLog);
  const log = webhookId === undefined ? new Map<number, Body>() : await readLog(client, teamLog, webhookId);
  // The webhook's creation is its first event.
  const first = webhookId === undefined ? events.length : events.findIndex(({ entityId }) => entityId === webhookId);
  assert.deepEqual(
    [...log.keys()].toReversed(),
    events.slice(first).map(({ sequence }) => sequence),
    `${slug}: deliveries are missing, or too many`,
  );
  const received = receiver.received.filter(({ path }) => path === `/${slug}`);
  for (const { body } of received) {
    const event = events[body.sequence - 1];
    assert.ok(log.has(body.sequence), `${slug}: ${body.sequence} was received and is in no log`);
    assert.equal(body.type, event?.type, `${slug}: received what did not happen`);
    if (body.type === PUBLISHED) assert.deepEqual(body.payload, event?.payload);
  }
  const times = Map.groupBy(received, ({ body }) => body.sequence as number);
  for (const [sequence, { state, status, errorStage }] of log) {
    const sent = times.get(sequence)?.length ?? 0;
    assert.ok(sent > 0 || state !== "delivered", `${slug}: ${sequence} is said to be delivered, and was not received`);
    if (sent > 0) count(sent === 1 ? "once" : "moreThanOnce");
    else count(`${state} ${errorStage ?? status ?? ""}`.trim());
  }
  if (ordering !== "strict") return;
  // In order, except for deliveries that were repeated because their outcome was unknown.
  const order = [...times.keys()];
  assert.ok(
    order.every((sequence, at) => at === 0 || sequence > (order[at - 1] as number)),
    `${slug}: deliveries overtook each other: ${order.join()}`,
  );
}
