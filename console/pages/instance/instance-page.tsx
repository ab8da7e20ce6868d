// The instance as a whole: what serves it, its health in words, backups, master keys, and what waits to be sent.
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApi } from "../../api/queries.ts";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Prose } from "../../parts/prose.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";

const CHECK_NAMES = {
  store: "Database",
  schema: "Schema",
  keys: "Master keys",
  deliveries: "Deliveries",
  clock: "Clock",
  settings: "Settings",
  disk: "Disk",
};
const ENGINES = { sqlite: "SQLite, embedded", postgres: "PostgreSQL" };
const STATES = { ok: "fine", warning: "look at it", fault: "broken" };
const LATE_STATES = { failing: "fails", slow: "behind" };
const EVERY_MS = 15_000;
/** Where the server stops counting. */
const MOST = 10_000;
const STATE_CLASSES = { ok: "badge good", warning: "badge warn", fault: "badge bad" };

type Report = Output<"GET /v1/instance">;

function shownCount(count: number): string {
  const text = count.toLocaleString("en");
  return count >= MOST ? `${text} or more` : text;
}

/** What the page calls a check; one that it does not know has the server's name. */
function checkName(check: string): string {
  return (CHECK_NAMES as Readonly<Record<string, string>>)[check] ?? check;
}

function Server({ version, node, engine, data, url }: Report): ReactNode {
  return (
    <section className="panel">
      <h2>The server</h2>
      <dl>
        <dt>Reeve</dt>
        <dd>{version}</dd>
        <dt>Node.js</dt>
        <dd>{node}</dd>
        <dt>Database</dt>
        <dd>{ENGINES[engine]}</dd>
        <dt>Data</dt>
        <dd>
          <code>{data}</code>
        </dd>
        <dt>Address</dt>
        <dd>{url ?? "not known: set REEVE_PUBLIC_URL"}</dd>
      </dl>
    </section>
  );
}

function Health({ checks }: Report): ReactNode {
  return (
    <section>
      <h2>Health</h2>
      <p>What this process finds now. For more, on the server: reeve doctor.</p>
      <Table columns={["Check", "Found", "What to do"]}>
        {checks.map(({ check, code, status, detail, advice }) => (
          <tr key={`${check} ${code}`}>
            <th scope="row">
              <strong>{checkName(check)}</strong>
              <span className={STATE_CLASSES[status]}>{STATES[status]}</span>
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
      <h2>Backups</h2>
      <p>
        {lastAt === null ? (
          <Prose text={detail} />
        ) : (
          <>
            The newest was made <Time at={lastAt} />.
          </>
        )}
      </p>
      <p className="quiet">How to make and check backups: docs/backup.md.</p>
    </section>
  );
}

function Keys({ keys: { masterKeys, behind } }: Report): ReactNode {
  return (
    <section className="panel">
      <h2>Master keys</h2>
      <p>They seal the keys of secrets and of webhooks.</p>
      <ul className="plain-list">
        {masterKeys.map(({ id, isActive, isPresent }) => (
          <li key={id}>
            <code>{id}</code>{" "}
            <span className={isActive ? "badge good" : "badge"}>{isActive ? "active" : "former"}</span>
            {!isPresent && <span className="badge bad">missing here</span>}
          </li>
        ))}
      </ul>
      {masterKeys.every(({ isActive }) => !isActive) && <p>None is active yet.</p>}
      <p>
        {behind === 0
          ? "Every stored value is under the active key."
          : `Values that are not under the active key yet: ${shownCount(behind)}. On the server: reeve keys rotate.`}
      </p>
    </section>
  );
}

function Queues({ deliveries, mails }: Report): ReactNode {
  const queues = [
    { name: "Deliveries to webhooks", ...deliveries },
    { name: "Mails", ...mails },
  ];
  return (
    <section>
      <h2>What waits to be sent</h2>
      <Table columns={["Queue", "Waiting", "Oldest due"]}>
        {queues.map(({ name, waiting, oldestDueAt }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{shownCount(waiting)}</td>
            <td>{oldestDueAt === null ? waiting === 0 ? "–" : "none is due yet" : <Time at={oldestDueAt} />}</td>
          </tr>
        ))}
      </Table>
      <p>
        Webhooks that fail while deliveries wait: {shownCount(deliveries.failing)}. Webhooks that are deactivated or
        disabled: {shownCount(deliveries.inactive)}.
      </p>
      {deliveries.late.length > 0 && <h3>Late for longest</h3>}
      {deliveries.late.length > 0 && (
        <Table columns={["Webhook", "Owner", "State", "Since"]}>
          {deliveries.late.map(({ webhookId, ownerId, state, since }) => (
            <tr key={webhookId}>
              <th scope="row">
                <code>{webhookId}</code>
              </th>
              <td>
                <code>{ownerId}</code>
              </td>
              <td>{LATE_STATES[state]}</td>
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
