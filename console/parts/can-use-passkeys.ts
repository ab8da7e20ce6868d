/** Browsers have passkeys on pages of https and localhost only, and not for IP addresses. */
export function canUsePasskeys(): boolean {
  const isAddress = /^[\d.]+$|^\[/.test(location.hostname);
  return !isAddress && "PublicKeyCredential" in window && "credentials" in navigator;
}
