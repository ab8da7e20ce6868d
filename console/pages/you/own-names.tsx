// The names of one's own account.
import type { ReactNode } from "react";
import { call } from "../../api/call.ts";
import type { Fetched } from "../../api/call.ts";
import type { Output } from "../../api/endpoints.ts";
import { useChange } from "../../api/queries.ts";
import { changedOf } from "../../parts/form.tsx";
import { NamesForm } from "../../parts/names-form.tsx";
import { useUndoable } from "../../parts/toast.tsx";

const FIELDS = {
  name: {
    label: "Name",
    hint: "What others see. Without one, they see the username.",
    maxLength: 256,
    autoComplete: "name",
    isOptional: true,
  },
  username: {
    label: "Username",
    hint: "You can sign in with it. Letters, digits, _, . and -.",
    maxLength: 48,
    autoComplete: "username",
  },
} as const;

type Found = Output<"GET /v2/user">;

const namesOf = ({ user }: Found) => ({ name: user.name ?? "", username: user.username });

const bodyOf = (names: Partial<ReturnType<typeof namesOf>>) => ({
  ...names,
  ...(names.name === "" && { name: null }),
});

export function OwnNames(props: {
  /** The newest that is known. */
  readonly found: Fetched<Found>;
  /** What is stored is shown anew. */
  readonly onStored: () => void;
}): ReactNode {
  const { found, onStored } = props;
  const say = useUndoable();
  const update = useChange("PATCH /v2/user", (changed) => {
    say("Your names were changed", async () => {
      await call("PATCH /v2/user", { body: bodyOf(changedOf(namesOf(found.value), namesOf(changed))) });
      onStored();
    });
    onStored();
  });
  return (
    <NamesForm
      title="Who you are"
      found={found}
      namesOf={namesOf}
      fields={FIELDS}
      change={update}
      onSave={(changed, etag) =>
        update.mutate({
          body: bodyOf(changed),
          ...(etag === null ? {} : { ifMatch: etag }),
        })
      }
      onTake={onStored}
    />
  );
}
