// The hash chain of an owner's events. Each hash covers the previous one, so recomputing the chain reveals a changed,
// removed, inserted or reordered row. Anyone can recompute it from exported rows.
import { hash } from "node:crypto";
import type { Tables } from "../../platform/store/tables/tables.ts";

/** The columns that a hash covers, in the order in which they are hashed. */
const COVERED = [
  "ownerId",
  "sequence",
  "id",
  "type",
  "createdAt",
  "actorKind",
  "principalId",
  "userId",
  "credentialId",
  "actor",
  "via",
  "ip",
  "userAgent",
  "requestId",
  "entityId",
  "projectId",
  "text",
  "entities",
  "payload",
  "previous",
  "next",
] as const satisfies readonly (keyof Tables["events"])[];

const NUMBERS: readonly string[] = ["sequence", "createdAt"] satisfies (keyof Tables["events"])[];
const NULLABLE: readonly string[] = [
  "userId",
  "credentialId",
  "userAgent",
  "projectId",
  "previous",
  "next",
] satisfies (keyof Tables["events"])[];

export type UnsignedEvent = Omit<Tables["events"], "hash">;

/** The covered columns of an event as a JSON array. The event's hash covers this text and the previous hash. */
export function chainText(event: UnsignedEvent): string {
  return JSON.stringify(COVERED.map((column) => event[column]));
}

/** SHA-256 in hex over the previous hash and the covered columns. */
export function chainHash(previousHash: string, event: UnsignedEvent): string {
  return hash("sha256", `${previousHash}\n${chainText(event)}`, "hex");
}

function isValueOf(column: string, value: unknown): boolean {
  if (NUMBERS.includes(column)) return Number.isSafeInteger(value);
  return typeof value === "string" || (value === null && NULLABLE.includes(column));
}

/** Makes an event of its covered columns; undefined when a column is missing or has the wrong type. */
export function readColumns(columns: readonly unknown[]): UnsignedEvent | undefined {
  if (columns.length !== COVERED.length) return undefined;
  if (!COVERED.every((column, index) => isValueOf(column, columns[index]))) return undefined;
  return Object.fromEntries(COVERED.map((column, index) => [column, columns[index]])) as unknown as UnsignedEvent;
}
