// People who sign in with providers by pages, as a browser would.
import assert from "node:assert/strict";
import { uniqueName } from "../harness/test-app.ts";
import type { TestUser } from "../harness/test-app.ts";
import type { AccountClaims } from "./oidc-issuer.ts";
import { openSession } from "./open-session.ts";
import type { ProviderWorld } from "./provider-world.ts";
import { createVisitor } from "./visitor.ts";
import type { Shown, Visitor } from "./visitor.ts";

export const CROSS_SITE = { "sec-fetch-site": "cross-site" };

export function urlOf({ headers }: Shown): string {
  return String(headers["refresh"]).replace("0;url=", "");
}

export function openVisits(api: ProviderWorld) {
  const { app, issuers, request } = api;
  /** Somebody with an account at both providers. */
  function newPerson(claims: AccountClaims = {}) {
    const subject = uniqueName("person");
    const person = { email: `${subject}@acme.example`, email_verified: true, name: "Ada", ...claims };
    for (const issuer of issuers.values()) issuer.setAccount(subject, person);
    return { subject, ...person } as { subject: string; email: string };
  }

  /** Begins on a page; returns the path that the provider sends the browser back to. */
  async function goThere(visitor: Visitor, id: string, subject: string, form: Record<string, string> = {}) {
    const leaving = await visitor.post(`sign-in/${id}`, form);
    assert.equal(leaving.status, 200, leaving.problem ?? leaving.location ?? "");
    const back = await issuers.get(id)?.signIn(subject, urlOf(leaving));
    return `${back?.pathname.replace("/console/", "")}${back?.search}`;
  }

  async function signIn(visitor: Visitor, id: string, subject: string, form: Record<string, string> = {}) {
    return await visitor.get(await goThere(visitor, id, subject, form), CROSS_SITE);
  }

  const whoIs = async ({ cookies }: Visitor) =>
    (await request("GET", "/v2/user", { session: cookies.get("reeve") ?? "none" })).body?.user;

  /** A visitor who is signed in to an account by a link. */
  async function signedInAs(user: TestUser): Promise<Visitor> {
    const visitor = createVisitor(app);
    visitor.cookies.set("reeve", (await openSession(api, user)).session);
    return visitor;
  }

  return { newPerson, goThere, signIn, whoIs, signedInAs };
}
