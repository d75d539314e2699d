/** What the benches share: servers on a core of their own, and load on them. */
import { Pool } from "undici";
import { listens, type Program, startProgram } from "../../support/child-process.ts";

export const connections = 50;

export type Server = Program & {
  readonly url: URL;
  /** From its start until it listened. */
  readonly readyMs: number;
};

export const file = (name: string): string => new URL(name, import.meta.url).pathname;

export async function run(
  core: number,
  args: string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Server> {
  const began = performance.now();
  const program = startProgram(args, { NODE_ENV: "production", ...environment }, { core });
  const url = new URL("/v1/graphql", await listens(program));
  return { ...program, url, readyMs: performance.now() - began };
}

export type Load = {
  readonly clients: number;
  readonly ms: number;
  /** API keys; each client has one. A caller's identical reads are shared, so what is compared has a key a client. */
  readonly keys?: number;
  readonly method?: "GET" | "POST";
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** One after the other, from each client. */
  readonly bodies?: readonly string[];
  readonly status?: number;
};

/** The milliseconds of each request, sorted. Throws on an answer of another status. */
export async function load({ url }: Pick<Server, "url">, given: Load): Promise<number[]> {
  const { clients, ms, keys = clients, method = "POST", path = url.pathname, bodies, status = 200 } = given;
  const pool = new Pool(url.origin, { connections: clients });
  const times: number[] = [];
  const until = performance.now() + ms;
  let sent = 0;
  const client = async (index: number): Promise<void> => {
    const headers = {
      "content-type": "application/json",
      "x-api-key": `key-${index % keys}`,
      ...given.headers,
    };
    while (performance.now() < until) {
      const began = performance.now();
      const body = bodies?.[sent++ % bodies.length] ?? null;
      const answer = await pool.request({ path, method, headers, body });
      await answer.body.dump();
      if (answer.statusCode !== status) throw new Error(`${url} answers ${answer.statusCode}`);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  await pool.close();
  return times.sort((one, other) => one - other);
}

export const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor(sorted.length * part)] ?? 0;

export const median = (numbers: readonly number[]): number =>
  at(
    numbers.toSorted((one, other) => one - other),
    0.5,
  );
