// One webhook: whether it works, a test, its deliveries, and what it wants.
import { CircleAlert, KeyRound, Pause, Pencil, Play, RotateCcw, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation, useParams } from "wouter";
import type { Output } from "../../api/endpoints.ts";
import { useApi, useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Menu } from "../../parts/menu.tsx";
import { PageActions, PageBadges, usePageTitle } from "../../parts/page-title.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { useSearchValue } from "../../parts/search-value.ts";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { ViewTabs } from "../../parts/tabs.tsx";
import { Time } from "../../parts/time.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { ChangeWebhook } from "./change-webhook.tsx";
import { Deliveries } from "./deliveries.tsx";
import { useTotals } from "./delivery-states.tsx";
import { HealthCard, HealthOf } from "./health.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { VerifyCode } from "./verify-code.tsx";
import "../../style/decision.css";

const ORDERINGS = { parallel: "in any order", strict: "in order" };

type Webhook = Output<"GET /v1/webhooks/:webhookId">;
type Tested = Output<"POST /v1/webhooks/:webhookId/test">;

function TestResult({ tested }: { readonly tested: Tested }): ReactNode {
  const [, open] = useSearchValue("delivery");
  return (
    <p className={tested.delivered ? "notice good" : "notice bad"} aria-live="polite">
      {tested.error
        ? `No response: ${tested.error.message}`
        : `The receiver responded with ${tested.status ?? ""} after ${tested.durationMs} ms.`}{" "}
      <button type="button" className="link" onClick={() => open(tested.deliveryId)}>
        Show the test
      </button>
    </p>
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

/** Since when its receiver fails, and the way to send what waits. */
function FailingNote({ webhook, why, onReplay }: { readonly webhook: Webhook } & WhyNot & { onReplay(): void }) {
  const { failingSince } = webhook;
  const waiting = useTotals(webhook.id).shownOf("pending");
  if (failingSince === null || !webhook.active) return null;
  return (
    <div className="notice bad">
      <CircleAlert className="i" />
      <p className="grow">
        {waiting !== undefined && (
          <strong>{waiting === "1" ? "1 delivery waits" : `${waiting} deliveries wait`}. </strong>
        )}
        Every attempt since <Time at={failingSince} /> failed. After five days the webhook is disabled.
      </p>
      <Button kind="plain" disabledBecause={why} onClick={onReplay}>
        <RotateCcw className="i" />
        Send again…
      </Button>
    </div>
  );
}

interface WhyNot {
  readonly why: string | null;
}

const VIEWS = { "": "Deliveries", types: "Event types", verify: "Verify signatures" };

/** The parts of the page, which have addresses of their own. */
function Views({ webhook, why }: { readonly webhook: Webhook } & WhyNot): ReactNode {
  const [view] = useSearchValue("view");
  return (
    <>
      <ViewTabs label="Webhook" views={VIEWS} counts={{ types: webhook.events.length }} />
      {view === "types" && (
        <ul className="plain-list">
          {webhook.events.map((type) => (
            <li key={type}>
              <code>{type}</code>
            </li>
          ))}
        </ul>
      )}
      {view === "verify" && <VerifyCode />}
      {view === "" && <Deliveries webhookId={webhook.id} why={why} />}
    </>
  );
}

export function WebhookPage(): ReactNode {
  const teamId = useTeamId();
  const { webhook: webhookId } = useParams<{ readonly webhook: string }>();
  const [open, setOpen] = useState<"change" | "rotate" | "replay" | "delete" | null>(null);
  const why = useWhyNot("webhook:write");
  const found = useApi("GET /v1/webhooks/:webhookId", { params: { webhookId }, query: { teamId, withHealth: true } });
  const update = useChange("PATCH /v1/webhooks/:webhookId");
  const test = useChange("POST /v1/webhooks/:webhookId/test");
  usePageTitle(found.data?.value.description ?? found.data?.value.url);
  const problem = found.error && <Problem error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return problem ?? <Skeleton />;
  const webhook = found.data.value;
  const { active, url, events, ordering, health } = webhook;
  const toggle = (): void => update.mutate({ params: { webhookId }, query: { teamId }, body: { active: !active } });
  const close = (): void => setOpen(null);
  return (
    <>
      <PageActions>
        <Button
          kind="plain"
          disabledBecause={why}
          busy={test.isPending}
          onClick={() => test.mutate({ params: { webhookId }, query: { teamId } })}
        >
          <Send className="i" />
          Send test
        </Button>
        <Button kind="plain" disabledBecause={why} onClick={() => setOpen("change")}>
          <Pencil className="i" />
          Edit
        </Button>
        <Menu
          label="More actions"
          entries={[
            {
              label: active ? "Deactivate" : "Activate",
              icon: active ? Pause : Play,
              whyNot: why,
              onSelect: toggle,
            },
            { label: "Replace the secret…", icon: KeyRound, whyNot: why, onSelect: () => setOpen("rotate") },
            { label: "Send again…", icon: RotateCcw, whyNot: why, onSelect: () => setOpen("replay") },
            { label: "Delete…", icon: Trash2, isDanger: true, whyNot: why, onSelect: () => setOpen("delete") },
          ]}
        />
      </PageActions>
      <PageBadges>
        <HealthOf webhook={webhook} />
      </PageBadges>
      {problem}
      <p className="lead parted">
        <span className="id">
          <code>{url}</code>
          <CopyButton text={url} label="Copy URL" />
        </span>
        <span>
          {events.length} {events.length === 1 ? "event type" : "event types"}
        </span>
        <span>{ORDERINGS[ordering]}</span>
      </p>
      {update.error && <Refusal error={update.error} retry={() => update.mutate(update.variables)} />}
      {test.error && <Problem error={test.error} />}
      {test.data && <TestResult tested={test.data} />}
      <FailingNote webhook={webhook} why={why} onReplay={() => setOpen("replay")} />
      {health && <HealthCard webhookId={webhookId} health={health} />}
      <Views webhook={webhook} why={why} />
      {open === "change" && <ChangeWebhook found={found.data} onClose={close} />}
      {open === "rotate" && <RotateSecret webhook={webhook} onClose={close} />}
      {open === "replay" && <ReplayDialog webhookId={webhookId} onClose={close} />}
      {open === "delete" && <DeleteWebhook webhook={webhook} onClose={close} />}
    </>
  );
}
