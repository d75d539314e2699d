/** The part of a document that bound operations reach: what the REST types are generated from. */
import { expect, test } from "vitest";
import { reachedDocument } from "../../src/codegen/reached-document.ts";
import { RestDocument } from "../../src/openapi/document.ts";

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const answer = (schema: object) => ({ responses: { 200: { content: { "application/json": { schema } } } } });

const files: Readonly<Record<string, object>> = {
  "openapi.yaml": {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    "x-shared": { Deep: { type: "string" } },
    paths: {
      "/a": {
        parameters: [{ $ref: "#/components/parameters/P" }],
        get: { operationId: "a", ...answer(ref("A")) },
        post: { operationId: "postA", ...answer(ref("Unbound")) },
      },
      "/b": { get: { operationId: "b", ...answer(ref("Unbound")) } },
      "/c": { get: { operationId: "c", ...answer({ $ref: "more.yaml#/Thing" }) } },
      "/d": { get: { operationId: "d", ...answer({ $ref: "#/paths/~1b/get/responses/200" }) } },
      "/e": { $ref: "more.yaml#/item" },
    },
    components: {
      parameters: { P: { name: "p", in: "query", schema: ref("Term") }, Q: {} },
      schemas: {
        A: {
          oneOf: [ref("One")],
          discriminator: { propertyName: "kind", mapping: { one: "One", two: "Two" } },
        },
        One: { properties: { self: ref("A"), deep: { $ref: "#/x-shared/Deep" } } },
        Two: {},
        Term: {},
        Back: { properties: { term: ref("Term") } },
        Unbound: { properties: { more: ref("AlsoUnbound") } },
        AlsoUnbound: {},
      },
    },
  },
  "more.yaml": {
    Thing: { properties: { back: { $ref: "openapi.yaml#/components/schemas/Back" } } },
    item: { get: { operationId: "e", ...answer({ $ref: "openapi.yaml#/components/schemas/Two" }) } },
  },
};
const document = new RestDocument("openapi.yaml", (name) => files[name] && JSON.stringify(files[name]));

/** The names that are kept, as `member/name/…`. */
function kept(...paths: string[]): string[] {
  const found = reachedDocument(
    document,
    paths.map((path) => ({ path, method: "get" })),
  ) as Record<string, Record<string, object>>;
  const names = Object.entries(found.paths ?? {}).flatMap(([path, item]) =>
    Object.keys(item).map((key) => `${path} ${key}`),
  );
  const components = Object.entries(found.components ?? {}).flatMap(([kind, members]) =>
    Object.keys(members).map((name) => `${kind} ${name}`),
  );
  return [...names, ...components, ...Object.keys(found).filter((key) => key.startsWith("x-"))];
}

test("an operation keeps its path item's parameters, and what it reaches by references and by a discriminator", () => {
  expect(kept("/a")).toEqual([
    "/a parameters",
    "/a get",
    "parameters P",
    "schemas A",
    "schemas One",
    "schemas Two",
    "schemas Term",
    "x-shared",
  ]);
});

test("another file is followed back into the root file", () => {
  expect(kept("/c")).toEqual(["/c get", "schemas Term", "schemas Back"]);
  expect(kept("/e")).toEqual(["/e $ref", "schemas Two"]);
});

test("a reference into another path keeps that path", () => {
  expect(kept("/d")).toEqual(["/b get", "/d get", "schemas Unbound", "schemas AlsoUnbound"]);
});

test("nothing bound keeps nothing", () => expect(kept()).toEqual([]));
