// One delivery: its request, each attempt with its response, when the next one is, and the button to deliver once more.
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApi, useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Time } from "../../parts/time.tsx";
import { DELIVERY_STATES } from "./delivery-states.ts";

/** An attempt is seen soon after it was made. */
const LOOK_MS = 2_000;

type Found = Output<"GET /v1/webhooks/:webhookId/deliveries/:deliveryId">;
export type Delivery = Found["delivery"];
type Attempt = Found["attempts"][number];

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

function OneAttempt({ attempt, isOpen }: { readonly attempt: Attempt; readonly isOpen: boolean }): ReactNode {
  const { number, status, error, startedAt, durationMs, requestHeaders, responseHeaders, responseBody } = attempt;
  return (
    <details open={isOpen}>
      <summary>
        {number}. {error ? error.message : `status ${status ?? ""}`}, <Time at={startedAt} />, {durationMs} ms
      </summary>
      <h4>Request’s headers</h4>
      <pre className="value">{headerLines(requestHeaders)}</pre>
      {status !== null && (
        <>
          <h4>Response</h4>
          <pre className="value">
            {[headerLines(responseHeaders), responseBody || "Empty"].filter(Boolean).join("\n\n")}
          </pre>
          {attempt.isTruncated && <p className="hint">The receiver sent more; the first 16 KiB are kept.</p>}
        </>
      )}
    </details>
  );
}

function Shown({ found: { delivery, requestBody, attempts } }: { readonly found: Found }): ReactNode {
  return (
    <>
      <p>
        {DELIVERY_STATES[delivery.state]}
        {delivery.nextAttemptAt !== null && (
          <>
            {" · "}
            Next attempt <Time at={delivery.nextAttemptAt} />
          </>
        )}
      </p>
      <h3>Request</h3>
      <pre className="value">{requestBody ?? "Empty"}</pre>
      {requestBody !== null && <CopyButton text={requestBody} />}
      <h3>Attempts</h3>
      {attempts.length === 0 && <p className="quiet">It was not tried yet.</p>}
      {attempts.map((attempt, at) => (
        <OneAttempt key={attempt.number} attempt={attempt} isOpen={at === 0} />
      ))}
    </>
  );
}

interface Props {
  readonly delivery: Delivery;
  readonly why: string | null;
  readonly onClose: () => void;
}

export function OneDelivery({ delivery, why, onClose }: Props): ReactNode {
  const query = { teamId: useTeamId() };
  const params = { webhookId: delivery.webhookId, deliveryId: delivery.id };
  const found = useApi("GET /v1/webhooks/:webhookId/deliveries/:deliveryId", { params, query }, { every: LOOK_MS });
  const again = useChange("POST /v1/webhooks/:webhookId/deliveries/:deliveryId/redeliver");
  return (
    <Dialog title={delivery.type} onClose={onClose}>
      {found.error && <Problem error={found.error} />}
      {found.isPending && <Skeleton rows={3} />}
      {found.data && <Shown found={found.data.value} />}
      {again.error && <Problem error={again.error} />}
      <footer>
        <Button disabledBecause={why} busy={again.isPending} onClick={() => again.mutate({ params, query })}>
          Send again
        </Button>
      </footer>
    </Dialog>
  );
}
