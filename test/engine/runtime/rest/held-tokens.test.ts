/** Access tokens by client credentials (RFC 6749 §4.4), over a stand-in of a vendor and of its token server. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { bankLayer, tokenServer } from "./bank-project.ts";
import { ask, asTenant, canary, json } from "./vendor-project.ts";

const query = "{ accounts { id } }";
const mutation = "mutation { addAccount { id } }";

describe("client credentials", () => {
  test("are sent in Authorization, and one token serves all calls until it is about to expire", async () => {
    const tokens = await tokenServer(() => ({ expires_in: 6 }));
    const { vendors, begin } = await bankLayer(
      (_request, response) => json(response, 200, [{ id: "1" }]),
      tokens,
    );
    const { url } = await begin();
    const all = () =>
      Promise.all(
        Array.from({ length: 30 }, (_, at) => ask(url, query, asTenant(at % 2 ? "acme" : "globex"))),
      );
    expect((await all()).every(({ data }) => data?.accounts?.[0]?.id === "1")).toBe(true);
    expect(tokens.forms.length).toBe(1);
    expect(tokens.forms[0]?.authorization).toBe(
      `Basic ${Buffer.from("our+client:c4nary%2Fsecret%3D%2B").toString("base64")}`,
    );
    expect([...(tokens.forms[0]?.form ?? [])]).toEqual([["grant_type", "client_credentials"]]);
    await sleep(5_500);
    await all();
    expect(tokens.forms.length).toBe(2);
    const sent = new Set(vendors.bank.seen.map(({ headers }) => headers.authorization));
    expect([...sent]).toEqual([`Bearer ${canary}-token-1`, `Bearer ${canary}-token-2`]);
  });

  test("are sent in the form if the owner says so, with the scopes", async () => {
    const tokens = await tokenServer();
    const { begin } = await bankLayer(
      (_request, response) => json(response, 200, [{ id: "1" }]),
      tokens,
      ", authentication: post, scopes: [accounts, more]",
    );
    const { url } = await begin();
    await ask(url, query, asTenant("acme"));
    expect(tokens.forms[0]?.authorization).toBeUndefined();
    expect(Object.fromEntries(tokens.forms[0]?.form ?? [])).toEqual({
      grant_type: "client_credentials",
      scope: "accounts more",
      client_id: "our client",
      client_secret: "c4nary/secret=+",
    });
  });

  test("are each tenant's own with filePerTenant", async () => {
    const tokens = await tokenServer();
    const { vendors, project, begin } = await bankLayer(
      (_request, response) => json(response, 200, [{ id: "1" }]),
      tokens,
      "",
      "filePerTenant: bank",
    );
    project.write("secrets/bank/acme", "acme-client:secret-of-acme\n");
    project.write("secrets/bank/globex", "globex-client:secret-of-globex\n");
    const { url } = await begin();
    for (const tenant of ["acme", "globex", "acme", "initech"]) await ask(url, query, asTenant(tenant));
    expect(tokens.forms.length).toBe(2);
    expect(vendors.bank.seen.map(({ headers }) => headers.authorization?.at(-1))).toEqual(["1", "2", "1"]);
  });

  test("a token that is refused while it is new is not replaced, and the circuit opens for all", async () => {
    const tokens = await tokenServer();
    const { vendors, begin } = await bankLayer((_request, response) => json(response, 401, {}), tokens);
    const { url } = await begin();
    const messages: unknown[] = [];
    for (let at = 0; at < 12; at++) {
      const { errors } = await ask(url, query, asTenant(at % 2 ? "acme" : "globex"));
      messages.push(errors?.[0]?.message);
    }
    const leftAlone = messages.filter((message) => /calls are suspended/.test(String(message)));
    expect(leftAlone.length).toBeGreaterThan(0);
    expect([tokens.forms.length, vendors.bank.seen.length]).toEqual([1, 12 - leftAlone.length]);
  });

  test("a token that is refused later is replaced once, for reads in the same call, for writes in the next", async () => {
    const tokens = await tokenServer();
    let revoked = "";
    const { vendors, begin } = await bankLayer((request, response) => {
      const isRevoked = request.headers.authorization === revoked;
      json(
        response,
        isRevoked ? 401 : request.method === "POST" ? 201 : 200,
        request.method === "POST" ? { id: "1" } : [{ id: "1" }],
      );
    }, tokens);
    const { url } = await begin();
    const of = () => ask(url, query, asTenant("acme"));
    await of();
    await sleep(10_100);
    revoked = `Bearer ${canary}-token-1`;
    const answers = await Promise.all([of(), of(), ask(url, query, asTenant("globex"))]);
    expect(answers.map(({ data }) => data?.accounts?.length)).toEqual([1, 1, 1]);
    expect(tokens.forms.length).toBe(2);
    await sleep(10_100);
    revoked = `Bearer ${canary}-token-2`;
    expect(await ask(url, mutation, asTenant("acme"))).toMatchObject({
      errors: [{ extensions: { code: "UPSTREAM_UNAVAILABLE" } }],
    });
    expect(vendors.bank.seen.filter(({ line }) => line.startsWith("POST")).length).toBe(1);
    expect(await ask(url, mutation, asTenant("acme"))).toMatchObject({ data: { addAccount: { id: "1" } } });
    expect(tokens.forms.length).toBe(3);
  });

  test.each([
    ["refuses the client", { status: 401, error: `invalid ${canary}` }],
    ["redirects", { status: 307, headers: { location: "http://127.0.0.1:9/" } }],
    ["fails", { status: 500 }],
    ["issues no token", { access_token: 7 }],
    ["issues a token with a line break", { access_token: "a\r\nx-evil: 1" }],
    ["issues a token of another type", { token_type: "mac" }],
  ])(
    "a token server that %s is asked once in a while, and nothing of it is shown",
    async (_what, response) => {
      const tokens = await tokenServer(() => response);
      const { vendors, begin } = await bankLayer((_request, response) => json(response, 200, []), tokens);
      const { url } = await begin();
      for (let at = 0; at < 3; at++) {
        const answer = await ask(url, query, asTenant("acme"));
        expect(answer.errors).toMatchObject([
          {
            message: "bank/listAccounts: the server got no access token",
            extensions: { code: "UPSTREAM_UNAVAILABLE" },
          },
        ]);
        expect(JSON.stringify(answer)).not.toContain(canary);
      }
      expect([tokens.forms.length, vendors.bank.seen.length]).toEqual([1, 0]);
    },
  );

  test("a token that the vendor repeats is masked", async () => {
    const tokens = await tokenServer();
    const { begin } = await bankLayer(
      (request, response) => json(response, 200, [{ id: `got ${request.headers.authorization}` }]),
      tokens,
    );
    const { url } = await begin();
    expect(await ask(url, query, asTenant("acme"))).toEqual({ data: { accounts: [{ id: "got (secret)" }] } });
  });
});
