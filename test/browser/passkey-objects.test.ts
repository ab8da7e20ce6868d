// Passkeys that only look native: of password managers, of other realms, and of browsers without toJSON and parse*FromJSON. The keys are
// real, of the browser's own authenticator; what the page gets of them is changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { openSession } from "../sign-in/open-session.ts";
import { openBrowser } from "./browser.ts";
import { seesConsole, startWebApp } from "./browser-world.ts";
import { addPasskeyDevice } from "./passkeys.ts";

const browser = await openBrowser();
const world = await startWebApp();
const { createUser, url } = world;
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** Each has the credential's parts in `fields` and `bytes`, and returns what the page gets instead of it. */
const OBJECTS = {
  "a toJSON and a getTransports that throw": `({
    ...fields, toJSON: () => PublicKeyCredential.prototype.toJSON.call({}), getClientExtensionResults: () => ({}),
    response: { ...bytes, getTransports: () => AuthenticatorAttestationResponse.prototype.getTransports.call({}) },
  })`,
  "no toJSON and no getTransports": `({ ...fields, response: { ...bytes } })`,
  "a toJSON without the parts": `({ ...fields, toJSON: () => ({ id: fields.id, response: {} }), response: { ...bytes } })`,
  "a toJSON of base64, without type and rawId": `(() => {
    const text = (own) => own && new Uint8Array(own).toBase64();
    const response = Object.fromEntries(Object.entries(bytes).map(([name, own]) => [name, text(own)]));
    return { ...fields, toJSON: () => ({ id: text(fields.rawId), response: { ...response, transports: ["internal"] } }) };
  })()`,
  "an own class with getters": `new (class {
    get id() { return fields.id; } get rawId() { return fields.rawId; } get type() { throw new TypeError("Illegal invocation"); }
    get response() { return { ...bytes }; } get authenticatorAttachment() { throw new TypeError("Illegal invocation"); }
  })()`,
  "buffers of another realm": `(() => {
    const { Uint8Array: Foreign } = document.body.appendChild(document.createElement("iframe")).contentWindow;
    const foreign = (own) => own && Foreign.from(new Uint8Array(own)).buffer;
    const response = Object.fromEntries(Object.entries(bytes).map(([name, own]) => [name, foreign(own)]));
    return { id: fields.id, rawId: foreign(fields.rawId), type: "public-key", response };
  })()`,
  "views and lists of bytes": `({
    id: fields.id, rawId: [...new Uint8Array(fields.rawId)],
    response: Object.fromEntries(Object.entries(bytes).map(([name, own]) => [name, own && new DataView(own)])),
  })`,
  "text of base64": `({
    id: fields.id,
    response: Object.fromEntries(Object.entries(bytes).map(([name, own]) => [name, own && new Uint8Array(own).toBase64()])),
  })`,
};
/** What a server needs is not there, by the part that the sentence names. */
const UNREADABLE = {
  clientDataJSON: `({ ...fields, response: { ...bytes, clientDataJSON: undefined } })`,
  // Each of its getters throws.
  id: `new Proxy(credential, {})`,
};

/** Has a page get something else than the credential; it takes away what older browsers do not have, too. */
async function replaceCredentials(page: Page, object: string, isOld = false): Promise<void> {
  const script = `
    const replace = (credential) => {
      const names = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
      const bytes = Object.fromEntries(names.flatMap((name) => {
        const own = credential.response[name];
        return own === undefined ? [] : [[name, own]];
      }));
      const { id, rawId, type } = credential;
      const fields = { id, rawId, type };
      return ${object};
    };
    for (const name of ["create", "get"]) {
      const native = CredentialsContainer.prototype[name];
      CredentialsContainer.prototype[name] = async function (options) { return replace(await native.call(this, options)); };
    }
    if (${isOld}) {
      delete PublicKeyCredential.prototype.toJSON;
      delete PublicKeyCredential.parseCreationOptionsFromJSON;
      delete PublicKeyCredential.parseRequestOptionsFromJSON;
    }`;
  await page.addInitScript(script);
}

/** Somebody's account in a browser of their own, whose pages get other objects. */
async function openAs(t: TestContext, path: string, object: string, isOld = false) {
  const user = await createUser();
  const page = await browser.openPage(t);
  await addPasskeyDevice(page);
  await replaceCredentials(page, object, isOld);
  const { session } = await openSession(world, user);
  await page.context().addCookies([{ name: "reeve", value: session, url }]);
  await page.clock.setFixedTime(world.clock.now);
  await page.goto(`${url}/console/${path}`);
  return { page, user };
}

async function signInAgain(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.goto(`${url}/console/sign-in`);
  await press(page, "Continue with a passkey");
}

for (const [what, object] of Object.entries(OBJECTS)) {
  test(`a passkey with ${what} is added and signs in, on the pages without app`, async (t) => {
    const { page, user } = await openAs(t, "account", object);
    await page.getByLabel("Name of a new passkey").fill("Vault");
    await press(page, "Add a passkey");
    await page.getByText("Vault").waitFor();
    await signInAgain(page);
    await seesConsole(page, user.username);
  });

  test(`a passkey with ${what} is added in the console`, async (t) => {
    const { page } = await openAs(t, "you/sign-in", object);
    await press(page, "Add a passkey");
    await page.getByRole("dialog").getByLabel("Name").fill("Vault");
    await page.getByRole("dialog").getByRole("button", { name: "Add a passkey", exact: true }).click();
    await page.getByRole("listitem").filter({ hasText: "Vault" }).waitFor();
  });
}

test("a browser without toJSON and parse*FromJSON adds passkeys and signs in with them", async (t) => {
  const { page, user } = await openAs(t, "account", "credential", true);
  await page.getByLabel("Name of a new passkey").fill("Old");
  await press(page, "Add a passkey");
  await page.getByText("Old").waitFor();
  await page.goto(`${url}/console/you/sign-in`);
  await press(page, "Add a passkey");
  await page.getByRole("dialog").getByLabel("Name").fill("Other");
  await page.getByRole("dialog").getByRole("button", { name: "Add a passkey", exact: true }).click();
  await page.getByRole("alert").filter({ hasText: "this device has one already" }).waitFor();
  await signInAgain(page);
  await seesConsole(page, user.username);
});

for (const [part, object] of Object.entries(UNREADABLE)) {
  test(`a passkey without ${part} is said to be unreadable, with what to do, and nothing is stored`, async (t) => {
    const sentence = `returned can't be read: it has no ${part}. Use another passkey, or switch off passkeys in`;
    const { page } = await openAs(t, "account", object);
    await page.getByLabel("Name of a new passkey").fill("Vault");
    await press(page, "Add a passkey");
    await page.getByRole("alert").filter({ hasText: sentence }).waitFor();
    const app = await openAs(t, "you/sign-in", object);
    await press(app.page, "Add a passkey");
    await app.page.getByRole("dialog").getByLabel("Name").fill("Vault");
    await app.page.getByRole("dialog").getByRole("button", { name: "Add a passkey", exact: true }).click();
    await app.page.getByRole("alert").filter({ hasText: sentence }).waitFor();
    const [count] = await world.query(`select count(*) as n from passkeys where user_id = '${app.user.id}'`);
    assert.equal(Number(count?.["n"]), 0);
  });
}
