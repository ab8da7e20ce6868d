// Examples of what docs/firewall.md specifies about paths.
import { readFileSync } from "node:fs";
import { at, reads } from "./page-example.ts";
import type { PageExample } from "./page-example.ts";

/** The rule that the page recommends when it is unknown how an application reads paths. */
const [, RECOMMENDED = ""] = /```json\n([^]*?)```/.exec(
  readFileSync(new URL("../../docs/firewall.md", import.meta.url), "utf8").split(
    "can be read in two ways, control",
  )[1] ?? "",
) as unknown as string[];
const [condition] = JSON.parse(RECOMMENDED).conditionGroup[0].conditions;

export const PATHS: readonly PageExample[] = [
  reads(
    "the recommended rule matches paths that can be read in two ways, and no ordinary ones",
    condition,
    at(
      "//admin",
      "/x\\admin",
      "/admin/..;/x",
      "/admin/..%2fx",
      "/admin%2F..%2fx",
      "/admin/%252e%252e/x",
      "/admin/..\\x",
      "/admin/%2E%2e%3bq/users",
      "/admin;/../x",
      "/admin/../x",
      "/admin/.",
      "/%00admin",
      "/ad%0Amin",
      "/%7fadmin",
      "/x%5cadmin",
      "/x/..%20/admin",
      "/x/.. /admin",
      "/x/.%20%20",
      "/ad\tmin",
    ),
    at("/", "/admin/users", "/a.b/..c/d...", "/caf%C3%A9/%20a?x=//..;%2f", "/.well-known/x", "/a/b.../"),
  ),
  reads(
    "a path is decoded and has no dot segments",
    { type: "path", op: "eq", value: "/admin" },
    at("/admin", "/a/%2e%2e/admin", "/%61dmin?b", "https://example.com/ADMIN#x", "admin/../admin", "/..//../admin"),
    at("/admin/", "/a?/admin", "admin", "/admin/a;/..", "/a%3f/admin", "/a;/../b/admin"),
  ),
  reads(
    "no spelling of a path evades its prefix",
    { type: "path", op: "pre", value: "/admin" },
    at(
      "//admin",
      "///admin/",
      "/x//../admin",
      "//x/..//admin",
      "https://h//admin",
      "\\admin",
      "/\\admin",
      "/x\\..\\admin",
      "/x%5c..%5Cadmin",
      "https://h\\admin?a",
      "http:\\\\h\\admin",
      "/x/..;/admin",
      "/x/..;a=b;c/admin",
      "/;/admin",
      "/.;/admin",
      "/x/..%3b/admin",
      "/admin;a=b",
      "/x;/..;\\admin",
      "/%2561dmin",
      "/%25252561dmin",
      "/%6%31dmin",
      "/%256%31dmin",
      "/x/%252e%252e/admin",
      "/x%252f..%255cadmin",
    ),
    at("/x/admin", "/x;/admin", "/...;/admin", "/x/...//admin", "/%25%61dmin", "/x\\admin", "/;admin", "/ad;/min"),
  ),
  reads(
    "a path keeps its trailing slash and no other empty segment",
    { type: "path", op: "eq", value: "/a/" },
    at("/a/", "//a//", "/a\\", "/a/;b", "/a/b/..", "/a/.;c", "/a%2f", "/./a;b//.//"),
    at("/a", "/a;b", "/a//b", "/"),
  ),
  reads(
    "bytes that were escaped twice are characters together",
    { type: "path", op: "eq", value: "/\u20ac\ufffd" },
    at("/%25e2%82%2525ac%25ff", "/\u20ac%c3"),
  ),
  reads(
    "invalid UTF-8 is replaced",
    { type: "path", op: "eq", value: "/\ufffda%zz\ufffd\ufffd" },
    at("/%ffa%zz%C0%AF"),
  ),
  reads(
    "the raw path is not changed",
    { type: "raw_path", op: "eq", value: "/a/%2E%2e/b" },
    at("/a/%2E%2e/b?c", "https://h/a/%2E%2e/b"),
    at("/b"),
  ),
];
