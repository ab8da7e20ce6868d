// The instance as a whole: what serves it, its health in words, backups, master keys, and what waits to be sent.
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApi } from "../../api/queries.ts";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Prose } from "../../parts/prose.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { TEXTS, fill } from "../../texts.ts";
import { InstanceNav } from "./instance-nav.tsx";

const T = TEXTS.instance;
const EVERY_MS = 15_000;
/** Where the server stops counting. */
const MOST = 10_000;
const STATE_CLASSES = { ok: "badge good", warning: "badge warn", fault: "badge bad" };

type Report = Output<"GET /v1/instance">;

function shownCount(count: number): string {
  const text = count.toLocaleString("en");
  return count >= MOST ? fill(T.atLeast, { count: text }) : text;
}

/** What the page calls a check; one that it does not know has the server's name. */
function checkName(check: string): string {
  return (T.checks as Readonly<Record<string, string>>)[check] ?? check;
}

function Server({ version, node, engine, data, url }: Report): ReactNode {
  return (
    <section className="panel">
      <h2>{T.server}</h2>
      <dl>
        <dt>{T.version}</dt>
        <dd>{version}</dd>
        <dt>{T.node}</dt>
        <dd>{node}</dd>
        <dt>{T.engine}</dt>
        <dd>{T.engines[engine]}</dd>
        <dt>{T.data}</dt>
        <dd>
          <code>{data}</code>
        </dd>
        <dt>{T.url}</dt>
        <dd>{url ?? T.noUrl}</dd>
      </dl>
    </section>
  );
}

function Health({ checks }: Report): ReactNode {
  return (
    <section>
      <h2>{T.health}</h2>
      <p>{T.healthWhat}</p>
      <Table columns={[T.check, T.found, T.advice]}>
        {checks.map(({ check, code, status, detail, advice }) => (
          <tr key={`${check} ${code}`}>
            <th scope="row">
              <strong>{checkName(check)}</strong>
              <span className={STATE_CLASSES[status]}>{T.states[status]}</span>
            </th>
            <td>
              <Prose text={detail} />
            </td>
            <td>{advice === null ? "–" : <Prose text={advice} />}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Backup({ backup: { lastAt, detail } }: Report): ReactNode {
  return (
    <section className="panel">
      <h2>{T.backup}</h2>
      <p>
        {lastAt === null ? (
          <Prose text={detail} />
        ) : (
          <>
            {T.lastBackup} <Time at={lastAt} />.
          </>
        )}
      </p>
      <p className="quiet">{T.howBackup}</p>
    </section>
  );
}

function Keys({ keys: { masterKeys, behind } }: Report): ReactNode {
  return (
    <section className="panel">
      <h2>{T.keys}</h2>
      <p>{T.keysWhat}</p>
      <ul className="plain-list">
        {masterKeys.map(({ id, isActive, isPresent }) => (
          <li key={id}>
            <code>{id}</code>{" "}
            <span className={isActive ? "badge good" : "badge"}>{isActive ? T.active : T.former}</span>
            {!isPresent && <span className="badge bad">{T.missing}</span>}
          </li>
        ))}
      </ul>
      {masterKeys.every(({ isActive }) => !isActive) && <p>{T.noKey}</p>}
      <p>{behind === 0 ? T.rotated : fill(T.behind, { count: shownCount(behind) })}</p>
    </section>
  );
}

function Queues({ deliveries, mails }: Report): ReactNode {
  const queues = [
    { name: T.deliveries, ...deliveries },
    { name: T.mails, ...mails },
  ];
  return (
    <section>
      <h2>{T.queues}</h2>
      <Table columns={[T.queue, T.waiting, T.oldest]}>
        {queues.map(({ name, waiting, oldestDueAt }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{shownCount(waiting)}</td>
            <td>{oldestDueAt === null ? waiting === 0 ? "–" : T.notDue : <Time at={oldestDueAt} />}</td>
          </tr>
        ))}
      </Table>
      <p>
        {fill(T.failing, { count: shownCount(deliveries.failing) })}{" "}
        {fill(T.inactive, { count: shownCount(deliveries.inactive) })}
      </p>
      {deliveries.late.length > 0 && <h3>{T.late}</h3>}
      {deliveries.late.length > 0 && (
        <Table columns={[T.webhook, T.owner, T.state, T.since]}>
          {deliveries.late.map(({ webhookId, ownerId, state, since }) => (
            <tr key={webhookId}>
              <th scope="row">
                <code>{webhookId}</code>
              </th>
              <td>
                <code>{ownerId}</code>
              </td>
              <td>{T.lateStates[state]}</td>
              <td>
                <Time at={since} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

export function InstancePage(): ReactNode {
  const { data, error, refetch } = useApi("GET /v1/instance", {}, { every: EVERY_MS });
  return (
    <>
      <InstanceNav />
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && (
        <>
          <Health {...data.value} />
          <Queues {...data.value} />
          <Keys {...data.value} />
          <Backup {...data.value} />
          <Server {...data.value} />
        </>
      )}
    </>
  );
}
