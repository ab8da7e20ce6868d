// The kinds of requests that the laboratory makes.
import { cookies } from "./kinds/cookies.ts";
import { forms, queries } from "./kinds/fields.ts";
import { headers } from "./kinds/headers.ts";
import { json } from "./kinds/json.ts";
import type { Kind } from "./kinds/kind.ts";
import { multipart } from "./kinds/multipart.ts";
import { xml } from "./kinds/xml.ts";

export const KINDS: readonly Kind[] = [queries, forms, multipart, cookies, headers, json, xml];
