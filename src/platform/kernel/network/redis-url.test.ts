import assert from "node:assert/strict";
import { test } from "node:test";
import { isRedisUrl } from "./redis-url.ts";

test("URLs of Redis name a host and a database, or a socket", () => {
  for (const url of [
    "redis://localhost",
    "redis://10.0.0.1:6380/2",
    "rediss://user:p%40ss@redis.example.com:6379/",
    "redis://:secret@[::1]:6379",
    "unix:/run/redis/redis.sock",
    "unix:///run/redis/redis.sock",
  ]) {
    assert.ok(isRedisUrl(url), url);
  }
  for (const url of [
    "",
    "localhost:6379",
    "http://localhost",
    "redis:",
    "redis://",
    "redis://host/name",
    "redis://host?db=1",
    "redis://host#1",
    "unix:redis.sock",
    "unix://host/redis.sock",
    "unix:/",
    "redis+tls://host",
  ]) {
    assert.ok(!isRedisUrl(url), url);
  }
});
