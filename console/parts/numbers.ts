// Numbers as people read them.
const COUNT = new Intl.NumberFormat("en");
const SHARE = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

/** `12,345` */
export const formatCount = (count: number): string => COUNT.format(count);
/** `50`, or `50+` where more were not counted. */
export const formatUpTo = (count: number, most: number): string =>
  count > most ? `${formatCount(most)}+` : formatCount(count);
/** `12.3%` of 0.123. */
export const formatShare = (share: number): string => SHARE.format(share);
