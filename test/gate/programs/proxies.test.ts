// nginx, Caddy and HAProxy with the files of deploy/gate/, in front of a real application: each decides the corpus as `evaluate` predicts.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import express from "express";
import { STATUS, expectDecisions } from "../alike.ts";
import { CONFIGURATION } from "../corpus.ts";
import { openBrowser } from "../../browser/browser.ts";
import { echo, listenOn, sendTo, startGateWorld } from "../gate-world.ts";
import { say, takeWebSockets, upgrade } from "../web-socket.ts";
import { PROXIES, startProxy } from "./proxy-programs.ts";

const world = await startGateWorld();
const project = await world.newProject(CONFIGURATION);
const assertAlike = await expectDecisions(world, project);
const { url: application, server } = await listenOn(express().use(echo));
takeWebSockets(server);
const browser = await openBrowser();

/** Besides those of every request. HAProxy takes a hundred. */
const MANY_HEADERS = [40, 60, 80, 90, 94, 95, 97, 99, 110] as const;

/** The status of a challenged program is the gate's: nginx gets it from the page of the refusal. */
const WITHOUT_GATE = { nginx: 500, caddy: 502, haproxy: 503 } as const;

for (const name of PROXIES) {
  const gate = await world.startGate({ hosts: [{ host: "*", team: world.team.slug, project }] });
  const sites = [{ host: "shop.test", application, isFallback: true }];
  const { http } = await startProxy(name, { folder: world.newFolder(), gate: gate.url, sites });
  const url = `http://127.0.0.1:${http}`;
  describe(`${name} with deploy/gate/`, () => {
    it("decides the corpus as evaluate predicts", async () => {
      await assertAlike(
        ({ method, target, headers, host, ip }) => sendTo(url, target, { method, ip, headers: { ...headers, host } }),
        STATUS,
      );
    });

    it("passes bodies on, tells the application the decision, and believes no claims of a client", async () => {
      const claimed = {
        "x-reeve-decision": "allow; id=mine",
        "x-forwarded-uri": "/",
        "x-original-uri": "/",
        "x-forwarded-method": "GET",
        "x-original-method": "GET",
        "x-forwarded-server": "claimed",
        forwarded: "for=198.51.100.1",
        "x-real-ip": "198.51.100.1",
        X_Reeve_Decision: "bypass; id=mine",
        "X-Real_IP": "198.51.100.1",
      };
      const { status, text } = await sendTo(url, "/order?id=1", {
        method: "POST",
        headers: { host: "shop.test", "user-agent": "Mozilla/5.0", ...claimed },
        body: "a=b",
      });
      const seen = JSON.parse(text) as { method: string; url: string; body: string; headers: Record<string, string> };
      assert.deepEqual([status, seen.method, seen.url, seen.body], [200, "POST", "/order?id=1", "a=b"]);
      assert.match(seen.headers["x-reeve-decision"] ?? "", /^allow; version=\d+; id=\w{12,}$/);
      assert.equal(seen.headers["x-real-ip"], "127.0.0.1");
      // Rules see none of these, or the application may take them for others, so it gets none.
      for (const unseen of [/_/, /^forwarded$/, /^x-original-/, /^x-forwarded-(?:uri|method|server)$/]) {
        assert.deepEqual(
          Object.keys(seen.headers).filter((header) => unseen.test(header)),
          [],
        );
      }
      const denied = await sendTo(url, "/admin", { headers: { host: "shop.test", ...claimed } });
      assert.equal(denied.status, 403);
    });

    it("shows people the page of the challenge, serves what it loads, and nothing else of the gate", async () => {
      const headers = { host: "shop.test", accept: "text/html", "user-agent": "Mozilla/5.0", "accept-language": "en" };
      const { status, text } = await sendTo(url, "/login", { headers });
      assert.ok(status === 401 || status === 403, String(status));
      const form = { ...headers, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
      const posted = await sendTo(url, "/login", {
        method: "POST",
        headers: { ...form, "content-type": "application/x-www-form-urlencoded" },
        body: "a=b",
      });
      assert.match(posted.text, /data-form="lost"/);
      const [script = ""] = /\/\.well-known\/reeve\/challenge\/check-\w+\.js/.exec(text) ?? assert.fail(text);
      assert.equal((await sendTo(url, script, { headers })).status, 200);
      for (const path of ["health", "metrics", "check", "check/admin", "refused"]) {
        assert.equal((await sendTo(url, `/.well-known/reeve/${path}`, { headers })).status, 404, path);
      }
    });

    it("lets a browser in that has solved the challenge", async (t) => {
      const page = await browser.openPage(t);
      const response = await page.goto(`${url}/login`);
      assert.ok([401, 403].includes(response?.status() ?? 0), String(response?.status()));
      await page.getByText('"url":"/login"').waitFor();
      const [pass] = await page.context().cookies();
      assert.equal(pass?.name, "reeve-pass");
    });

    it("connects WebSockets that the gate lets through, and no others", async () => {
      const { socket, head } = await upgrade(url, "/live");
      assert.match(head, /^HTTP\/1\.1 101 /);
      assert.equal(await say(socket, "hello"), "allow:hello");
      assert.match((await upgrade(url, "/admin/live")).head, /^HTTP\/1\.1 403 /);
    });

    it("answers a client over HTTP that wants another protocol, within which nobody would ask the gate", async () => {
      for (const protocols of [["h2c"], ["TLS/1.0"], ["websocket, h2c"], ["websocket", "h2c"], ["h2c", "websocket"]]) {
        const { socket, head } = await upgrade(url, "/live", "Mozilla/5.0", protocols);
        assert.match(
          head,
          protocols[0] === "websocket" ? /^HTTP\/1\.1 (?:200|101) / : /^HTTP\/1\.1 200 /,
          String(protocols),
        );
        assert.doesNotMatch(head, /^upgrade:.*h2c/im, String(protocols));
        socket.destroy();
      }
    });

    it("leads no path to the gate that only looks like one of the challenge or of the rate limits", async () => {
      const headers = { host: "shop.test", "user-agent": "Mozilla/5.0", "x-forwarded-for": "203.0.113.9" };
      for (const path of [
        "reeve/health/../challenge",
        "reeve/health/..%2fchallenge",
        "reeve/metrics/%2e%2e/challenge/x",
        "reeve/refused/..%2fchallenge",
        "reeve/check/..%2fchallenge",
        "reeve/check/..%2f..%2fvercel/rate-limit-api/..;/..;/limited",
        "reeve/check/..%2f..%2fvercel/rate-limit-api/login",
        "reeve/health/..%2f..%2fvercel/rate-limit-api/login",
      ]) {
        const { status, text } = await sendTo(url, `/.well-known/${path}`, { headers });
        assert.deepEqual([status, text.includes("reeve")], [404, false], `${path}: ${status} ${text}`);
      }
    });

    it("shows nothing of the gate itself, whatever the way its paths are written in", async () => {
      for (const page of ["health", "metrics", "check", "check/admin", "refused"]) {
        for (const path of [
          `/.well-known/reeve/challenge/../${page}`,
          `/.well-known/reeve/challenge/..%2f${page}`,
          `/.well-known/reeve/challenge/%2e%2e/${page}`,
          `/.well-known/reeve/challenge/..;/${page}`,
          `/.well-known/reeve/challenge\\..\\${page}`,
          `/.well-known/reeve/challenge?/../${page}`,
          `/.well-known/reeve/./${page}`,
          `/.well-known/reeve//${page}`,
          `/.well-known//reeve/${page}`,
          `//.well-known/reeve/${page}`,
          `/.well-known/reeve%2f${page}`,
          `/.well-known%2freeve/${page}`,
          `/%2ewell-known/reeve/${page}`,
          `/.well-known/%72eeve/${page}`,
          `/.WELL-KNOWN/REEVE/${page}`,
          `/.well-known/reeve;x/${page}`,
          `/x/../.well-known/reeve/${page}`,
          `/x/..%2f.well-known/reeve/${page}`,
          `/.well-known/vercel/rate-limit-api/../../reeve/${page}`,
          `/.well-known/vercel/rate-limit-api/..%2f..%2freeve/${page}`,
          `http://shop.test/.well-known/reeve/${page}`,
          `http://shop.test/.well-known/reeve/challenge/../${page}`,
        ]) {
          const headers = { host: "shop.test", "user-agent": "Mozilla/5.0" };
          const { status, text } = await sendTo(url, path, { headers });
          const isOfApplication = status === 200 && text.includes('"x-reeve-decision":"allow; ');
          assert.ok(isOfApplication || [400, 403, 404].includes(status), `${path}: ${status} ${text}`);
        }
      }
    });

    it("leads an application that asks for a rate limit to the gate", async () => {
      const headers = { host: "shop.test", "user-agent": "curl/8.5.0" };
      const { status, text } = await sendTo(url, "/.well-known/vercel/rate-limit-api/login", { headers });
      // As the gate says it, not the application.
      assert.deepEqual([status, text], [404, "Not found.\n"]);
    });

    it("lets requests with many headers through or refuses them, and goes on", async () => {
      for (const count of MANY_HEADERS) {
        for (const many of [
          Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, "y"])),
          { "x-a": Array(count).fill("y") },
        ]) {
          const { status } = await sendTo(url, "/", {
            headers: { host: "shop.test", "user-agent": "Mozilla/5.0", ...many },
          });
          assert.ok(status === 200 || (count > 60 && [400, 431].includes(status)), `${count}: ${status}`);
        }
      }
    });

    it("does not reach the application without the gate", async () => {
      await gate.close();
      const { status } = await sendTo(url, "/", { headers: { host: "shop.test", "user-agent": "Mozilla/5.0" } });
      assert.equal(status, WITHOUT_GATE[name]);
    });
  });
}
