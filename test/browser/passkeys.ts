// An authenticator for passkeys, as the browser's own double of one: it stores keys, and its user always agrees.
import type { Page } from "playwright-core";

/** Adds a device that can hold passkeys to a page; it is gone with the page. */
export async function addPasskeyDevice(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
