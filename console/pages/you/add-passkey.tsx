// A new passkey: the server says what it needs, the browser's authenticator makes it, and the server verifies it.
import type { ReactNode } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createPasskeyCodec } from "../../../src/identity/pages/sign-in/passkey-codec.ts";
import { call } from "../../api/call.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";

export const NAME_HINT = "How you tell it from others, such as Laptop.";

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

export function AddPasskey({ onClose }: { readonly onClose: () => void }): ReactNode {
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
