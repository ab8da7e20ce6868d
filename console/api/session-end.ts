// What happens when a session has ended: the page to sign in, which leads back; but what was typed on a page is not thrown away.

/** The page on which something was typed. */
let typedOn: string | null = null;

/** Searches are part of the address, which signing in leads back to. */
function note({ target }: Event): void {
  if (target instanceof Element && target.closest("search, .palette") === null) typedOn = location.pathname;
}

/** Begins to notice what is typed. */
export function watchTyping(): void {
  addEventListener("input", note);
}

/** The page to sign in, which leads back to this one. */
export function signInAddress(): string {
  const here = location.href.slice(new URL("./", document.baseURI).href.length);
  return new URL(`sign-in?return=${encodeURIComponent(here)}`, document.baseURI).href;
}

/** Leads to the page to sign in, unless something was typed here: then the refusal leads there, in a tab of its own. */
export function signInAgain(): void {
  if (typedOn !== location.pathname) location.assign(signInAddress());
}
