// Express as its documentation sets it up: nested queries and forms by qs, JSON, uploads by multer, cookies; and XML, which applications
// read themselves.
import type { RequestListener } from "node:http";
import { parseCookie } from "cookie";
import express from "express";
import type { Request, RequestHandler, Response } from "express";
import { XMLParser } from "fast-xml-parser";
import multer from "multer";
import { Readings } from "./readings.ts";
import { readWhole, replay } from "./replay.ts";

interface Parsed {
  readonly body?: unknown;
  readonly files?: readonly { readonly fieldname: string; readonly originalname: string; readonly buffer: Buffer }[];
}

const PARSERS: readonly (readonly [isForm: boolean, parser: RequestHandler])[] = [
  [true, express.urlencoded({ extended: true })],
  [false, express.json()],
  [true, multer({ storage: multer.memoryStorage() }).any()],
];
const xml = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "@", removeNSPrefix: true });

/** The parser calls a text beside attributes `#text`; its name is that of its element. */
function withoutTextNames(parsed: unknown): unknown {
  if (typeof parsed !== "object" || parsed === null) return parsed;
  if (Array.isArray(parsed)) return parsed.map(withoutTextNames);
  const { "#text": own, ...rest } = parsed as Record<string, unknown>;
  const inner = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, withoutTextNames(value)]));
  return own === undefined ? inner : [own, inner];
}

async function read(req: Request, res: Response): Promise<Readings> {
  const readings = new Readings();
  readings.addHeaders(req.headers);
  readings.add("query", [], req.query);
  readings.add("cookie", [], parseCookie(req.headers.cookie ?? ""));
  const body = await readWhole(req);
  for (const [isForm, parser] of PARSERS) {
    const again = replay(req, body) as unknown as Parsed;
    const failure = await new Promise((resolve) => void parser(again as never, res, resolve));
    if (failure !== undefined) continue;
    readings.add("body", [], again.body ?? {}, isForm);
    for (const { fieldname, originalname, buffer } of again.files ?? [])
      readings.addFile(fieldname, originalname, buffer);
  }
  readings.addJson(body);
  // Its type says so, or it looks like XML: this parser finds elements in any text.
  const type = req.headers["content-type"] ?? "";
  if (/\bxml\b/i.test(type) || /^(?:\xef\xbb\xbf)?\s*</.test(body.toString("latin1"))) {
    try {
      readings.add("body", [], withoutTextNames(xml.parse(body)), false);
    } catch {
      // It is none.
    }
  }
  return readings;
}

export function expressApplication(): RequestListener {
  const app = express();
  app.set("query parser", "extended");
  app.use((req, res, next) => {
    read(req, res).then(({ all }) => res.json(all), next);
  });
  return app;
}
