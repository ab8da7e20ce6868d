// What the pages of the challenge say, in whichever language: a text that a language lacks does not compile.

export type Language = "en" | "de" | "fr" | "es" | "pt" | "ja" | "zh" | "ar";

export interface PageTexts {
  /** Of the HTML element. */
  readonly lang: string;
  readonly dir: "ltr" | "rtl";
  readonly title: string;
  readonly why: string;
  readonly duration: string;
  readonly opens: string;
  readonly working: string;
  readonly progress: string;
  readonly done: string;
  /** Below the explanation, for browsers without script. */
  readonly withoutScript: string;
  readonly skip: string;
  readonly early: string;
  readonly formKept: string;
  readonly formSend: string;
  readonly formLost: string;
  readonly formReady: string;
  readonly goBack: string;
  readonly passedTitle: string;
  readonly passed: string;
  readonly proceed: string;
  readonly cookiesTitle: string;
  readonly cookies: string;
  readonly failedTitle: string;
  readonly failed: string;
  /** The network has had too many passes without script. */
  readonly crowdedTitle: string;
  readonly crowded: string;
  readonly tryAgain: string;
  /** At the end of each page. */
  readonly protection: string;
  readonly reference: string;
  readonly rule: string;
}
