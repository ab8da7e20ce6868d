// One secret: its settings, its value after a fresh proof, its versions and names.
import { Lock, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation, useParams } from "wouter";
import type { Secret } from "../../api/objects.ts";
import { useApi } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Id } from "../../parts/copy.tsx";
import { Ends, NEAR_MS } from "../../parts/ends.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Settled } from "../../parts/settled.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Tags } from "../../parts/tags.tsx";
import { Time, useNow } from "../../parts/time.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { DeleteSecret } from "./delete-secret.tsx";
import { ChangeSecret } from "./change-secret.tsx";
import { NewValue } from "./new-value.tsx";
import { RenameSecret } from "./rename-secret.tsx";
import { RevealedValue } from "./revealed-value.tsx";
import { SecretReaders } from "./secret-readers.tsx";
import { SecretNames, SecretVersions } from "./secret-history.tsx";
import { PageActions, PageBadges, usePageTitle } from "../../parts/page-title.tsx";

function Details({ secret, children }: { readonly secret: Secret; readonly children: ReactNode }): ReactNode {
  return (
    <aside className="panel" aria-labelledby="details">
      <header>
        <h2 id="details">Details</h2>
        {children}
      </header>
      <dl>
        <dt>Changed</dt>
        <dd>
          <Time at={secret.updatedAt} />
        </dd>
        <dt>Ends</dt>
        <dd>{secret.expiresAt === null ? "Never" : <Time at={secret.expiresAt} />}</dd>
        {secret.tags.length > 0 && (
          <>
            <dt>Tags</dt>
            <dd>
              <Tags of={secret.tags} />
            </dd>
          </>
        )}
        <dt>Created</dt>
        <dd>
          <Time at={secret.createdAt} />
        </dd>
        <dt>ID</dt>
        <dd>
          <Id of={secret.uid} />
        </dd>
      </dl>
    </aside>
  );
}

type Open = "value" | "change" | "rename" | "delete" | null;

export function SecretPage(): ReactNode {
  const teamId = useTeamId();
  const { name } = useParams<{ readonly name: string }>();
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<Open>(null);
  const why = useWhyNot("secret:write");
  const now = useNow();
  const found = useApi("GET /v3/secrets/:name", { params: { name }, query: { teamId } });
  usePageTitle(name, true);
  const problem = found.error && <Problem error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return problem ?? <Skeleton />;
  const secret = found.data.value;
  const close = (): void => setOpen(null);
  return (
    <>
      {problem}
      <PageBadges>
        {secret.expiresAt !== null && secret.expiresAt < now + NEAR_MS && <Ends at={secret.expiresAt} />}
        {!secret.decryptable && (
          <span className="badge">
            <Lock className="i i-s" />
            Write-only
          </span>
        )}
      </PageBadges>
      <PageActions>
        <Button disabledBecause={why} onClick={() => setOpen("value")}>
          <Plus className="i" />
          New version
        </Button>
        <Menu
          label="More actions"
          entries={[
            { label: "Rename", icon: Pencil, whyNot: why, onSelect: () => setOpen("rename") },
            "line",
            { label: "Delete", icon: Trash2, isDanger: true, whyNot: why, onSelect: () => setOpen("delete") },
          ]}
        />
      </PageActions>
      {secret.description && <p className="lead">{secret.description}</p>}
      <div className="beside">
        <div>
          <section className="panel">
            <header>
              <h2>
                Value <span className="badge">Version {secret.version}</span>
              </h2>
            </header>
            {/* A value of an earlier version is not shown beside a newer one. */}
            <RevealedValue key={secret.version} secret={secret} />
          </section>
          <Settled>
            <SecretVersions secret={secret} why={why} />
            <SecretNames secret={secret} why={why} />
            <SecretReaders secret={secret} />
          </Settled>
        </div>
        <Details secret={secret}>
          <Button kind="ghost" disabledBecause={why} onClick={() => setOpen("change")}>
            Edit settings
          </Button>
        </Details>
      </div>
      {open === "value" && <NewValue secret={secret} onClose={close} />}
      {open === "change" && <ChangeSecret found={found.data} onClose={close} />}
      {open === "rename" && <RenameSecret secret={secret} onClose={close} />}
      {open === "delete" && (
        <DeleteSecret secret={secret} onDone={() => navigate(`/teams/${teamId}/secrets`)} onClose={close} />
      )}
    </>
  );
}
