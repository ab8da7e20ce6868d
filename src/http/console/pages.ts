// The pages of the console, as one list.
import { accountPage } from "./account-page.ts";
import { authorizePage } from "./authorize-page.ts";
import { devicePage } from "./device-page.ts";
import { confirmEmailPage } from "./confirm-email-page.ts";
import { homePage } from "./home-page.ts";
import { invitationPage } from "./invitation-page.ts";
import type { Page } from "./page.ts";
import { passkeyOptionsPage } from "./passkey-options-page.ts";
import { provePage } from "./prove-page.ts";
import { recoverPage } from "./recover-page.ts";
import { setUpPage } from "./set-up-page.ts";
import { connectPage, providerCallbackPage, providerPage } from "./provider-pages.ts";
import { signInPage } from "./sign-in-page.ts";
import { signUpPage } from "./sign-up-page.ts";
import { signOutPage } from "./sign-out-page.ts";
import { tokensPage } from "./tokens-page.ts";

export const PAGES: readonly Page[] = [
  homePage,
  signInPage,
  providerPage,
  providerCallbackPage,
  connectPage,
  signOutPage,
  signUpPage,
  setUpPage,
  recoverPage,
  invitationPage,
  provePage,
  accountPage,
  confirmEmailPage,
  passkeyOptionsPage,
  devicePage,
  authorizePage,
  tokensPage,
];
