// The setting of verified bots.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "./config.ts";

const read = (text: string) => readSettings({ botSources: text }, {}).botSources;

test("bots are named with where their networks or keys are published", () => {
  assert.deepEqual(readSettings({}, {}).botSources, []);
  assert.deepEqual(read("none"), []);
  const ranges = "https://developers.google.com/search/apis/ipranges/googlebot.json";
  assert.deepEqual(
    read(`Googlebot=ranges:${ranges}, ChatGPT-User=agent:https://chatgpt.com/,x.y=agent:http://127.0.0.1:8000`),
    [
      { name: "Googlebot", kind: "ranges", url: ranges },
      { name: "ChatGPT-User", kind: "agent", url: "https://chatgpt.com" },
      { name: "x.y", kind: "agent", url: "http://127.0.0.1:8000" },
    ],
  );
});

test("anything else is refused", () => {
  const many = Array.from({ length: 17 }, (_, at) => `bot=agent:https://${at}.example`).join(",");
  for (const [text, expected] of [
    ["Googlebot", /name=ranges:URL/],
    ["Googlebot=https://a.example/x.json", /name=ranges:URL/],
    ["Go=ranges:https://a.example/x.json", /name=ranges:URL/],
    ["Googlebot=ranges:http://a.example/x.json", /URLs with https:/],
    ["Googlebot=ranges:https://user@a.example/x.json", /name=ranges:URL/],
    ["ChatGPT=agent:https://a.example/path", /name=agent:https:\/\/host/],
    ["one=agent:https://a.example,two=agent:https://a.example/", /each URL once/],
    [many, /at most 16 bots/],
  ] as const) {
    assert.throws(
      () => read(text),
      (error: Error) => {
        assert.match(error.message, /^--bot-sources: expected /);
        assert.match(error.message, expected);
        return true;
      },
    );
  }
});
