// The instance as a whole: what serves it, its health in words, backups, master keys, and what waits to be sent.
import { CircleCheck, OctagonX, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApi } from "../../api/queries.ts";
import { formatCount } from "../../parts/numbers.ts";
import { PageBadges } from "../../parts/page-title.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Prose } from "../../parts/prose.tsx";
import { Problem } from "../../parts/problem.tsx";
import { sentence } from "../../parts/sentence.ts";
import { DataTable } from "../../parts/table.tsx";
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
const STATES = {
  ok: { word: "Fine", tone: "good", Icon: CircleCheck },
  warning: { word: "Look at it", tone: "warn", Icon: TriangleAlert },
  fault: { word: "Broken", tone: "bad", Icon: OctagonX },
};
const LATE_STATES = { failing: "Failing", slow: "Behind" };
const EVERY_MS = 15_000;
/** Where the server stops counting. */
const MOST = 10_000;

type Report = Output<"GET /v1/instance">;

function shownCount(count: number): string {
  const text = formatCount(count);
  return count >= MOST ? `${text} or more` : text;
}

/** What the page calls a check; one that it does not know has the server's name. */
function checkName(check: string): string {
  return (CHECK_NAMES as Readonly<Record<string, string>>)[check] ?? check;
}

function Server({ version, node, engine, data, url }: Report): ReactNode {
  return (
    <section className="panel">
      <h2>Server</h2>
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
        <dd>{url ?? "Not known: set REEVE_PUBLIC_URL"}</dd>
      </dl>
    </section>
  );
}

function Health({ checks }: Report): ReactNode {
  const found = checks.filter(({ status }) => status !== "ok").length;
  return (
    <section className="panel">
      {found > 0 && (
        <PageBadges>
          <span className="badge warn">
            <TriangleAlert className="i i-s" />
            {found} to look at
          </span>
        </PageBadges>
      )}
      <header>
        <h2>Health</h2>
        <span className="small">
          More on the server: <code>reeve doctor</code>
        </span>
      </header>
      <ul className="rows">
        {checks.map(({ check, code, status, detail, advice }) => {
          const { word, tone, Icon } = STATES[status];
          return (
            <li key={`${check} ${code}`}>
              <span className={`need-icon ${tone}`}>
                <Icon className="i" />
                <span className="hidden">{word}</span>
              </span>
              <span className="grow">
                <strong>{checkName(check)}</strong>
                <span className="small">
                  <Prose text={sentence(detail)} />
                </span>
                {advice !== null && (
                  <span className="small">
                    <Prose text={sentence(advice)} />
                  </span>
                )}
              </span>
            </li>
          );
        })}
      </ul>
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
      <p className="small">
        {behind === 0
          ? "Every stored value is under the active key."
          : `Values that are not under the active key yet: ${shownCount(behind)}. On the server: reeve keys rotate.`}
      </p>
      <ul className="rows">
        {masterKeys.map(({ id, isActive, isPresent }) => (
          <li key={id}>
            <code className="grow">{id}</code>
            {!isPresent && <span className="badge bad">Missing here</span>}
            <span className={isActive ? "badge good" : "badge"}>{isActive ? "Active" : "Former"}</span>
          </li>
        ))}
        {masterKeys.every(({ isActive }) => !isActive) && <li>None is active yet.</li>}
      </ul>
    </section>
  );
}

function Queues({ deliveries, mails }: Report): ReactNode {
  const queues = [
    { name: "Deliveries", ...deliveries },
    { name: "Mails", ...mails },
  ];
  return (
    <section>
      <h2>Waiting to be sent</h2>
      <DataTable
        label="Queues"
        rows={queues}
        keyOf={({ name }) => name}
        columns={[
          { title: "Queue", cell: ({ name }) => name },
          { title: "Waiting", cell: ({ waiting }) => shownCount(waiting) },
          {
            title: "Oldest due",
            cell: ({ waiting, oldestDueAt }) =>
              oldestDueAt === null ? waiting === 0 ? "None" : "None is due yet" : <Time at={oldestDueAt} />,
          },
        ]}
      />
      <p className="small">
        Webhooks that fail while deliveries wait: {shownCount(deliveries.failing)}. Webhooks that are deactivated or
        disabled: {shownCount(deliveries.inactive)}.
      </p>
      {deliveries.late.length > 0 && <h3>Late for longest</h3>}
      {deliveries.late.length > 0 && (
        <DataTable
          label="Late for longest"
          rows={deliveries.late}
          keyOf={({ webhookId }) => webhookId}
          isWrapped
          columns={[
            { title: "Webhook", cell: ({ webhookId }) => <code>{webhookId}</code> },
            { title: "Owner", cell: ({ ownerId }) => <code>{ownerId}</code> },
            { title: "State", cell: ({ state }) => LATE_STATES[state] },
            { title: "Since", cell: ({ since }) => <Time at={since} />, leaves: "phone" },
          ]}
        />
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
        <div className="beside">
          <div>
            <Health {...data.value} />
            <Queues {...data.value} />
          </div>
          <aside aria-label="About the server">
            <Server {...data.value} />
            <Keys {...data.value} />
            <Backup {...data.value} />
          </aside>
        </div>
      )}
    </>
  );
}
