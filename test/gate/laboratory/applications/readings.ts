// What an application tells of a request: every value that it reads, and the name under which it reads it. The readers of each
// framework add what they have found.

/** Kind, name, value and, where the language converts the value to a number, that number. Name and value are base64 of their bytes. */
export type WrittenReading = readonly [
  kind: "query" | "cookie" | "header" | "body",
  name: string,
  value: string,
  number: number | null,
];

const base64 = (text: string | Uint8Array) => Buffer.from(text as string, "utf8").toString("base64");

/** JSON has no infinity. */
function numberOf(value: unknown): number | null {
  const number = typeof value === "boolean" || value === "" ? Number.NaN : Number(value);
  return Number.isNaN(number) ? null : Math.max(-1e300, Math.min(number, 1e300));
}

const isText = (bytes: Uint8Array) => {
  const written = Buffer.from(bytes);
  return !written.includes(0) && Buffer.from(written.toString("utf8")).equals(written);
};

export class Readings {
  readonly all: WrittenReading[] = [];

  /** Values of lists have the name of the list. In forms a number in the place of a name may be the place in a list. */
  add(kind: WrittenReading[0], path: readonly string[], value: unknown, isForm = true): void {
    if (Array.isArray(value)) for (const one of value) this.add(kind, path, one, isForm);
    else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        if (isForm && path.length > 0 && /^\d+$/.test(key)) this.add(kind, path, inner, isForm);
        this.add(kind, [...path, key], inner, isForm);
      }
    } else {
      this.all.push([kind, base64(path.join(".")), base64(String(value)), numberOf(value)]);
    }
  }

  /** The contents of files that are no text are not compared. */
  addFile(name: string, filename: string | null | undefined, content: Uint8Array): void {
    this.add("body", [name, "filename"], filename ?? "");
    if (isText(content)) this.all.push(["body", base64(name), base64(content), null]);
  }

  /** What applications do that read every body as JSON. */
  addJson(body: Buffer): void {
    try {
      this.add("body", [], JSON.parse(body.toString("utf8")), false);
    } catch {
      // It is none.
    }
  }

  addHeaders(headers: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(headers)) this.add("header", [name], value);
  }
}
