// A fresh proof of who one is, where it is needed: a passkey or the password. Providers have a page of their own, in another tab, so
// that nothing that was typed here is lost.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { useApi } from "../api/queries.ts";
import { Button } from "./button.tsx";
import { canUsePasskeys } from "./can-use-passkeys.ts";
import { Field } from "./field.tsx";

/** What was refused or left out is asked for again. */
export const PROVED = "reeve-proved";

async function post(path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
  return await fetch(path, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
}

/** Sends the form of the page that asks for a proof: it leads on, or says what is wrong. */
async function prove(proof: Readonly<Record<string, string>>): Promise<void> {
  const response = await post("prove?return=you", proof);
  if (response.type === "opaqueredirect") return;
  // The policy of this document holds for what is parsed, too, and has no hash of the page's style.
  const text = (await response.text()).replace(/<style[^]*?<\/style>/g, "");
  const page = new DOMParser().parseFromString(text, "text/html");
  throw new Error(page.querySelector(".problem:not(:empty)")?.textContent.trim() || "The server refused this");
}

async function askPasskey(): Promise<string> {
  const { createPasskeyCodec } = await import("../../src/identity/pages/sign-in/passkey-codec.ts");
  const codec = createPasskeyCodec();
  const asked = await post("passkey-options", { purpose: "proof" });
  const publicKey = codec.readOptions((await asked.json()) as Parameters<typeof codec.readOptions>[0]);
  const credential = await navigator.credentials
    .get({ publicKey: publicKey as unknown as PublicKeyCredentialRequestOptions })
    .catch(() => null);
  if (credential === null) throw new Error("No passkey was used: that was cancelled, or took too long.");
  return JSON.stringify(codec.describe(credential));
}

export function ProofNeeded({ role }: { readonly role: "alert" | "note" }): ReactNode {
  const [password, setPassword] = useState("");
  const { data } = useApi("GET /v1/user/password", {});
  const confirm = useMutation({
    mutationFn: async (by: "passkey" | "password") =>
      await prove(by === "passkey" ? { passkey: await askPasskey() } : { password }),
    onSuccess: () => window.dispatchEvent(new Event(PROVED)),
  });
  const busy = confirm.isPending;
  return (
    <div className="notice proof" role={role}>
      <p>
        <strong>Confirm it is you</strong>
      </p>
      {confirm.isSuccess ? (
        <p>Confirmed for ten minutes.</p>
      ) : (
        <>
          <p>This needs a fresh proof. It holds for ten minutes.</p>
          {data?.value.isSet === true && (
            <Field
              label="Your password"
              problem={confirm.variables === "password" ? (confirm.error?.message ?? null) : null}
            >
              {(control) => (
                <input
                  {...control}
                  type="password"
                  autoComplete="current-password"
                  maxLength={256}
                  value={password}
                  onChange={({ target }) => setPassword(target.value)}
                  // It is no field of the form around it: nothing of it would be missed, and Enter does not send that form.
                  onInput={(event) => event.stopPropagation()}
                  onKeyDown={(event) => {
                    if (event.key !== "Enter") return;
                    event.preventDefault();
                    confirm.mutate("password");
                  }}
                />
              )}
            </Field>
          )}
          {confirm.variables === "passkey" && confirm.error && <p className="field-problem">{confirm.error.message}</p>}
          <div className="tools">
            {data?.value.isSet === true && (
              <Button kind="plain" busy={busy} onClick={() => confirm.mutate("password")}>
                Confirm
              </Button>
            )}
            {canUsePasskeys() && (
              <Button kind="plain" busy={busy} onClick={() => confirm.mutate("passkey")}>
                Use a passkey
              </Button>
            )}
            <a href="prove?return=you" target="_blank" rel="opener">
              Another way
            </a>
          </div>
        </>
      )}
    </div>
  );
}
