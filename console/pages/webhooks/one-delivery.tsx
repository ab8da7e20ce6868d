// One delivery: each attempt with its response, when the next one is, the request, and the button to send it again.
import { Clock, History, Send, X, Check } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import type { Output } from "../../api/endpoints.ts";
import { useApi, useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Segment } from "../../parts/segment.tsx";
import { Time } from "../../parts/time.tsx";
import { quoted } from "../api/snippets.ts";
import { DeliveryState, TestBadge } from "./delivery-states.tsx";
import "../../style/decision.css";

/** An attempt is seen soon after it was made. */
const LOOK_MS = 2_000;

type Found = Output<"GET /v1/webhooks/:webhookId/deliveries/:deliveryId">;
type Attempt = Found["attempts"][number];

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function isSuccess({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

function Attempts(props: {
  readonly attempts: readonly Attempt[];
  readonly shown: number | undefined;
  readonly onShow: (number: number) => void;
}): ReactNode {
  const { attempts, shown, onShow } = props;
  return (
    <ol className="steps" aria-label="Attempts">
      {attempts.map((attempt) => (
        <li key={attempt.number}>
          <span className={isSuccess(attempt) ? "knot badge good" : "knot badge bad"}>
            {isSuccess(attempt) ? <Check className="i i-s" /> : <X className="i i-s" />}
          </span>
          <div>
            <button
              type="button"
              className="link"
              aria-pressed={attempt.number === shown}
              onClick={() => onShow(attempt.number)}
            >
              Attempt {attempt.number}
            </button>{" "}
            <code>{attempt.status ?? attempt.error?.message}</code>
          </div>
          <span className="quiet small">
            {attempt.durationMs} ms, <Time at={attempt.startedAt} />
          </span>
        </li>
      ))}
    </ol>
  );
}

function Response({ attempt }: { readonly attempt: Attempt }): ReactNode {
  if (attempt.status === null) return null;
  return (
    <section>
      <header>
        <h3>Response</h3>
        <span className="quiet small">status {attempt.status}</span>
      </header>
      <pre className="value">
        {[headerLines(attempt.responseHeaders), attempt.responseBody || "Empty"].filter(Boolean).join("\n\n")}
      </pre>
      {attempt.isTruncated && <p className="hint">The receiver sent more; the first 16 KiB are kept.</p>}
    </section>
  );
}

const PARTS = ["Body", "Headers"] as const;

/** The same request again, by hand: its signature is that of the attempt. curl adds no header, and expands no brackets of the URL. */
function curlOf(url: string, { requestHeaders }: Attempt, body: string): string {
  const headers = Object.entries(requestHeaders).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return ["curl -g", quoted(url), ...headers, "-H accept:", "--data-raw", quoted(body)].join(" ");
}

interface RequestProps {
  readonly url: string | undefined;
  readonly body: string | null;
  readonly attempt: Attempt | undefined;
}

function Request({ url, body, attempt }: RequestProps): ReactNode {
  const [part, setPart] = useState<(typeof PARTS)[number]>("Body");
  const text = part === "Body" ? indented(body ?? "No longer stored") : headerLines(attempt?.requestHeaders ?? {});
  return (
    <section>
      <header>
        <h3>Request</h3>
        <Segment label="Part of the request" values={PARTS} value={part} onChange={setPart} />
      </header>
      <pre className="value">{text}</pre>
      <div className="tools">
        <CopyButton text={part === "Body" ? (body ?? "") : text} />
        {url !== undefined && attempt && body !== null && (
          <CopyButton text={curlOf(url, attempt, body)} words="Copy as curl" />
        )}
      </div>
    </section>
  );
}

function Shown({
  found: { delivery, requestBody, attempts },
  url,
}: Pick<Props, "url"> & { readonly found: Found }): ReactNode {
  const [number, setNumber] = useState<number | null>(null);
  const attempt = attempts.find((one) => one.number === number) ?? attempts[0];
  return (
    <>
      {attempts.length === 0 && <p className="quiet">It was not tried yet.</p>}
      <Attempts attempts={attempts} shown={attempt?.number} onShow={setNumber} />
      {delivery.nextAttemptAt !== null && (
        <p className="notice calm">
          <Clock className="i" />
          Next attempt <Time at={delivery.nextAttemptAt} />
        </p>
      )}
      {attempt && <Response attempt={attempt} />}
      <Request url={url} body={requestBody} attempt={attempt} />
    </>
  );
}

interface Props {
  readonly webhookId: string;
  /** Undefined: it is not known yet. */
  readonly url: string | undefined;
  readonly deliveryId: string;
  readonly why: string | null;
  readonly onStep: (by: 1 | -1) => void;
  readonly onClose: () => void;
}

export function OneDelivery({ webhookId, url, deliveryId, why, onStep, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const query = { teamId };
  const params = { webhookId, deliveryId };
  const found = useApi("GET /v1/webhooks/:webhookId/deliveries/:deliveryId", { params, query }, { every: LOOK_MS });
  const again = useChange("POST /v1/webhooks/:webhookId/deliveries/:deliveryId/redeliver");
  const delivery = found.data?.value.delivery;
  return (
    <Drawer
      title={
        delivery ? (
          <>
            <code>{delivery.type}</code> <DeliveryState delivery={delivery} /> <TestBadge delivery={delivery} />
          </>
        ) : (
          "Delivery"
        )
      }
      onStep={onStep}
      onClose={onClose}
      foot={
        <>
          <Button
            kind="plain"
            disabledBecause={why}
            busy={again.isPending}
            onClick={() => again.mutate({ params, query })}
          >
            <Send className="i" />
            Send again
          </Button>
          {delivery && (
            <Link
              className="button plain"
              href={`${ADDRESSES.events.replace(":team", encodeURIComponent(teamId))}?event=${delivery.sequence}`}
            >
              <History className="i" />
              Show event
            </Link>
          )}
        </>
      }
    >
      {found.error && <Problem error={found.error} />}
      {again.error && <Problem error={again.error} />}
      {found.isPending && <Skeleton rows={3} />}
      {found.data && <Shown key={deliveryId} url={url} found={found.data.value} />}
    </Drawer>
  );
}
