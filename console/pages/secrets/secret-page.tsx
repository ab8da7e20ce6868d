// One secret: its settings, its value after a fresh proof, its versions and names.
import { Plus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation, useParams } from "wouter";
import type { Secret } from "../../api/objects.ts";
import { useApi } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Id } from "../../parts/copy.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Settled } from "../../parts/settled.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Tags } from "../../parts/tags.tsx";
import { Time } from "../../parts/time.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { DeleteSecret } from "./delete-secret.tsx";
import { ChangeSecret } from "./change-secret.tsx";
import { NewValue } from "./new-value.tsx";
import { RenameSecret } from "./rename-secret.tsx";
import { RevealedValue } from "./revealed-value.tsx";
import { SecretReaders } from "./secret-readers.tsx";
import { SecretNames, SecretVersions } from "./secret-history.tsx";
import { PageActions, usePageTitle } from "../../parts/page-title.tsx";

function Facts({ secret }: { readonly secret: Secret }): ReactNode {
  return (
    <dl>
      <dt>Id</dt>
      <dd>
        <Id of={secret.uid} />
      </dd>
      <dt>Version</dt>
      <dd>
        {secret.version}; the newest {secret.maxVersions} are kept
      </dd>
      <dt>Changed</dt>
      <dd>
        <Time at={secret.updatedAt} />
      </dd>
      <dt>Ends</dt>
      <dd>{secret.expiresAt === null ? "Never" : <Time at={secret.expiresAt} />}</dd>
      {secret.description && (
        <>
          <dt>Description</dt>
          <dd>{secret.description}</dd>
        </>
      )}
      {secret.tags.length > 0 && (
        <>
          <dt>Tags</dt>
          <dd>
            <Tags of={secret.tags} />
          </dd>
        </>
      )}
    </dl>
  );
}

type Open = "value" | "change" | "rename" | "delete" | null;

export function SecretPage(): ReactNode {
  const teamId = useTeamId();
  const { name } = useParams<{ readonly name: string }>();
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<Open>(null);
  const why = useWhyNot("secret:write");
  const found = useApi("GET /v3/secrets/:name", { params: { name }, query: { teamId } });
  usePageTitle(name, true);
  const problem = found.error && <Problem error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return problem ?? <Skeleton />;
  const secret = found.data.value;
  const close = (): void => setOpen(null);
  return (
    <>
      {problem}
      <PageActions>
        <Button disabledBecause={why} onClick={() => setOpen("value")}>
          <Plus className="i" />
          New version
        </Button>
      </PageActions>
      <section className="panel">
        <Facts secret={secret} />
        {/* A value of an earlier version is not shown beside a newer one. */}
        <RevealedValue key={secret.version} secret={secret} />
        <div className="tools">
          <Button kind="plain" disabledBecause={why} onClick={() => setOpen("change")}>
            Edit settings
          </Button>
          <Button kind="plain" disabledBecause={why} onClick={() => setOpen("rename")}>
            Rename
          </Button>
          <Button kind="danger" disabledBecause={why} onClick={() => setOpen("delete")}>
            Delete
          </Button>
        </div>
      </section>
      <Settled>
        <SecretVersions secret={secret} why={why} />
        <SecretNames secret={secret} why={why} />
        <SecretReaders secret={secret} />
      </Settled>
      {open === "value" && <NewValue secret={secret} onClose={close} />}
      {open === "change" && <ChangeSecret found={found.data} onClose={close} />}
      {open === "rename" && <RenameSecret secret={secret} onClose={close} />}
      {open === "delete" && (
        <DeleteSecret secret={secret} onDone={() => navigate(`/teams/${teamId}/secrets`)} onClose={close} />
      )}
    </>
  );
}
