/** What the hand-written servers of `npm run bench` call REST with: a bare undici pool, or the global fetch. */
import { Pool } from "undici";

type Named = { readonly id: string; readonly name: string };
export type Conversation = {
  readonly id: string;
  readonly subject: string;
  readonly contactId: string;
  readonly assigneeId: string;
};
export type Get = <T>(path: string) => Promise<T>;

const upstream = process.env.REST_BASE_URL ?? "";

export function overUndici(): Get {
  const pool = new Pool(upstream, { connections: 64, pipelining: 1, keepAliveTimeout: 60_000 });
  return async <T>(path: string) => {
    const { body } = await pool.request({ path, method: "GET" });
    return JSON.parse(await body.text()) as T;
  };
}

export const overFetch: Get = async <T>(path: string) => (await fetch(upstream + path)).json() as T;

export const items = async <T>(get: Get, path: string): Promise<T[]> =>
  (await get<{ items: T[] }>(path)).items;

/** One object a key, fetched in one call. */
export async function byKey(get: Get, path: string, keys: readonly string[]): Promise<Map<string, Named>> {
  const ids = [...new Set(keys)].map(encodeURIComponent).join(",");
  const found = await items<Named>(get, `${path}?ids=${ids}&limit=100`);
  return new Map(found.map((item) => [item.id, item]));
}

/** The root fields of the workloads, for the servers that execute GraphQL. */
export const queryResolvers = (get: Get) => ({
  me: () => get("/v1/identity/me"),
  conversations: () => items(get, "/v1/inbox/conversations"),
  agents: () => items(get, "/v1/ai/agents"),
  contacts: (_: unknown, { q }: { q?: string }) =>
    items(get, `/v1/crm/contacts?q=${encodeURIComponent(q ?? "")}`),
  metrics: (_: unknown, { from, to }: { from: string; to: string }) =>
    items(get, `/v1/insights/metrics?from=${from}&to=${to}`),
});
