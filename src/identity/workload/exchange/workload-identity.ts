// Exchanges signed tokens of other issuers for API keys, and explains why one is not. Anyone who has no credential learns nothing from a
// refusal: it is the same whichever rule is missing or does not fit.
import { setImmediate } from "node:timers/promises";
import type { ChangeRunner } from "../../../platform/kernel/internal-changes.ts";
import { hasAudience, matchClaims, showClaim } from "../claim-rules.ts";
import type { ClaimMatch } from "../claim-rules.ts";
import { countUses, findTargetTrustRules } from "../find.ts";
import { findSubjectHint } from "../github-subject.ts";
import { REFUSAL_PAUSE_MS, usesOf } from "../issue.ts";
import type { VerifiedToken, exchangeIdentity, recordExchangeRefusal } from "../issue.ts";
import type { ExplainedTrustRule, TrustRule } from "../trust-rule-view.ts";
import type { Origin } from "../../../platform/kernel/caller.ts";
import { ApiError } from "../../../platform/kernel/errors.ts";
import type { Permission } from "../../../platform/kernel/roles.ts";
import { SECOND_MS } from "../../../platform/kernel/scheduling/clock.ts";
import type { Clock } from "../../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { ACCESS_TOKEN_TYPE, readExchange } from "./exchange-request.ts";
import type { ExchangeParameters, ExchangeRequest } from "./exchange-request.ts";
import type { IssuerKeys } from "./issuer-keys.ts";
import { readToken, verifyToken } from "./subject-token.ts";
import type { ReadToken, TokenCheck } from "./subject-token.ts";

/** RFC 8693, section 2.2.1 */
export interface ExchangeResponse {
  readonly access_token: string;
  readonly issued_token_type: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly scope: string;
}

interface ExplainOrder {
  readonly ownerId: string;
  readonly token: string;
  readonly trusts: readonly ExplainedTrustRule[];
  readonly now: number;
}

export interface WorkloadIdentity {
  /** Throws `bad_request`, `identity_refused`, `provider_unavailable` or `too_many_requests`. */
  exchange(parameters: ExchangeParameters, origin: Origin): Promise<ExchangeResponse>;
  explain(order: ExplainOrder): Promise<unknown>;
}

export interface WorkloadDependencies {
  readonly reader: Tx;
  readonly changes: ChangeRunner<{
    readonly exchangeIdentity: typeof exchangeIdentity;
    readonly recordExchangeRefusal: typeof recordExchangeRefusal;
  }>;
  readonly clock: Clock;
  readonly issuerKeys: IssuerKeys;
  readonly ownUrl: string | null;
}

const RETRY_AFTER_S = 5;

function refused(): ApiError {
  const message =
    "subject_token: no trust rule of the audience accepts this token; `reeve identity explain` shows its members why";
  return new ApiError("identity_refused", message);
}

function fitOf(rule: TrustRule, { issuer, claims }: ReadToken) {
  const matches = matchClaims(rule.claims, claims);
  const issuerFits = rule.issuer === issuer;
  const audienceFits = hasAudience(claims, rule.audience);
  return { issuerFits, audienceFits, matches, fits: issuerFits && audienceFits && matches.every(({ fits }) => fits) };
}

/** The first rule that gives a key for a token. Each rule has a turn of the event loop: its patterns may be costly. */
async function findFitting(
  trusts: readonly TrustRule[],
  token: ReadToken,
  permissions: readonly Permission[],
): Promise<TrustRule | null> {
  for (const rule of trusts) {
    const gives = !rule.isSuspended && permissions.every((permission) => rule.permissions.includes(permission));
    if (gives && fitOf(rule, token).fits) return rule;
    await setImmediate();
  }
  return null;
}

function hintOn({ claim, fits, expected }: ClaimMatch, { subject }: ReadToken): string | null {
  return claim === "sub" && !fits ? findSubjectHint(expected, subject) : null;
}

/** Why an issuer is not trusted, and the setting that may be wrong. */
function describeStranger(issuer: string, trusts: readonly TrustRule[]): string {
  const text = `no trust rule names the issuer ${issuer}`;
  const bare = (url: string) => url.replace(/\/$/, "");
  const near = trusts.find((rule) => bare(rule.issuer) === bare(issuer));
  if (!near) return text;
  return `${text}: ${near.name} has ${near.issuer}, which differs by the slash at its end; change the issuer of the rule`;
}

/** What of a rule a token does not fit, for the team's events. */
function describeMisfit(rule: TrustRule, token: ReadToken): string {
  const claims = fitOf(rule, token).matches.flatMap(({ claim, fits }) => (fits ? [] : claim));
  return claims.length > 0 ? `these claims do not fit: ${claims.join(", ")}` : "it asks for more than the rule gives";
}

export function createWorkloadIdentity({
  reader,
  changes,
  clock,
  issuerKeys,
  ownUrl,
}: WorkloadDependencies): WorkloadIdentity {
  async function recordRefusal(
    rule: TrustRule,
    verified: VerifiedToken,
    reason: string,
    origin: Origin,
    now: number,
  ): Promise<void> {
    // Read before it is written: most refusals write nothing.
    if (rule.isSuspended || (rule.refusedAt !== null && now - rule.refusedAt < REFUSAL_PAUSE_MS)) return;
    const { id: trustId, ownerId } = rule;
    await changes.recordExchangeRefusal({ ownerId, trustId, token: verified, reason, origin }, now);
  }

  async function tryExchange(
    request: ExchangeRequest,
    token: ReadToken,
    origin: Origin,
  ): Promise<ExchangeResponse | "changed"> {
    const now = clock();
    const { target, permissions } = request;
    const trusts = (await findTargetTrustRules(reader, target)).filter((rule) => rule.issuer === token.issuer);
    // Keys are fetched from issuers alone that somebody trusts.
    if (trusts.length === 0) throw refused();
    const { verified, failure } = await verifyToken(token, issuerKeys, now);
    if (failure !== null) {
      throw new ApiError(
        "provider_unavailable",
        "The keys of the token's issuer cannot be had at the moment; try again",
      );
    }
    const aimed = verified ? trusts.filter(({ audience }) => hasAudience(token.claims, audience)) : [];
    const [first] = aimed;
    if (!verified || !first) throw refused();
    const rule = await findFitting(aimed, token, permissions ?? []);
    if (!rule) {
      await recordRefusal(first, verified, describeMisfit(first, token), origin, now);
      throw refused();
    }
    const { id: trustId, ownerId, revision } = rule;
    const made = await changes.exchangeIdentity(
      { ownerId, trustId, revision, token: verified, permissions, origin },
      now,
    );
    if ("value" in made) {
      return {
        access_token: made.value,
        issued_token_type: ACCESS_TOKEN_TYPE,
        token_type: "Bearer",
        expires_in: made.expiresInMs / SECOND_MS,
        scope: made.permissions.join(" "),
      };
    }
    if (made.refusal === "changed") return "changed";
    if (made.refusal === "full") {
      const message = "Too many keys of this trust rule are valid; try again later";
      throw new ApiError("too_many_requests", message, { retryAfter: RETRY_AFTER_S });
    }
    await recordRefusal(rule, verified, "it was exchanged as often as the rule allows", origin, now);
    throw refused();
  }

  /** Whether a rule that a token fits has exchanged it as often as it does. */
  async function usesCheck({ name, ownerId, isSingleUse }: TrustRule, { hash }: VerifiedToken): Promise<TokenCheck[]> {
    const most = usesOf(isSingleUse);
    if ((await countUses(reader, ownerId, hash)) < most) return [];
    const often = most === 1 ? "once" : `${most} times`;
    return [{ check: "uses", passes: false, text: `it was exchanged already, and ${name} exchanges a token ${often}` }];
  }

  return {
    async exchange(parameters, origin) {
      const request = readExchange(parameters, ownUrl);
      const read = await readToken(request.token);
      if ("problem" in read) throw refused();
      const first = await tryExchange(request, read.token, origin);
      const outcome = first === "changed" ? await tryExchange(request, read.token, origin) : first;
      if (outcome === "changed") throw refused();
      return outcome;
    },

    async explain({ token: text, trusts, now }) {
      const read = await readToken(text);
      if ("problem" in read) {
        const checks: TokenCheck[] = [{ check: "form", passes: false, text: read.problem }];
        return { accepted: false, issuer: null, subject: null, audience: null, checks, trusts: [] };
      }
      const { token } = read;
      const isTrusted = trusts.some(({ issuer }) => issuer === token.issuer);
      const issuer: TokenCheck = {
        check: "issuer",
        passes: isTrusted,
        text: isTrusted ? `${token.issuer} is trusted` : describeStranger(token.issuer, trusts),
      };
      const signature: TokenCheck = {
        check: "signature",
        passes: null,
        text: "it is checked if a rule names the issuer",
      };
      const { checks, verified } = isTrusted
        ? await verifyToken(token, issuerKeys, now)
        : { checks: [signature], verified: null };
      // A forged token must not say what to trust.
      const isSigned = checks.some(({ check, passes }) => check === "signature" && passes === true);
      const explained = [];
      let giving: TrustRule | null = null;
      for (const rule of trusts) {
        const { issuerFits, audienceFits, matches, fits } = fitOf(rule, token);
        const { id, name, isSuspended: suspended, issuer: expected, audience, permissions, allows } = rule;
        if (fits && !suspended) giving ??= rule;
        explained.push({
          id,
          name,
          fits,
          suspended,
          issuerFits,
          audienceFits,
          issuer: expected,
          audience,
          claims: matches.map((match) => ({ ...match, hint: isSigned ? hintOn(match, token) : null })),
          permissions,
          allows,
        });
        await setImmediate();
      }
      const used = verified !== null && giving !== null ? await usesCheck(giving, verified) : [];
      return {
        accepted: verified !== null && giving !== null && used.length === 0,
        issuer: token.issuer,
        subject: token.subject,
        audience: showClaim(token.claims["aud"]),
        checks: [{ check: "form", passes: true, text: "it is a signed token" }, issuer, ...checks, ...used],
        trusts: explained,
      };
    },
  };
}
