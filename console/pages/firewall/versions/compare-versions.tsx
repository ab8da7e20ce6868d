// What a version changed, against the one that it was based on, or against any other.
import { useState } from "react";
import type { ReactNode } from "react";
import { useApi } from "../../../api/queries.ts";
import { Field } from "../../../parts/field.tsx";
import { Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Differences } from "../difference.tsx";
import { useFirewallQuery } from "../firewall-config.ts";

export function CompareVersions({ version }: { readonly version: number }): ReactNode {
  const query = useFirewallQuery();
  const [other, setOther] = useState("");
  const diff = useApi("GET /v1/firewalls/:configVersion/diff/:otherVersion", {
    params: { configVersion: other === "" ? "previous" : other, otherVersion: String(version) },
    query,
  });
  return (
    <>
      <Field label="Compare with version" hint="Empty: the one that was active before.">
        {(control) => (
          <input {...control} type="number" min={1} value={other} onChange={({ target }) => setOther(target.value)} />
        )}
      </Field>
      {diff.error && <Problem error={diff.error} />}
      {!diff.error && !diff.data && <Skeleton rows={2} />}
      {!diff.error && diff.data && <Differences differences={diff.data.value.differences} />}
    </>
  );
}
