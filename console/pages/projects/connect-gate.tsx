// Connects a gate: a key that reads one project's firewall and nothing else, and the command that starts the gate with it.
import type { ReactNode } from "react";
import { useState } from "react";
import { useChange } from "../../api/queries.ts";
import { useTeam, useTeamId } from "../../api/team.ts";
import { Copyable } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";

/** As docs/gate.md starts a gate that is the proxy. Both texts are hosts and names, which no shell reads anything into. */
function startCommand(host: string, place: string): string {
  const server = new URL(".", document.baseURI).origin;
  return `reeve gate --server ${server} --key-file gate.key --hosts '${host}=${place}' --upstream http://127.0.0.1:3000`;
}

export function ConnectGate({
  project,
  onClose,
}: {
  readonly project: string;
  readonly onClose: () => void;
}): ReactNode {
  const teamId = useTeamId();
  const team = useTeam().data?.value;
  const [host, setHost] = useState("");
  const create = useChange("POST /v1/api-keys");
  const submit = onSubmit((field) => {
    setHost(field("host"));
    create.mutate({
      query: { teamId },
      body: {
        name: `Gate of ${field("host")}`.slice(0, 100),
        role: "SECURITY",
        permissions: ["gate:connect"],
        projects: [project],
      },
    });
  });
  if (create.data?.value !== undefined) {
    return (
      <Dialog title="The gate has a key" onClose={onClose}>
        <p>Store the key in a file gate.key that only the gate can read.</p>
        <ShownOnce label="Key" value={create.data.value} />
        <p>Start the gate where the application runs; its own address is the last part.</p>
        <Copyable label="Command" text={startCommand(host, `${team?.slug ?? teamId}/${project}`)} />
        <p className="hint">
          The gate reports every ten seconds; Traffic shows what it did. For nginx, Caddy, HAProxy, Traefik and Envoy,
          the folder deploy/gate has configurations.
        </p>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="Connect gate"
      label="Create key"
      change={create}
      fields={["host"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        A gate stands in front of the application, and enforces the firewall of {project}. It gets an API key that may
        read this firewall and report traffic, and nothing else.
      </p>
      <Field
        label="Host"
        hint="The name by which visitors reach the application, such as shop.example.com."
        problem={problemWith(create.error, "host")}
      >
        {(control) => (
          <input
            {...control}
            name="host"
            required
            pattern="(\*\.)?[A-Za-z0-9.\-]{1,90}"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
          />
        )}
      </Field>
    </FormDialog>
  );
}
