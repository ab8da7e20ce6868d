// A table as a picture: a bar for each row's median, with a line from the lowest to the highest round. It brings its own
// background, so that it reads the same in light and dark viewers.
import { BarChart, CustomChart } from "echarts/charts";
import { GridComponent, TitleComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { formatFigure } from "./print.ts";
import type { Row, Table } from "./table.ts";

use([BarChart, CustomChart, GridComponent, TitleComponent, SVGRenderer]);

const WIDTH = 900;
const ROW_HEIGHT = 26;
const TOP = 64;
const BOTTOM = 56;
const CHARACTER_WIDTH = 6.6;
const LABEL_WIDTH = 90;
/** Beyond this ratio short bars would not be seen beside long ones. */
const LINEAR_RANGE = 50;
const BACKGROUND = "#ffffff";
const INK = "#1f2328";
const FAINT = "#d0d7de";
/** Limits are grey: nobody competes with them. */
const LIMIT = "#8c959f";
const PALETTE = ["#0969da", "#bc4c00", "#1a7f37", "#8250df"] as const;

const LIMIT_NAME = /^(?:raw|naive|undici alone)\b/;
/** Who or what a row is about: rows named alike but for what follows the comma have one colour. */
const headOf = ({ name }: Row) => name.split(/[:,]/)[0] as string;

function coloursOf(rows: readonly Row[]): string[] {
  const heads = [...new Set(rows.filter(({ name }) => !LIMIT_NAME.test(name)).map(headOf))];
  return rows.map((row) => {
    if (LIMIT_NAME.test(row.name)) return LIMIT;
    return heads.length > PALETTE.length ? PALETTE[0] : (PALETTE[heads.indexOf(headOf(row))] as string);
  });
}

export function plotTable({ title, unit, rows }: Table): string {
  const measured = rows.filter(({ median }) => median > 0);
  const values = measured.map(({ median }) => median);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isLog = most / least > LINEAR_RANGE;
  const colours = coloursOf(measured);
  const chart = init(null, null, {
    renderer: "svg",
    ssr: true,
    width: WIDTH,
    height: TOP + BOTTOM + ROW_HEIGHT * measured.length,
  });
  const text = { color: INK, fontFamily: "sans-serif", fontSize: 12 };
  chart.setOption({
    animation: false,
    backgroundColor: BACKGROUND,
    title: {
      text: title,
      subtext: "median; line: lowest to highest round",
      textStyle: { ...text, fontSize: 15 },
      left: 12,
      top: 8,
    },
    grid: {
      left: 24 + CHARACTER_WIDTH * Math.max(...measured.map(({ name }) => name.length)),
      right: LABEL_WIDTH,
      top: TOP,
      bottom: BOTTOM,
    },
    xAxis: {
      type: isLog ? "log" : "value",
      name: isLog ? `${unit} (logarithmic)` : unit,
      nameLocation: "middle",
      nameGap: 30,
      nameTextStyle: text,
      ...(isLog && { min: 10 ** Math.floor(Math.log10(Math.min(...measured.map(({ lowest }) => lowest)))) }),
      axisLabel: text,
      splitLine: { lineStyle: { color: FAINT } },
    },
    yAxis: {
      type: "category",
      inverse: true,
      data: measured.map(({ name }) => name),
      axisLabel: text,
      axisTick: { show: false },
      axisLine: { lineStyle: { color: INK } },
    },
    series: [
      {
        type: "bar",
        barWidth: "60%",
        data: measured.map(({ median }, at) => ({ value: median, itemStyle: { color: colours[at] } })),
      },
      {
        type: "custom",
        // From the lowest to the highest round, and the median in figures behind it.
        renderItem: (_params: unknown, api: CustomApi) => {
          const [from = 0, y = 0] = api.coord([api.value(1), api.value(0)]);
          const [to = 0] = api.coord([api.value(2), api.value(0)]);
          const [end = 0] = api.coord([Math.max(api.value(2), api.value(3)), api.value(0)]);
          return {
            type: "group",
            children: [
              { type: "line", shape: { x1: from, y1: y, x2: to, y2: y }, style: { stroke: INK, lineWidth: 1.5 } },
              {
                type: "text",
                style: {
                  x: end + 6,
                  y,
                  text: formatFigure(api.value(3)),
                  textVerticalAlign: "middle",
                  ...fontOf(text),
                },
              },
            ],
          };
        },
        data: measured.map(({ lowest, highest, median }, at) => [at, lowest, highest, median]),
        encode: { x: [1, 2, 3], y: 0 },
      },
    ],
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  // For pointers, and numbered by how many pictures were drawn before.
  return `${svg.replace(/<style[\s\S]*<\/style>\n?/, "").replaceAll(/ class="zr[^"]*"/g, "")}\n`;
}

interface CustomApi {
  value(dimension: number): number;
  coord(point: readonly number[]): number[];
}

function fontOf({ color, fontFamily, fontSize }: { color: string; fontFamily: string; fontSize: number }) {
  return { fill: color, font: `${fontSize}px ${fontFamily}` };
}
