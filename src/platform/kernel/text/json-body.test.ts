// What a body that is no JSON is told: the place, and the usual slips. It never repeats what was sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJsonBody } from "./json-body.ts";

const REFUSED = {
  "{'name': 1}": ", which line 1 column 2 is not: names and texts need double quotes",
  "{name: 1}": ", which line 1 column 2 is not: names and texts need double quotes",
  "['a']": ": names and texts need double quotes",
  '{"name": 1,}': ", which line 1 column 12 is not: leave out the comma before it",
  '{"name": [1,\n2,\n]}': "",
  '{"name": 1 2}': ", which line 1 column 12 is not",
  '{"name": 1}}': ", which line 1 column 12 is not",
  '{"name": ': ", and the text ends before it does",
};

for (const [text, problem] of Object.entries(REFUSED)) {
  test(JSON.stringify(text), () => {
    assert.throws(() => parseJsonBody(Buffer.from(text)), {
      code: "invalid_json",
      message: `body: expected JSON${problem}`,
    });
  });
}
