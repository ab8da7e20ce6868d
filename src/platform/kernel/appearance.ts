// The look that pages outside of the console share with it, and mails too: colours by their roles in console/style/tokens.css, and the
// mark of console/favicon.svg. Neither file is at hand where these are drawn, so test/console/appearance.test.ts compares them.
import { Html } from "./text/html.ts";

/** By role: in light and in dark. */
export const COLOURS = {
  "bg-app": ["#f6f7f9", "#0c0e11"],
  bg: ["#ffffff", "#121418"],
  "bg-hover": ["#f2f4f7", "#1b1f25"],
  "bg-active": ["#e8ebf0", "#252a32"],
  "bg-input": ["#ffffff", "#0f1115"],
  text: ["#171a20", "#e8eaee"],
  "text-2": ["#474e5b", "#b4bbc6"],
  "text-3": ["#5f6774", "#949dab"],
  line: ["#e3e6eb", "#272c34"],
  "line-2": ["#d3d8df", "#343a44"],
  "line-control": ["#858d9b", "#6b7482"],
  accent: ["#2f56d3", "#4467e6"],
  "accent-hover": ["#2647b5", "#3d5fdc"],
  "accent-text": ["#2a4dc0", "#96adff"],
  "on-accent": ["#ffffff", "#ffffff"],
  focus: ["#2f56d3", "#96adff"],
  "allowed-text": ["#0b6a5c", "#6cd0c0"],
  "allowed-tint": ["#e5f5f2", "#10292a"],
  "denied-mark": ["#bb1d26", "#cf5040"],
  "denied-text": ["#ab1c22", "#ff9b8c"],
  "denied-tint": ["#fdeeeb", "#351c19"],
  "challenged-text": ["#6b3bb0", "#cdb3f5"],
  "limited-text": ["#855500", "#f0c269"],
  "limited-tint": ["#fdf3de", "#2f2511"],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>;

export type Colour = keyof typeof COLOURS;

/**
 * A style sheet that defines these colours as custom properties, in dark where the visitor's system is. It is no `light-dark()`: a
 * browser of 2023 would show no colours.
 */
export function colourSheet(names: readonly Colour[]): string {
  const define = (scheme: 0 | 1) => `:root{${names.map((name) => `--${name}:${COLOURS[name][scheme]}`).join(";")}}`;
  return `:root{color-scheme:light dark}${define(0)}@media(prefers-color-scheme:dark){${define(1)}}`;
}

const LINE = "M7.5 18V10a4.5 4.5 0 0 1 9 0c0 2.4-1.6 3.9-4.2 4.2L16.8 18";
const STROKE = 'fill="none" stroke="#fff" stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round"';
const DRAWING = `viewBox="0 0 24 24"><rect width="24" height="24" rx="6.5" fill="#2f56d3"/><path d="${LINE}" ${STROKE}/></svg>`;

/** The file of the mark. */
export const MARK_FILE = `<svg xmlns="http://www.w3.org/2000/svg" ${DRAWING}`;

/** The mark within a page, beside the name. */
export const MARK = new Html(`<svg class="mark" aria-hidden="true" ${DRAWING}`);
