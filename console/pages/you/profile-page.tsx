// One's own account: its names, its e-mail address, its looks and its end.
import { useState } from "react";
import type { ReactNode } from "react";
import { useUser } from "../../api/team.ts";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Settled } from "../../parts/settled.tsx";
import { Appearance } from "./appearance.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { EmailAddress } from "./email-address.tsx";
import { OwnNames } from "./own-names.tsx";

export function ProfilePage(): ReactNode {
  const found = useUser();
  // What is stored is shown anew after it was saved; until then nothing that is typed is replaced.
  const [edition, setEdition] = useState(0);
  const showStored = async (): Promise<void> => {
    await found.refetch();
    setEdition(edition + 1);
  };
  return (
    <div className="forms">
      {found.error && <Problem error={found.error} retry={() => void found.refetch()} />}
      {!found.data && !found.error && <Skeleton />}
      {found.data && (
        <>
          <OwnNames key={edition} found={found.data} onStored={() => void showStored()} />
          <Settled>
            <EmailAddress />
            <Appearance />
            <DeleteAccount user={found.data.value.user} />
          </Settled>
        </>
      )}
      <p className="quiet">
        <a href="account">Your account on a page without script</a>
      </p>
    </div>
  );
}
