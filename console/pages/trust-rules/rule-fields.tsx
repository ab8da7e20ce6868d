// The fields of a trust rule: which tokens it accepts, and what the keys that it issues may do.
import type { ReactNode } from "react";
import { ISSUED_KEY_LIFETIME_MS, isLasting, issuedPermissions } from "../../../src/platform/kernel/issued-keys.ts";
import type { TeamRole } from "../../../src/platform/kernel/roles.ts";
import { Field } from "../../parts/field.tsx";
import { problemWith } from "../../parts/form.tsx";
import type { Fields } from "../../parts/form.tsx";
import { LIMIT_FIELDS, LimitFields, limitsOf } from "../../parts/limits.tsx";
import { PermissionChoice } from "../../parts/permission-choice.tsx";
import { ClaimFields, fieldOfRow } from "./claim-fields.tsx";
import { claimsOf } from "./claim-rows.ts";
import type { ClaimRow } from "./claim-rows.ts";
import type { StoredFields } from "./stored-rule.ts";
import { ROLE_NAMES } from "../../parts/choices.ts";
import { Select } from "../../parts/select.tsx";

/** How an issued key differs from others, for what it may do in words. */
export const ISSUED = { lifetimeMs: ISSUED_KEY_LIFETIME_MS, permissionsByDefault: issuedPermissions };

/** What the form keeps beside its plain fields. */
export interface RuleDraft {
  readonly issuer: string;
  readonly audience: string;
  readonly rows: readonly ClaimRow[];
  readonly role: TeamRole;
}

/** The plain fields of the form. */
export function plainOf(field: Fields) {
  return { name: field("name"), singleUse: field("singleUse") === "on", ...limitsOf(field) };
}

/** A rule as a request gives it. */
export function ruleOf(plain: ReturnType<typeof plainOf>, { issuer, audience, rows, role }: RuleDraft) {
  return { ...plain, issuer: issuer.trim(), audience: audience.trim(), claims: claimsOf(rows), role };
}

/** The fields at which the form shows what is wrong with them. */
export function fieldsOfRule({ rows }: RuleDraft): readonly string[] {
  return ["name", "issuer", "audience", "claims", "role", "singleUse", ...LIMIT_FIELDS, ...rows.map(fieldOfRow)];
}

interface Props {
  readonly draft: RuleDraft;
  readonly onDraft: (draft: RuleDraft) => void;
  /** What is stored; absent: it is a new one. */
  readonly stored?: StoredFields;
  readonly error: Error | null;
  readonly isSent: boolean;
  /** What fills the fields that follow. */
  readonly children?: ReactNode;
}

export function RuleFields({ draft, onDraft, stored, error, isSent, children }: Props): ReactNode {
  const { issuer, audience, rows, role } = draft;
  return (
    <>
      <Field
        label="Name"
        hint="What its tokens are for, such as the deployments of the shop."
        problem={problemWith(error, "name")}
      >
        {(control) => <input {...control} name="name" defaultValue={stored?.name} required autoComplete="off" />}
      </Field>
      {children}
      <Field
        label="Issuer"
        hint="Exactly what tokens have as iss, a URL with https."
        problem={problemWith(error, "issuer")}
      >
        {(control) => (
          <input
            {...control}
            type="url"
            value={issuer}
            required
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onDraft({ ...draft, issuer: target.value })}
          />
        )}
      </Field>
      <Field
        label="Audience"
        hint="What tokens have as aud. Choose one that no other service accepts."
        problem={problemWith(error, "audience")}
      >
        {(control) => (
          <input
            {...control}
            value={audience}
            required
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onDraft({ ...draft, audience: target.value })}
          />
        )}
      </Field>
      <ClaimFields
        rows={rows}
        onChange={(changed) => onDraft({ ...draft, rows: changed })}
        error={error}
        isSent={isSent}
      />
      <Field
        label="Role"
        hint="The most that its keys may do; no more than you may."
        problem={problemWith(error, "role")}
      >
        {(control) => (
          <Select
            {...control}
            name="role"
            choices={ROLE_NAMES}
            value={role}
            onChange={(next) => onDraft({ ...draft, role: next })}
          />
        )}
      </Field>
      <PermissionChoice
        role={role}
        isLeftOut={isLasting}
        first={stored?.permissions}
        everything="Everything its role may, except what would outlive the key"
        problem={problemWith(error, "permissions")}
      />
      <label className="check">
        <input type="checkbox" name="singleUse" defaultChecked={stored?.singleUse ?? false} />
        <span>
          Exchange each token once
          <span className="hint"> Otherwise up to 100 times, because jobs are tried again.</span>
        </span>
      </label>
      <LimitFields
        error={error}
        hint="Of its keys, with spaces between them. Empty: no limit."
        {...(stored && { first: stored.limits })}
      />
    </>
  );
}
