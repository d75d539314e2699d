/** The links that `restbound init` writes for codes and qualified ids, served. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startProject } from "../../../../src/engine/build/init/start-project.ts";
import { execute, openPair } from "../../runtime/graphql/pairs.ts";
import { restDocument } from "../openapi/rest-document.ts";

const text = { type: "string" };
const object = (properties: object) => ({ type: "object", properties, required: Object.keys(properties) });

/** Paths with the object that their GET returns. The name of each path parameter is the word in braces. */
const objects = {
  "/subscriptions/{external_id}": object({
    external_id: text,
    plan_code: text,
    external_customer_id: text,
    lago_invoice_id: text,
  }),
  "/plans/{code}": object({ code: text, name: text }),
  "/customers/{external_customer_id}": object({ external_id: text, name: text }),
  "/invoices/{lago_id}": object({ lago_id: text, number: text }),
};

const document = {
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  security: [],
  paths: Object.fromEntries(
    Object.entries(objects).map(([path, schema]) => {
      const name = /\{(.*)\}/.exec(path)?.[1];
      const content = { "application/json": { schema } };
      const parameters = [{ name, in: "path", required: true, schema: text }];
      return [path, { get: { parameters, responses: { 200: { description: "ok", content } } } }];
    }),
  ),
};

/** The code that is generated from what `init` writes. */
function openProject() {
  const root = mkdtempSync(join(tmpdir(), "messaging-graphql-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const { schema, ledger } = startProject(restDocument(document), { tag: [], operation: [], query: [] });
  const spec = join(root, "spec");
  mkdirSync(spec);
  writeFileSync(join(spec, "openapi.yaml"), JSON.stringify(document));
  writeFileSync(join(spec, "schema.graphql"), schema);
  writeFileSync(join(spec, "rest-only.yaml"), ledger);
  return openPair(spec);
}

test("an object is found by its code, its qualified id, and an id whose prefix the key has too", async () => {
  const calls: string[] = [];
  const answers: Readonly<Record<string, object>> = {
    "/subscriptions/{external_id}": {
      external_id: "s",
      plan_code: "basic",
      external_customer_id: "acme",
      lago_invoice_id: "i1",
    },
    "/plans/{code}": { code: "basic", name: "Basic" },
    "/customers/{external_customer_id}": { external_id: "acme", name: "Acme" },
    "/invoices/{lago_id}": { lago_id: "i1", number: "42" },
  };
  const find = async (path: unknown, init: unknown) => {
    calls.push(`${path} ${JSON.stringify((init as { path: object }).path)}`);
    return answers[String(path)];
  };
  const query = `{ subscription(externalId: "s") { plan { name } customer { name } invoice { number } } }`;
  const { data, errors } = await execute(await openProject(), { query }, { get: find, find });
  expect(errors).toBeUndefined();
  expect(data).toEqual({
    subscription: { plan: { name: "Basic" }, customer: { name: "Acme" }, invoice: { number: "42" } },
  });
  expect(calls).toEqual([
    '/subscriptions/{external_id} {"external_id":"s"}',
    '/plans/{code} {"code":"basic"}',
    '/customers/{external_customer_id} {"external_customer_id":"acme"}',
    '/invoices/{lago_id} {"lago_id":"i1"}',
  ]);
});
