// The form of slugs, and the reserved ones.
import { fieldError } from "../../platform/kernel/errors.ts";

const SLUG = /^[a-z][a-z0-9_-]{0,47}$/;

/** Words that Reeve uses, or may use, as the first part of a path or host name. */
const RESERVED = new Set([
  "about",
  "access-requests",
  "account",
  "admin",
  "api",
  "api-keys",
  "app",
  "assets",
  "attack-mode",
  "auth",
  "billing",
  "blog",
  "cli",
  "contact",
  "current",
  "dashboard",
  "docs",
  "events",
  "favicon",
  "firewall",
  "firewalls",
  "health",
  "help",
  "integrations",
  "invite",
  "invites",
  "join",
  "keys",
  "legal",
  "login",
  "logout",
  "mail",
  "me",
  "members",
  "metrics",
  "new",
  "now",
  "null",
  "oauth",
  "openapi",
  "personal",
  "pricing",
  "privacy",
  "projects",
  "public",
  "reeve",
  "root",
  "secrets",
  "security",
  "self",
  "settings",
  "signin",
  "signout",
  "signup",
  "sso",
  "static",
  "status",
  "support",
  "system",
  "team",
  "teams",
  "terms",
  "token",
  "tokens",
  "undefined",
  "user",
  "users",
  "webhook",
  "webhooks",
  "well-known",
  "www",
]);

/** Ids begin like this; a team is found by id or slug, so no slug may look like one. */
const ID_PREFIX = "team_";

/** Refuses an invalid or reserved slug. */
export function requireSlug(slug: string, field: string): void {
  if (!SLUG.test(slug)) {
    throw fieldError(
      "invalid_slug",
      field,
      "expected 1 to 48 characters of a-z, 0-9, - and _ that begin with a letter",
    );
  }
  if (RESERVED.has(slug) || slug.startsWith(ID_PREFIX)) {
    throw fieldError("reserved_slug", field, `"${slug}" is reserved; choose another`);
  }
}
