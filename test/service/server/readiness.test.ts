/** What a start asks of each service behind it, and which answers prove that it is the one that is meant. */
import { describe, expect, test } from "vitest";
import { probeKeyIntrospection } from "../../../src/engine/gateway/key-introspection.ts";
import { readConfig } from "../../../src/engine/runtime/settings/config.ts";
import { describeFailure, probeGraphql, probeRest } from "../../../src/engine/server/probe.ts";
import { contextOf } from "../../engine/gateway/fakes.ts";
import { refusingUrl, upstream } from "../../engine/gateway/start.ts";
import { openLayer } from "../e2e/layer.ts";
import { query, runReady } from "./program.ts";

const { env } = readConfig({ CONNECT_TIMEOUT_MS: "20000" }, []);
const html = "<html>no</html>";

/** A service that answers all alike. `paths` are those that were asked for. */
async function answers(status: number, type: string, body: string) {
  const paths: string[] = [];
  const url = await upstream(({ url: path = "" }, response) => {
    paths.push(path);
    response.writeHead(status, type ? { "content-type": type } : {}).end(body);
  });
  return { url, paths };
}

describe("REST is asked for an operation of the document, without credentials", () => {
  const operation = { path: "/v1/identity/me" };
  test.each<[number, string, string, RegExp | undefined]>([
    [200, "application/json", "{}", undefined],
    [401, "application/problem+json; charset=utf-8", "{}", undefined],
    [401, "", "", undefined],
    [400, "application/json", "{}", undefined],
    [500, "text/html", html, undefined],
    [
      404,
      "text/html; charset=utf-8",
      html,
      /^GET \/v1\/identity\/me answered 404 with text\/html, .* path right\?$/,
    ],
    [400, "text/html", html, /answered 400 with text\/html, which is not a response of the API/],
    [200, "text/html", html, /answered 200 with text\/html, which is not a response of the API/],
    [301, "", "", /answered 301; a redirect is not followed/],
    [503, "application/json", "{}", /answered 503 with application\/json$/],
  ])("%i with %s", async (status, type, body, failure) => {
    const { url, paths } = await answers(status, type, body);
    const found = await probeRest(url, operation, env);
    if (failure) expect(found).toMatch(failure);
    else expect(found).toBeUndefined();
    expect(paths).toEqual([operation.path]);
  });

  test("an undeclared status where the document declares others names the status and the mend", async () => {
    const { url } = await answers(404, "application/json", "{}");
    expect(await probeRest(url, { ...operation, refusals: ["409", "429"] }, env)).toBe(
      "GET /v1/identity/me answered 404 with application/json, but its document does not declare a 404 there; are host and path right? If so, declare it in an overlay",
    );
    expect(await probeRest(url, { ...operation, refusals: ["409", "404"] }, env)).toBeUndefined();
  });

  test("below the path of its base URL", async () => {
    const { url, paths } = await answers(401, "", "");
    await probeRest(new URL("/base/", url), operation, env);
    expect(paths).toEqual(["/base/v1/identity/me"]);
  });

  test("or, where a product has none without path parameters, for anything", async () => {
    for (const [status, failure] of [
      [404, undefined],
      [200, undefined],
      [302, undefined],
      [400, "GET / answered 400 with text/html"],
      [502, "GET / answered 502 with text/html"],
    ] as const) {
      const { url } = await answers(status, "text/html", html);
      expect(await probeRest(url, undefined, env)).toBe(failure);
    }
  });
});

describe("key introspection is probed with an unknown token", () => {
  const { tenant_id: _, ...noTenant } = contextOf("a");
  const proof =
    "is the path right, and does the service accept this GATEWAY_SECRET or these KEY_INTROSPECTION_CREDENTIALS?";
  test.each<[number, string, string | undefined]>([
    [200, '{"active":false}', undefined],
    [200, JSON.stringify(noTenant), "POST / answered no tenant_id; is the path right?"],
    [200, "{}", "POST / answered no boolean active; is the path right?"],
    [200, html, "POST / answered no JSON; is the path right?"],
    [500, html, "POST / answered 500; is the path right?"],
    [404, html, `POST / answered 404; ${proof}`],
    [401, "{}", `POST / answered 401; ${proof}`],
  ])("%i with %s", async (status, body, failure) => {
    const { url } = await answers(status, "application/json", body);
    const config = readConfig({}, ["gateway"]);
    expect(await probeKeyIntrospection(config, url).catch(describeFailure)).toBe(failure);
  });
});

describe("GRAPHQL_URL is asked who it is", () => {
  const secret = { GATEWAY_SECRET: "a-secret-of-the-gateway" };

  test("a graphql role, by its address or by the endpoint; no other role", async () => {
    const { url } = await openLayer(["graphql", "platform"]);
    for (const path of ["/", "/v1/graphql"])
      expect(await probeGraphql(new URL(path, url), env)).toBeUndefined();
    const platform = await openLayer(["platform"]);
    expect(await probeGraphql(platform.url, env)).toBe("it is a platform role, not graphql");
    const gateway = await openLayer([]);
    expect(await probeGraphql(gateway.url, env)).toBe("it is a gateway role, not graphql");
  });

  test("behind a balancer that hides /healthz, by any GraphQL response", async () => {
    const hidden = await upstream(({ url: path }, response) => {
      if (path === "/healthz") return void response.writeHead(404).end();
      response.writeHead(400, { "content-type": "application/json" }).end('{"errors":[]}');
    });
    expect(await probeGraphql(hidden, env)).toBeUndefined();
    const { url } = await answers(404, "application/json", "{}");
    expect(await probeGraphql(url, env)).toMatch(/answered 404 .* not a GraphQL response$/);
  });

  test.each([{}, { GATEWAY_SECRET: "another-secret-of-another" }])(
    "a role that cannot verify the gateway's proof says so, once: %o",
    async (environment) => {
      const rest = { REST_BASE_URL: (await refusingUrl()).href };
      const program = await runReady(["graphql"], { ...rest, ...environment });
      for (let asked = 0; asked < 3; asked++) await probeGraphql(program.url, { ...env, ...secret });
      await query(program.url, "{", "a-key");
      await program.prints(/GRAPHQL_PARSE_FAILED/);
      const how = "GATEWAY_SECRET" in environment ? "is not the gateway's" : "is not set here";
      expect(program.output().match(/GATEWAY_SECRET: [^,]*/g)).toEqual([`GATEWAY_SECRET: ${how}`]);
    },
  );
});
