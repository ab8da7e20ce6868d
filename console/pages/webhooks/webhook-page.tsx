// One webhook: its state, a try-out, and its deliveries.
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation, useParams } from "wouter";
import type { Output } from "../../api/endpoints.ts";
import { useApi, useChange } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { TEXTS, fill } from "../../texts.ts";
import { ChangeWebhook } from "./change-webhook.tsx";
import { Deliveries } from "./deliveries.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { VerifyCode } from "./verify-code.tsx";
import { HealthOf } from "./webhooks-page.tsx";

const T = TEXTS.webhooks;

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
        {T.test}
      </Button>
      {send.error && <Problem error={send.error} />}
      {data && (
        <div className={data.delivered ? "notice good" : "notice"} aria-live="polite">
          <p>
            {data.error
              ? fill(T.testFailed, { message: data.error.message })
              : fill(T.testResponse, { status: data.status ?? "", ms: data.durationMs })}
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
    <Dialog title={T.rotate} onClose={onClose}>
      <p>{T.rotateWhat}</p>
      {rotate.error && <Refusal error={rotate.error} retry={act} />}
      {rotate.data ? (
        <ShownOnce label={T.secret} value={rotate.data.secret} />
      ) : (
        <footer>
          <Button busy={rotate.isPending} onClick={act}>
            {T.rotate}
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
      title={T.deleteTitle}
      what={T.deleteWhat}
      label={T.delete}
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
  const why = useMay("webhook:write") === false ? T.mayNotWrite : null;
  const found = useApi("GET /v1/webhooks/:webhookId", { params: { webhookId }, query: { teamId } });
  const update = useChange("PATCH /v1/webhooks/:webhookId");
  const problem = found.error && <Problem error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return problem ?? <Skeleton />;
  const webhook = found.data.value;
  const toggle = (): void =>
    update.mutate({ params: { webhookId }, query: { teamId }, body: { active: !webhook.active } });
  return (
    <>
      {problem}
      <section className="panel">
        <h2>
          {webhook.url} <HealthOf webhook={webhook} />
        </h2>
        <dl>
          {webhook.description !== null && (
            <>
              <dt>{T.description}</dt>
              <dd>{webhook.description}</dd>
            </>
          )}
          <dt>{T.events}</dt>
          <dd>
            <code>{webhook.events.join(", ")}</code>
          </dd>
          <dt>{T.ordering}</dt>
          <dd>{T.orderings[webhook.ordering]}</dd>
        </dl>
        {update.error && <Problem error={update.error} />}
        <div className="tools">
          <TryOut webhook={webhook} why={why} />
          <Button kind="plain" disabledBecause={why} busy={update.isPending} onClick={toggle}>
            {webhook.active ? T.deactivate : T.activate}
          </Button>
          <Button kind="plain" disabledBecause={why} onClick={() => setOpen("change")}>
            {T.change}
          </Button>
          <Button kind="plain" disabledBecause={why} onClick={() => setOpen("rotate")}>
            {T.rotate}
          </Button>
          <Button kind="plain" disabledBecause={why} onClick={() => setOpen("replay")}>
            {TEXTS.replay.title}
          </Button>
          <Button kind="danger" disabledBecause={why} onClick={() => setOpen("delete")}>
            {T.delete}
          </Button>
        </div>
      </section>
      <VerifyCode />
      <h2 className="above">{TEXTS.deliveries.title}</h2>
      <Deliveries webhookId={webhookId} why={why} />
      {open === "change" && <ChangeWebhook found={found.data} onClose={() => setOpen(null)} />}
      {open === "rotate" && <RotateSecret webhook={webhook} onClose={() => setOpen(null)} />}
      {open === "replay" && <ReplayDialog webhookId={webhookId} onClose={() => setOpen(null)} />}
      {open === "delete" && <DeleteWebhook webhook={webhook} onClose={() => setOpen(null)} />}
    </>
  );
}
