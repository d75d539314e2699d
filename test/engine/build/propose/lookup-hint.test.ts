/** `propose` tells of the link that finds its object in a whole list, and what it tells binds. */
import { expect, test } from "vitest";
import { run as propose } from "../../../../src/engine/build/propose/propose-command.ts";
import { project, ran, reportOf, write } from "../check/run.ts";

const text = { type: "string" };
const admin = { type: "object", required: ["id", "name"], properties: { id: text, name: text } };
const admins = { type: "array", items: admin };
const schema = `type Query { talks: [Talk!] @rest(operation: "listTalks") }
type Talk { id: ID! }
`;

function files(answer: object, parameters: readonly object[] = []) {
  const get = (operationId: string, schema: object, parameters: readonly object[] = []) => ({
    get: {
      ...{ operationId, parameters },
      responses: { 200: { description: "ok", content: { "application/json": { schema } } } },
    },
  });
  const talk = { type: "object", required: ["id", "admin"], properties: { id: text, admin: text } };
  const paths = {
    "/talks": get("listTalks", { type: "array", items: talk }),
    "/admins": get("listAdmins", answer, parameters),
  };
  const info = { title: "t", version: "1" };
  return {
    "spec/openapi.yaml": JSON.stringify({ openapi: "3.1.0", info, security: [], paths }),
    "spec/schema.graphql": schema,
    "spec/operations/depot.graphql": "",
    "spec/rest-only.yaml": "",
  };
}

test.each([
  ["that is the answer", admins, ""],
  ["that is all of the answer", { type: "object", properties: { data: admins } }, ', result: "data"'],
  ["beside a name of its type", { type: "object", properties: { type: text, admins } }, ', result: "admins"'],
])("of a whole list %s", async (_, answer, result) => {
  const root = project(files(answer));
  const { error, out } = await ran(root, ["listAdmins"], propose);
  const rest = `@rest(operation: "listAdmins", params: [{ name: "id", in: ITEM, from: "parent.<its key>" }]${result})`;
  expect(error).toBe(
    `listAdmins: if this list is always complete, a link can find its object in it: ${rest}`,
  );
  const type = /\[(\w+)!\]/.exec(out)?.[1];
  const link = `extend type Talk { admin: ${type} ${rest.replace("<its key>", "admin")} }`;
  write(root, { "spec/schema.graphql": `${schema}${out}\n${link}\n` });
  const { findings } = await reportOf(root);
  expect(findings.filter(({ stage }) => stage === "proof")).toEqual([]);
});

test.each([
  ["with pages", admins, [{ name: "page", in: "query", schema: { type: "integer" } }]],
  ["that takes ids", admins, [{ name: "ids", in: "query", schema: { type: "array", items: text } }]],
  ["of objects whose id may be missing", { type: "array", items: { ...admin, required: [] } }, []],
  ["that is a part of something else", { type: "object", properties: { name: text, holders: admins } }, []],
  ["of texts", { type: "array", items: text }, []],
])("not of a list %s", async (_, answer, parameters) => {
  expect((await ran(project(files(answer, parameters)), ["listAdmins"], propose)).error).toBe("");
});
