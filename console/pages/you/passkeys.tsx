// The user's passkeys: add, rename, remove. To add one, the server says what it needs, the browser's authenticator makes it, and the server
// verifies it.
import { KeyRound, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createPasskeyCodec } from "../../../src/identity/pages/sign-in/passkey-codec.ts";
import { call } from "../../api/call.ts";
import type { Output } from "../../api/endpoints.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { Time } from "../../parts/time.tsx";
import { canUsePasskeys } from "../../parts/can-use-passkeys.ts";

type Passkey = Output<"GET /v1/user/passkeys">["passkeys"][number];
interface OfPasskey {
  readonly passkey: Passkey;
  readonly onClose: () => void;
}

const NAME_HINT = "How you tell it from others, such as Laptop.";

async function makePasskey(name: string): Promise<unknown> {
  const { publicKey } = await call("POST /v1/user/passkeys/options", {});
  const codec = createPasskeyCodec();
  const options = codec.readOptions(publicKey as unknown as Parameters<typeof codec.readOptions>[0]);
  // The browser's own words say nothing to people.
  const made = await navigator.credentials
    .create({ publicKey: options as unknown as PublicKeyCredentialCreationOptions })
    .catch(() => null);
  if (made === null)
    throw new Error("No passkey was made: it was cancelled, took too long, or this device has one already.");
  const credential = { ...codec.describe(made) };
  return await call("POST /v1/user/passkeys", { body: { credential, name } });
}

function AddPasskey({ onClose }: { readonly onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: makePasskey,
    onSuccess: onClose,
    onSettled: () => void client.invalidateQueries(),
  });
  const submit = onSubmit((field) => add.mutate(field("name")));
  return (
    <FormDialog title="Add a passkey" change={add} fields={["name"]} onSubmit={submit} onClose={onClose}>
      <Field label="Name" hint={NAME_HINT} problem={problemWith(add.error, "name")}>
        {(control) => <input {...control} name="name" required maxLength={100} autoComplete="off" />}
      </Field>
    </FormDialog>
  );
}

function Rename({ passkey: { id, name }, onClose }: OfPasskey): ReactNode {
  const rename = useChange("PATCH /v1/user/passkeys/:passkeyId", onClose);
  const submit = onSubmit((field) => rename.mutate({ params: { passkeyId: id }, body: { name: field("name") } }));
  return (
    <FormDialog
      title={`Rename ${name}`}
      label="Rename"
      change={rename}
      fields={["name"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Name" hint={NAME_HINT} problem={problemWith(rename.error, "name")}>
        {(control) => (
          <input {...control} name="name" required maxLength={100} defaultValue={name} autoComplete="off" />
        )}
      </Field>
    </FormDialog>
  );
}

function Remove({ passkey: { id, name }, onClose }: OfPasskey): ReactNode {
  const remove = useChange("DELETE /v1/user/passkeys/:passkeyId", onClose);
  return (
    <Confirm
      title={`Remove ${name}?`}
      what="It signs you in no more. Your device keeps it until you remove it there, too."
      label="Remove"
      change={remove}
      onConfirm={() => remove.mutate({ params: { passkeyId: id } })}
      onClose={onClose}
    />
  );
}

function PasskeyRow({ passkey }: { readonly passkey: Passkey }): ReactNode {
  const [open, setOpen] = useState<"rename" | "remove" | null>(null);
  const { name, host, usedAt, createdAt } = passkey;
  const close = (): void => setOpen(null);
  return (
    <li>
      <KeyRound className="i" />
      <span className="grow">
        <strong>{name}</strong>
        <span className="small">
          Added <Time at={createdAt} />,{" "}
          {usedAt === null ? (
            "never used"
          ) : (
            <>
              last used <Time at={usedAt} />
            </>
          )}
          {host !== location.hostname && `, made for ${host}`}
        </span>
      </span>
      <Menu
        label={`Actions for ${name}`}
        entries={[
          { label: "Rename", icon: Pencil, onSelect: () => setOpen("rename") },
          "line",
          { label: "Remove", icon: Trash2, isDanger: true, onSelect: () => setOpen("remove") },
        ]}
      />
      {open === "rename" && <Rename passkey={passkey} onClose={close} />}
      {open === "remove" && <Remove passkey={passkey} onClose={close} />}
    </li>
  );
}

export function Passkeys(): ReactNode {
  const [isAdding, setAdding] = useState(false);
  const list = useApiPages("GET /v1/user/passkeys", { query: { limit: 50 } });
  const passkeys = list.data?.pages.flatMap((page) => page.passkeys) ?? [];
  return (
    <section className="panel">
      <header>
        <div className="grow">
          <h2>Passkeys</h2>
          <p className="small">A passkey signs you in with your device's lock, and cannot be guessed or phished.</p>
        </div>
        <Button
          kind="plain"
          disabledBecause={
            canUsePasskeys() ? null : "This browser makes no passkeys here: they need a page of https or localhost"
          }
          onClick={() => setAdding(true)}
        >
          <Plus className="i" />
          Add a passkey
        </Button>
      </header>
      <ApiList
        list={list}
        isEmpty={passkeys.length === 0}
        empty={<Empty title="You have no passkeys" hint="Add one for each device that you use." />}
      >
        <ul className="rows">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      </ApiList>
      {isAdding && <AddPasskey onClose={() => setAdding(false)} />}
    </section>
  );
}
