// The home of a team: what needs attention, what its gates decided, how its webhooks are, what ends soon, and recent activity.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { useApi } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { Ends } from "../../parts/ends.tsx";
import { Settled } from "../../parts/settled.tsx";
import { useNow } from "../../parts/time.tsx";
import { DeliveryStrip, HealthOf } from "../webhooks/health.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { Needs } from "./needs.tsx";
import { RecentActivity } from "./recent-activity.tsx";
import { Requests } from "./requests.tsx";

const SHOWN = 5;
const DAY_MS = 86_400_000;
const SOON_DAYS = 30;

function Webhooks(): ReactNode {
  const teamId = useTeamId();
  const list = useApi("GET /v1/webhooks", { query: { teamId, withHealth: true } });
  const webhooks = list.data?.value ?? [];
  const failing = webhooks.filter(({ active, failingSince }) => active && failingSince !== null);
  const shown = [...new Set([...failing, ...webhooks])].slice(0, SHOWN);
  if (shown.length === 0) return null;
  return (
    <section className="panel">
      <header>
        <h2>
          Webhooks <span className="small">24 hours</span>
        </h2>
        <Link href={ADDRESSES.webhooks.replace(":team", teamId)}>All webhooks</Link>
      </header>
      <ul className="rows">
        {shown.map((webhook) => (
          <li key={webhook.id}>
            <span className="grow cut">
              <Link className="thing" href={ADDRESSES.webhook.replace(":team", teamId).replace(":webhook", webhook.id)}>
                {webhook.description || new URL(webhook.url).host}
              </Link>
              {webhook.description && <span className="small">{new URL(webhook.url).host}</span>}
            </span>
            <DeliveryStrip health={webhook.health} />
            <HealthOf webhook={webhook} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function EndingSecrets(): ReactNode {
  const teamId = useTeamId();
  // The same for a day, so that the list is not read anew each time that the clock is looked at.
  const today = Math.floor(useNow() / DAY_MS) * DAY_MS;
  const list = useApi("GET /v2/secrets", {
    query: { teamId, sort: "expiresAt", expiresBefore: today + SOON_DAYS * DAY_MS, limit: SHOWN },
  });
  const secrets = list.data?.value.secrets ?? [];
  if (secrets.length === 0) return null;
  return (
    <section className="panel">
      <header>
        <h2>Secrets that end soon</h2>
        <Link href={`${ADDRESSES.secrets.replace(":team", teamId)}?sort=expiresAt`}>All secrets</Link>
      </header>
      <ul className="rows">
        {secrets.map(({ uid, name, description, tags, expiresAt }) => (
          <li key={uid}>
            <span className="grow cut">
              <Link
                className="thing mono"
                href={ADDRESSES.secret.replace(":team", teamId).replace(":name", encodeURIComponent(name))}
              >
                {name}
              </Link>
              <span className="small">{description || tags.join(", ")}</span>
            </span>
            <Ends at={expiresAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}

export function TeamPage(): ReactNode {
  const maySeeWebhooks = useMay("webhook:read");
  const maySeeSecrets = useMay("secret:read");
  const maySeeEvents = useMay("event:read");
  const maySeeFirewall = useMay("firewall:read");
  const maySetUp = useMay("member:manage");
  return (
    <>
      {maySetUp && <FirstSteps />}
      <Needs />
      <Settled>
        {maySeeFirewall && <Requests />}
        <div className="halves">
          {maySeeWebhooks && <Webhooks />}
          {maySeeSecrets && <EndingSecrets />}
        </div>
        {maySeeEvents && <RecentActivity />}
      </Settled>
    </>
  );
}
