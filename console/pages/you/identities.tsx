// Accounts at providers that sign in to one's own account: connect, disconnect.
import { Link2 } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { ADDRESSES } from "../../addresses.ts";
import { ListProblem, ShowMore } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Time } from "../../parts/time.tsx";

type Page = Output<"GET /v1/user/identities">;
type Identity = Page["identities"][number];
type Provider = Page["providers"][number];

function IdentityRow({
  identity: { id, provider, subject, email, usedAt, createdAt },
  providers,
}: {
  readonly identity: Identity;
  readonly providers: readonly Provider[];
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const disconnect = useChange("DELETE /v1/user/identities/:identityId", () => setOpen(false));
  const known = providers.find((one) => one.id === provider);
  const name = known?.name ?? provider;
  return (
    <li>
      <Link2 className="i" />
      <span className="grow">
        <strong>{name}</strong>
        {!known && <span className="badge warn">no longer used here</span>}
        <span className="small">
          Connected <Time at={createdAt} /> as {email ?? subject}, last used <Time at={usedAt} />
        </span>
      </span>
      <Button kind="plain" onClick={() => setOpen(true)}>
        Disconnect
      </Button>
      {isOpen && (
        <Confirm
          title={`Disconnect ${name}?`}
          what="It signs you in no more. Roles that it gave you stay."
          label="Disconnect"
          change={disconnect}
          onConfirm={() => disconnect.mutate({ params: { identityId: id } })}
          onClose={() => setOpen(false)}
        />
      )}
    </li>
  );
}

/** A form, because the way there leaves the console and comes back. */
function Connect({ provider: { id, name } }: { readonly provider: Provider }): ReactNode {
  return (
    <li>
      <Link2 className="i" />
      <span className="grow">
        <strong>{name}</strong>
        <span className="small">An account there can sign you in here.</span>
      </span>
      <form method="post" action={`sign-in/${encodeURIComponent(id)}`}>
        <input type="hidden" name="kind" value="link" />
        <input type="hidden" name="return" value={ADDRESSES.signInMethods.slice(1)} />
        <button type="submit" className="plain">
          Connect {name}
        </button>
      </form>
    </li>
  );
}

/** In the list of ways to sign in: nothing where there are no providers, and never were. */
export function Identities(): ReactNode {
  const list = useApiPages("GET /v1/user/identities", { query: { limit: 50 } });
  const identities = list.data?.pages.flatMap((page) => page.identities) ?? [];
  const providers = list.data?.pages[0]?.providers ?? [];
  return (
    <>
      {list.error && (
        <li>
          <ListProblem list={list} />
        </li>
      )}
      {identities.map((identity) => (
        <IdentityRow key={identity.id} identity={identity} providers={providers} />
      ))}
      {providers.map((provider) => (
        <Connect key={provider.id} provider={provider} />
      ))}
      {list.hasNextPage && (
        <li>
          <ShowMore list={list} />
        </li>
      )}
    </>
  );
}
