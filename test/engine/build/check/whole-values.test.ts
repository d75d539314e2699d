/** A custom scalar is sent as the caller writes it: a change of any part of REST's schema reaches its argument. */
import { expect, test } from "vitest";
import { examine } from "../../../../src/engine/build/check/check.ts";
import { isValid, Project } from "../../../../src/engine/build/project/project.ts";

const schema = `type Query { calls: String @rest(operation: "calls") }
type Mutation { call(input: JSON): String @rest(operation: "call", body: "args.input") }
scalar JSON
`;

/** Two bodies. Both have the list `to`, and each has a list `by` of other objects. */
const openapi = ({ sip = {}, note = text }: { sip?: object; note?: object } = {}): string => {
  const Sip = { ...object({ uri: text }), ...sip };
  const To = listOf({ oneOf: [ref("Phone"), ref("Sip")] });
  const Script = object({ script: text, to: ref("To"), by: listOf(object({ name: text, note })) });
  const Address = object({ address: text, to: ref("To"), by: listOf(object({ name: text })) });
  const responses = { 200: { description: "ok", content: { "application/json": { schema: text } } } };
  const requestBody = {
    content: { "application/json": { schema: { oneOf: [ref("Script"), ref("Address")] } } },
  };
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Calls", version: "1" },
    paths: {
      "/calls": {
        get: { operationId: "calls", responses },
        post: { operationId: "call", requestBody, responses },
      },
    },
    components: { schemas: { Script, Address, To, Sip, Phone: object({ number: text }) } },
  });
};

const text = { type: "string" };
const object = (properties: object): object => ({ type: "object", properties });
const listOf = (items: object): object => ({ type: "array", items });
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const snapshot = (rest: string) =>
  new Project({
    read: (name) => (name === "openapi.yaml" ? rest : name === "schema.graphql" ? schema : undefined),
    list: () => [],
  });

test.each([
  [openapi({ sip: { required: ["uri"] } }), "schema Sip.uri is required now"],
  [
    openapi({ sip: { properties: { uri: { type: "integer" } } } }),
    "schema Sip.uri is integer now, it was string",
  ],
  [openapi({ note: { type: "integer" } }), "schema Script.by[].note is integer now, it was string"],
])("a change below what several bodies share", (now, message) => {
  const base = snapshot(openapi());
  if (!isValid(base)) throw new Error("no model");
  const { findings } = examine(snapshot(now), base, "2026-01-01");
  const changes = findings.filter(({ stage }) => stage === "changes");
  expect(changes.map((each) => [each.coordinate, each.message])).toEqual([
    ["Mutation.call(input:)", message],
  ]);
});

/** The members of the items have no names, and share `title`. */
const pages = (...members: readonly (readonly string[])[]): string =>
  openapi({ note: listOf({ anyOf: members.map(pageOf) }) });

function pageOf(required: readonly string[]): object {
  return { ...object(Object.fromEntries(required.map((name) => [name, text]))), required };
}

test.each([
  [pages(["slug", "title"], ["title_2", "url"]), "schema Script.by[].note[].title is gone"],
  [pages(["slug", "title"], ["title", "url_2"]), "schema Script.by[].note[].url is gone"],
  [
    pages(["slug", "title", "day", "hour"], ["title", "url"]),
    'schema Script.by[].note[] requires "day" and "hour" now',
  ],
  [pages(["slug"], ["url"]), "schema Script.by[].note[].title is gone"],
  [
    openapi({ note: listOf({ anyOf: [pageOf(["slug", "title"]), { ...pageOf(["url"]), type: "string" }] }) }),
    "schema Script.by[].note[] has one alternative less now",
  ],
  [
    openapi({ note: listOf({ anyOf: [{ type: "object" }, pageOf(["title", "url"])] }) }),
    "schema Script.by[].note[].slug is gone, and so is title",
  ],
])("a change in one of several members without names is told once", (now, message) => {
  const base = snapshot(pages(["slug", "title"], ["title", "url"]));
  if (!isValid(base)) throw new Error("no model");
  const { findings } = examine(snapshot(now), base, "2026-01-01");
  expect(findings.filter(({ change }) => change).map((each) => each.message)).toEqual([message]);
});
