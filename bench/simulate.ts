// `npm run simulate`: what an instance needs for 10^3 to 10^8 owners, from the costs that the last report has measured.
// Each assumption is a flag, `--owners` asks for one size: npm run simulate -- --owners 250000 --peakFactor 10
// `--fill` puts the tables of docs/scaling.md anew.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Costs } from "./costs.ts";
import { measuredCosts } from "./costs.ts";
import { ASSUMPTIONS, assumed } from "./forecast.ts";
import { fillScalingPage, forecastTable } from "./scaling.ts";

const SCALING_PAGE = new URL("../docs/scaling.md", import.meta.url);

const numbers = Object.fromEntries(
  ["owners", ...Object.keys(ASSUMPTIONS)].map((name) => [name, { type: "string" } as const]),
);
const { values } = parseArgs({ options: { ...numbers, fill: { type: "boolean" } } });
const { fill, ...texts } = values as Readonly<Record<string, string | boolean>>;

function numberOf([name, text]: readonly [string, string | boolean]): readonly [string, number] {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name}: expected a number above 0`);
  return [name, value];
}

const { owners, ...given } = Object.fromEntries(Object.entries(texts).map(numberOf));
const costs = JSON.parse(readFileSync(new URL("costs.json", import.meta.url), "utf8")) as Costs;
if (fill === true) writeFileSync(SCALING_PAGE, fillScalingPage(readFileSync(SCALING_PAGE, "utf8"), costs));
else
  console.log(
    forecastTable(measuredCosts(costs), { ...assumed(), ...given }, owners === undefined ? undefined : [owners]),
  );
