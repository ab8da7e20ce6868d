// Fills and reads the feed of a team.
import assert from "node:assert/strict";
import type { TestResponse, Body, TestApp, TestTeam, TestUser } from "../harness/test-app.ts";
import { plantEvents } from "./planted-events.ts";
import type { Planted } from "./planted-events.ts";

export function openFeed({ request, clock, withStore }: TestApp) {
  async function list(user: TestUser, team: TestTeam, query = ""): Promise<TestResponse> {
    return await request("GET", `/v3/events?teamId=${team.id}${query}`, { token: user.token });
  }
  return {
    list,
    /** The events that a query returns. */
    async find(user: TestUser, team: TestTeam, query: string): Promise<Body[]> {
      const { status, body, text } = await list(user, team, query);
      assert.equal(status, 200, text);
      return body.events;
    },
    /** Appends events to the team's chain, with the present time. */
    async plant(team: TestTeam, planted: readonly Planted[]): Promise<void> {
      await withStore((store) => plantEvents(store, team.id, clock.now, planted));
    },
  };
}

export function sequencesOf(events: readonly Body[]): number[] {
  return events.map(({ sequence }) => sequence);
}

export function typesOf(events: readonly Body[]): string[] {
  return events.map(({ type }) => type);
}

/** `first`, ..., 2, 1. */
export function downFrom(first: number): number[] {
  return Array.from({ length: first }, (_, index) => first - index);
}
