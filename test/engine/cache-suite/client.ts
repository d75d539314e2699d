/** The REST client's upstream as the suite's runner calls it: by the Fetch API. Each case has a client and a cache of its own. */
import { CallRecord } from "../../../src/engine/runtime/observe/request-record.ts";
import { CallerHeaders, CallerProfile } from "../../../src/engine/runtime/rest/caller-headers.ts";
import { Upstreams } from "../../../src/engine/runtime/rest/client.ts";
import { RequestScope } from "../../../src/engine/runtime/rest/request-scope.ts";
import type { RestResponse } from "../../../src/engine/runtime/rest/rest-response.ts";
import type { Operation } from "../../../src/engine/shared/operation.ts";
import { configure } from "../runtime/graphql/configure.ts";
import type { Fetch, Fetched, Init } from "./suite.ts";

const operation: Operation = { id: "test", product: "A", accept: "text/plain", text: true };
const config = configure();

type Send = (
  method: string,
  path: string,
  init: object,
) => Promise<{ data?: unknown; error?: unknown; response: RestResponse }>;

export class SuiteClient {
  readonly #config: typeof config;
  readonly #byCase = new Map<string, Upstreams>();

  constructor(base: URL) {
    this.#config = { ...config, env: { ...config.env, REST_BASE_URL: base } };
  }

  readonly fetch: Fetch = (url, init = {}) => {
    const { pathname, search } = new URL(url);
    const [, place, id = ""] = pathname.split("/");
    return place === "test" ? this.#send(id, pathname + search, init) : fetch(url, init);
  };

  async #send(id: string, path: string, { method = "GET", headers = [], body }: Init): Promise<Fetched> {
    const upstreams = this.#byCase.get(id) ?? new Upstreams(this.#config, { "GET /": operation });
    this.#byCase.set(id, upstreams);
    const forwarded: Record<string, string> = {};
    const ofRequest: Record<string, string> = {};
    const own = new Headers();
    for (const [name, value] of headers) {
      if (name === "Req-Num") ofRequest["x-request-id"] = value;
      else if (name.startsWith("Test-")) forwarded[name.toLowerCase()] = value;
      else own.append(name, value);
    }
    const scope = new RequestScope(
      config,
      upstreams.shares,
      new CallerHeaders(new CallerProfile(forwarded, {}, [{ name: "caller", headers: [] }]), {
        ...forwarded,
        ...ofRequest,
      }),
    );
    const header = Object.fromEntries(own);
    const hasHeaders = Object.keys(header).length > 0;
    const { client } = upstreams.of(operation);
    try {
      const { data, error, response } = await (client.request as unknown as Send)(method, path, {
        params: { header },
        body,
        bodySerializer: (text: string) => text,
        hasHeaders,
        parseAs: "stream",
        scope,
        call: new CallRecord({
          operation,
          method,
          path,
          query: undefined,
          coordinate: undefined,
          isRetry: false,
          request: undefined,
        }),
        operation,
      });
      return fetched(response, String(data ?? error ?? ""));
    } finally {
      scope.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byCase.values()].map((upstreams) => upstreams.close()));
  }
}

function fetched({ status, rawHeaders }: RestResponse, text: string): Fetched {
  const headers = new Headers();
  for (const [name, values] of Object.entries(rawHeaders))
    for (const value of [values ?? []].flat()) headers.append(name, value);
  return { status, statusText: "", headers, text: async () => text };
}
