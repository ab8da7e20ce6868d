// One webhook: its state, a try-out, and its deliveries.
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation, useParams } from "wouter";
import type { Output } from "../../api/endpoints.ts";
import { useApi, useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { ChangeWebhook } from "./change-webhook.tsx";
import { Deliveries } from "./deliveries.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { VerifyCode } from "./verify-code.tsx";
import { HealthOf } from "./health.tsx";
import { usePageTitle } from "../../parts/page-title.tsx";

const ORDERINGS = {
  parallel: "a failed delivery delays no other",
  strict: "one at a time, in the order of the events",
};

type Webhook = Output<"GET /v1/webhooks/:webhookId">;

function TryOut({ webhook, why }: { readonly webhook: Webhook; readonly why: string | null }): ReactNode {
  const teamId = useTeamId();
  const send = useChange("POST /v1/webhooks/:webhookId/test");
  const { data } = send;
  return (
    <>
      <Button
        kind="plain"
        disabledBecause={why}
        busy={send.isPending}
        onClick={() => send.mutate({ params: { webhookId: webhook.id }, query: { teamId } })}
      >
        Send a test
      </Button>
      {send.error && <Problem error={send.error} />}
      {data && (
        <div className={data.delivered ? "notice good" : "notice"} aria-live="polite">
          <p>
            {data.error
              ? `No response: ${data.error.message}`
              : `The receiver responded with ${data.status ?? ""} after ${data.durationMs} ms.`}
          </p>
          {data.responseBody && <pre className="value">{data.responseBody}</pre>}
        </div>
      )}
    </>
  );
}

function RotateSecret({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }): ReactNode {
  const teamId = useTeamId();
  const rotate = useChange("POST /v1/webhooks/:webhookId/rotate-secret");
  const act = (): void => rotate.mutate({ params: { webhookId: webhook.id }, query: { teamId } });
  return (
    <Dialog title="Replace the secret" onClose={onClose}>
      <p>For a day the previous secret signs, too, so that the receiver can change over.</p>
      {rotate.error && <Refusal error={rotate.error} retry={act} />}
      {rotate.data ? (
        <ShownOnce label="Secret" value={rotate.data.secret} />
      ) : (
        <footer>
          <Button busy={rotate.isPending} onClick={act}>
            Replace the secret
          </Button>
        </footer>
      )}
    </Dialog>
  );
}

function DeleteWebhook({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }): ReactNode {
  const teamId = useTeamId();
  const [, navigate] = useLocation();
  const remove = useChange("DELETE /v1/webhooks/:webhookId", () => navigate(`/teams/${teamId}/webhooks`));
  return (
    <Confirm
      title="Delete this webhook?"
      what="Its log is deleted as well, and what waits is not sent."
      label="Delete"
      change={remove}
      onConfirm={() => remove.mutate({ params: { webhookId: webhook.id }, query: { teamId } })}
      onClose={onClose}
    />
  );
}

export function WebhookPage(): ReactNode {
  const teamId = useTeamId();
  const { webhook: webhookId } = useParams<{ readonly webhook: string }>();
  const [open, setOpen] = useState<"change" | "rotate" | "replay" | "delete" | null>(null);
  const why = useWhyNot("webhook:write");
  const found = useApi("GET /v1/webhooks/:webhookId", { params: { webhookId }, query: { teamId } });
  const update = useChange("PATCH /v1/webhooks/:webhookId");
  usePageTitle(found.data?.value.description ?? found.data?.value.url);
  const problem = found.error && <Problem error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return problem ?? <Skeleton />;
  const webhook = found.data.value;
  const toggle = (): void =>
    update.mutate({ params: { webhookId }, query: { teamId }, body: { active: !webhook.active } });
  return (
    <>
      {problem}
      <section className="panel">
        <dl>
          <dt>URL</dt>
          <dd>
            <code>{webhook.url}</code>
          </dd>
          <dt>State</dt>
          <dd>
            <HealthOf webhook={webhook} />
          </dd>
          <dt>Events</dt>
          <dd>
            <code>{webhook.events.join(", ")}</code>
          </dd>
          <dt>Order</dt>
          <dd>{ORDERINGS[webhook.ordering]}</dd>
        </dl>
        {update.error && <Problem error={update.error} />}
        <div className="tools">
          <TryOut webhook={webhook} why={why} />
          <Button kind="plain" disabledBecause={why} busy={update.isPending} onClick={toggle}>
            {webhook.active ? "Deactivate" : "Activate"}
          </Button>
          <Button kind="plain" disabledBecause={why} onClick={() => setOpen("change")}>
            Change
          </Button>
          <Button kind="plain" disabledBecause={why} onClick={() => setOpen("rotate")}>
            Replace the secret
          </Button>
          <Button kind="plain" disabledBecause={why} onClick={() => setOpen("replay")}>
            Send again
          </Button>
          <Button kind="danger" disabledBecause={why} onClick={() => setOpen("delete")}>
            Delete
          </Button>
        </div>
      </section>
      <VerifyCode />
      <h2 className="above">Deliveries</h2>
      <Deliveries webhookId={webhookId} why={why} />
      {open === "change" && <ChangeWebhook found={found.data} onClose={() => setOpen(null)} />}
      {open === "rotate" && <RotateSecret webhook={webhook} onClose={() => setOpen(null)} />}
      {open === "replay" && <ReplayDialog webhookId={webhookId} onClose={() => setOpen(null)} />}
      {open === "delete" && <DeleteWebhook webhook={webhook} onClose={() => setOpen(null)} />}
    </>
  );
}
