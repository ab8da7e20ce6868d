// The pages that work without script, as one list.
import { accountPage } from "./account/account-page.ts";
import { authorizePage } from "./programs/authorize-page.ts";
import { devicePage } from "./programs/device-page.ts";
import { confirmEmailPage } from "./account/confirm-email-page.ts";
import { homePage } from "./home-page.ts";
import { invitationPage } from "./sign-in/invitation-page.ts";
import type { Page } from "./page.ts";
import { passkeyOptionsPage } from "./sign-in/passkey-options-page.ts";
import { provePage } from "./sign-in/prove-page.ts";
import { recoverPage } from "./sign-in/recover-page.ts";
import { setUpPage } from "./sign-in/set-up-page.ts";
import { connectPage, providerCallbackPage, providerPage } from "./sign-in/provider-pages.ts";
import { signInPage } from "./sign-in/sign-in-page.ts";
import { signUpPage } from "./sign-in/sign-up-page.ts";
import { signOutPage } from "./sign-in/sign-out-page.ts";
import { tokensPage } from "./account/tokens-page.ts";

export const PAGES: readonly Page[] = [
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
  homePage,
];
