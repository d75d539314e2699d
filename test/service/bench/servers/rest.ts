/**
 * What the hand-written servers of `npm run bench -- peers` call REST with: a bare undici pool, or the global fetch. Each call
 * carries the caller's API key, because REST answers nobody without one.
 */
import type { IncomingHttpHeaders } from "node:http";
import { Pool } from "undici";

type Named = { readonly id: string; readonly name: string };
export type Conversation = {
  readonly id: string;
  readonly subject: string;
  readonly contactId: string;
  readonly assigneeId: string;
};
export type Get = <T>(path: string) => Promise<T>;
/** Returns the `Get` of one caller. */
export type GetOf = (caller: IncomingHttpHeaders) => Get;

const upstream = process.env.REST_BASE_URL ?? "";

const keyOf = ({ "x-api-key": key = "" }: IncomingHttpHeaders) => ({ "x-api-key": String(key) });

export function overUndici(): GetOf {
  const pool = new Pool(upstream, { connections: 64, pipelining: 1, keepAliveTimeout: 60_000 });
  return (caller) => {
    const headers = keyOf(caller);
    return async <T>(path: string) => {
      const { body } = await pool.request({ path, method: "GET", headers });
      return JSON.parse(await body.text()) as T;
    };
  };
}

export const overFetch: GetOf = (caller) => {
  const headers = keyOf(caller);
  return async <T>(path: string) => (await fetch(upstream + path, { headers })).json() as T;
};

export const items = async <T>(get: Get, path: string): Promise<T[]> =>
  (await get<{ items: T[] }>(path)).items;

/** One object a key, fetched in one call. */
export async function byKey(get: Get, path: string, keys: readonly string[]): Promise<Map<string, Named>> {
  const ids = [...new Set(keys)].map(encodeURIComponent).join(",");
  const found = await items<Named>(get, `${path}?ids=${ids}&limit=100`);
  return new Map(found.map((item) => [item.id, item]));
}

export type Context = { readonly get: Get };

/** The root fields of the workloads, for the servers that execute GraphQL. */
export const queryResolvers = {
  me: (_: unknown, __: unknown, { get }: Context) => get("/v1/identity/me"),
  conversations: (_: unknown, __: unknown, { get }: Context) => items(get, "/v1/inbox/conversations"),
  agents: (_: unknown, __: unknown, { get }: Context) => items(get, "/v1/ai/agents"),
  contacts: (_: unknown, { q }: { q?: string }, { get }: Context) =>
    items(get, `/v1/crm/contacts?q=${encodeURIComponent(q ?? "")}`),
  metrics: (_: unknown, { from, to }: { from: string; to: string }, { get }: Context) =>
    items(get, `/v1/insights/metrics?from=${from}&to=${to}`),
};
