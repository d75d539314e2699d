/**
 * Whatever the encoder sends is a URL or a header by the grammar of RFC 3986 and RFC 9110, and a decoder that reads it by its
 * style (OpenAPI 3.1.1 §4.8.12) gets the same values back. What no decoder could tell apart is refused.
 */
import fc from "fast-check";
import { OpenAPIRouter } from "openapi-backend";
import { describe, expect, test } from "vitest";
import { batchEach, batchMany, batchOne } from "../../../../src/engine/runtime/rest/batch.ts";
import {
  encodeTemplate,
  serializeHeaders,
  serializePairs,
  serializePath,
  serializeQuery,
  Unwritable,
} from "../../../../src/engine/runtime/rest/encode.ts";
import type { Operation, Style } from "../../../../src/engine/shared/operation.ts";
import { seed } from "../../../support/seed.ts";
import { against, failureOf, ok, pathsOf } from "./client.ts";

const pchar = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-F]{2})";
const path = new RegExp(`^(?:/${pchar}*)+$`); // RFC 3986 §3.3
const query = new RegExp(`^(?:${pchar}|[/?])*$`); // §3.4

const operationOf = (name: string, written?: Style, location = "query"): Operation => ({
  id: "search",
  product: "A",
  ...(written && { style: { [`${location}:${name}`]: written } }),
});

/** What `encode` returns; `undefined` if it refuses the value. */
function written<Text>(encode: () => Text): Text | undefined {
  try {
    return encode();
  } catch (error) {
    expect(error).toBeInstanceOf(Unwritable);
    expect(error).toMatchObject({ code: "BAD_USER_INPUT" });
    return undefined;
  }
}

/** Texts with what separates something somewhere. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.string({ unit: fc.constantFrom(..." |,;&=+%[]{}#?/\\.:@!$'()*\"<>^`aä😀"), maxLength: 6 }),
);
const name = text.filter((each) => each !== "" && each !== "z");
const scalar = fc.oneof(text, fc.integer(), fc.boolean());
const members = fc.dictionary(text, scalar, { maxKeys: 3 });
const reserved = fc.constantFrom({}, { allowReserved: true } as const);
const style = (styles: readonly string[], explode: fc.Arbitrary<boolean>) =>
  fc
    .tuple(fc.constantFrom(...styles), explode, reserved)
    .map(([style, explode, others]): Style => ({ style, explode, ...others }));

type Case = { readonly value: unknown; readonly written: Style };
const parameter: fc.Arbitrary<Case> = fc.oneof(
  fc.record({ value: scalar, written: style(["form"], fc.boolean()) }),
  fc.record({
    value: fc.array(scalar, { maxLength: 3 }),
    written: style(["form", "pipeDelimited", "spaceDelimited"], fc.boolean()),
  }),
  fc.record({ value: members, written: style(["form"], fc.boolean()) }),
  fc.record({ value: members, written: style(["deepObject"], fc.constant(true)) }),
);

/** The value as its texts; an empty object is not sent. */
function textsOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value !== "object" || value === null) return String(value);
  const texts = Object.entries(value).map(([member, each]) => [member, String(each)] as const);
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

/** Reads a query by the style: the separator of `form` is raw, those of the other styles are percent-encoded. */
function decoded(search: string, name: string, { value, written: { style, explode } }: Case): unknown {
  const pairs = search
    .split("&")
    .map((pair): [name: string, raw: string] => [
      decodeURIComponent(pair.replace(/=.*/s, "")),
      pair.slice(pair.indexOf("=") + 1),
    ]);
  expect(pairs.pop()).toEqual(["z", "last"]);
  if (pairs.length === 0) return undefined;
  const isObject = typeof value === "object" && !Array.isArray(value);
  if (style === "deepObject")
    return Object.fromEntries(
      pairs.map(([full, raw]) => {
        expect([full.slice(0, name.length + 1), full.at(-1)]).toEqual([`${name}[`, "]"]);
        return [full.slice(name.length + 1, -1), decodeURIComponent(raw)];
      }),
    );
  if (isObject && explode)
    return Object.fromEntries(pairs.map(([key, raw]) => [key, decodeURIComponent(raw)]));
  for (const [key] of pairs) expect(key).toBe(name);
  const [[, raw = ""] = []] = pairs;
  if (typeof value !== "object") return decodeURIComponent(raw);
  if (explode) return pairs.map(([, each]) => decodeURIComponent(each));
  const items =
    style === "form"
      ? raw.split(",").map(decodeURIComponent)
      : decodeURIComponent(raw).split(style === "pipeDelimited" ? "|" : " ");
  if (!isObject) return items;
  return Object.fromEntries(items.flatMap((item, at) => (at % 2 === 0 ? [[item, items[at + 1]]] : [])));
}

/** Whether a decoder could not tell the value from another one. */
function isAmbiguous({ value, written: { style, explode } }: Case): boolean {
  const separator = new Map([
    ["pipeDelimited", "|"],
    ["spaceDelimited", " "],
  ]).get(style);
  if (Array.isArray(value) && (value.length === 0 || (value.length === 1 && value[0] === ""))) return true;
  if (Array.isArray(value))
    return !explode && separator !== undefined && value.some((item) => String(item).includes(separator));
  if (typeof value !== "object") return false;
  const names = Object.keys(value as object);
  return style === "deepObject"
    ? names.some((each) => each === "" || /[[\]]/.test(each))
    : explode && names.includes("z");
}

test("each query is one of RFC 3986, and is read back as the values that were given", () => {
  fc.assert(
    fc.property(name, parameter, (name, given) => {
      const section = Object.fromEntries([
        [name, given.value],
        ["z", "last"],
      ]);
      const search = written(() => serializeQuery(operationOf(name, given.written), section));
      expect(search === undefined).toBe(isAmbiguous(given));
      if (search === undefined) return;
      expect(search).toMatch(query);
      expect(decoded(search, name, given)).toEqual(textsOf(given.value));
    }),
    { numRuns: 3_000, seed },
  );
});

test("each path is one of RFC 3986, and its values are read back", () => {
  const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }));
  fc.assert(
    fc.property(text, value, (literal, value) => {
      const before = `/${literal.replace(/[{}%]/g, "")}/`;
      const target = written(() => serializePath(encodeTemplate(`${before}{id}/z`), { id: value }));
      const items = [value].flat().map(String);
      if (target === undefined) {
        expect([...items, ""].some((item) => item === "" || /\.|\p{Cc}/u.test(item))).toBe(true);
        return;
      }
      expect(target.replaceAll("?", "")).toMatch(path);
      const segments = target.slice(encodeTemplate(before).length).split("/");
      expect(segments).toHaveLength(2);
      expect(segments[0]?.split(",").map(decodeURIComponent)).toEqual(items);
    }),
    { numRuns: 2_000, seed },
  );
});

test("each header is one of RFC 9110, and its values are read back", () => {
  const value = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    fc.dictionary(text, scalar, { maxKeys: 3 }),
  );
  fc.assert(
    fc.property(value, fc.boolean(), (value, explode) => {
      const operation = operationOf("X", { style: "simple", explode }, "header");
      const headers = written(() => serializeHeaders(operation, { X: value }));
      if (headers?.X === undefined) return;
      expect(headers.X).toMatch(/^(?:[!-~](?:[\t -~]*[!-~])?)?$/);
      if (typeof value !== "object") {
        expect(headers.X).toBe(String(value));
        return;
      }
      const items = headers.X.split(",").flatMap((item) => item.trim() || []);
      const pairs = explode
        ? items.map((item) => [item.replace(/=.*/s, ""), item.slice(item.indexOf("=") + 1)])
        : items.flatMap((item, at) => (at % 2 === 0 ? [[item, items[at + 1]]] : []));
      expect(Array.isArray(value) ? items : Object.fromEntries(pairs)).toEqual(textsOf(value));
    }),
    { numRuns: 2_000, seed },
  );
});

describe("a stock server (openapi-backend, which uses qs) reads back", () => {
  const list = { type: "array", items: { type: "string" } };
  const object = { type: "object", additionalProperties: { type: "string" } };
  const parameters: Record<string, [style: Style, schema: object]> = {
    many: [{ style: "form", explode: true }, list],
    comma: [{ style: "form", explode: false }, list],
    pipe: [{ style: "pipeDelimited", explode: false }, list],
    space: [{ style: "spaceDelimited", explode: false }, list],
    deep: [{ style: "deepObject", explode: true }, object],
  };
  const router = new OpenAPIRouter({
    definition: {
      openapi: "3.0.3",
      info: { title: "t", version: "1" },
      paths: {
        "/things": {
          get: {
            parameters: Object.entries(parameters).map(([name, [{ style, explode }, schema]]) => ({
              ...{ name, in: "query" as const, style, explode, schema },
            })),
            responses: {},
          },
        },
      },
    },
    apiRoot: "/",
  });
  const operation = router.getOperations()[0];
  // openapi-backend takes a comma in an item for a separator
  const item = text.filter((each) => each !== "" && !/[,| ]/.test(each));
  const items = fc.array(item, { minLength: 2, maxLength: 3 });
  const deep = fc.dictionary(
    text.filter((each) => each !== "" && !/[[\].]/.test(each) && !/^\d+$/.test(each) && !(each in {})),
    text,
    { minKeys: 1, maxKeys: 3 },
  );

  test("lists in each style, and objects", () => {
    const all = fc.record({ many: items, comma: items, pipe: items, space: items, deep });
    const style = Object.fromEntries(
      Object.entries(parameters).map(([name, [style]]) => [`query:${name}`, style]),
    );
    fc.assert(
      fc.property(all, (section) => {
        const search = serializeQuery({ id: "things", product: "A", style }, section);
        expect(search).toMatch(query);
        const request = { method: "get", path: "/things", query: search, headers: {} };
        expect(router.parseRequest(request, operation).query).toEqual(section);
      }),
      { seed },
    );
  });
});

test.each<[what: string, style: Style, value: unknown, search: string]>([
  ["deepObject", { style: "deepObject", explode: true }, { R: 100, G: 200 }, "c%5BR%5D=100&c%5BG%5D=200"],
  ["pipeDelimited", { style: "pipeDelimited", explode: false }, ["blue", "black"], "c=blue%7Cblack"],
  ["spaceDelimited", { style: "spaceDelimited", explode: false }, ["blue", "black"], "c=blue%20black"],
  ["form", { style: "form", explode: false }, ["blue", "a,b"], "c=blue,a%2Cb"],
  ["form, exploded", { style: "form", explode: true }, ["blue", "a|b"], "c=blue&c=a%7Cb"],
])("%s is written as the examples of OpenAPI 3.1.1 §4.8.12.4 are", (_what, style, value, search) => {
  expect(serializeQuery(operationOf("c", style), { c: value })).toBe(search);
});

test.each([
  ["filter[x]", "filter%5Bx%5D=1"],
  ["ids[]", "ids%5B%5D=1"],
  ["a b", "a%20b=1"],
  ["a&b=c#d+e", "a%26b%3Dc%23d%2Be=1"],
  ["größe", "gr%C3%B6%C3%9Fe=1"],
])("the name %j is encoded", (name, search) => {
  expect(serializeQuery(operationOf(name), { [name]: 1 })).toBe(search);
});

test("allowReserved leaves what a query can hold as it is, and encodes what would end or split it", () => {
  const value = ":/?#[]@!$&'()*+,;=%|";
  const encoded = ":/?%23%5B%5D@!$%26'()*%2B,;%3D%25%7C";
  const allowReserved = true;
  const one = (written: Style, value: unknown) => serializeQuery(operationOf("q", written), { q: value });
  expect(one({ style: "form", explode: true, allowReserved }, value)).toBe(`q=${encoded}`);
  expect(one({ style: "form", explode: true, allowReserved }, [value])).toBe(`q=${encoded}`);
  expect(one({ style: "form", explode: false, allowReserved }, ["a/b", "c,d"])).toBe("q=a/b,c%2Cd");
  expect(one({ style: "form", explode: true }, "a/b")).toBe("q=a%2Fb");
});

test.each([
  ["/a|b/{id}", "/a%7Cb/%7C"],
  ["/[x]/100%/{id}", "/%5Bx%5D/100%25/%7C"],
  ["/größe/a%20b/{id}", "/gr%C3%B6%C3%9Fe/a%20b/%7C"],
  ["/things('{id}'):copy", "/things('%7C'):copy"],
])("the document's path %s is encoded where a URL cannot hold it", (path, target) => {
  expect(serializePath(encodeTemplate(path), { id: "|" })).toBe(target);
});

describe("a member of an exploded object with the name of another parameter is refused:", () => {
  const exploded: Style = { style: "form", explode: true };
  const deep: Style = { style: "deepObject", explode: true };
  const operation: Operation = {
    id: "search",
    product: "A",
    style: {
      "query:filter": exploded,
      "query:more": exploded,
      "query:scope": deep,
      "query:flat": { style: "form", explode: false },
      "body:filter": exploded,
      "body:scope": deep,
    },
    credentials: [["x-shop-key"]],
    places: {
      "x-shop-key": { in: "query", name: "api_key" },
      "x-session": { in: "cookie", name: "session" },
      "x-token": { in: "header", name: "token" },
    },
  };

  test.each<[what: string, argument: string, section: Record<string, unknown>]>([
    ["a parameter", "filter", { filter: { status: "x" }, status: "open" }],
    ["a list", "filter", { filter: { ids: "x" }, ids: ["a"] }],
    ["an object that is not exploded", "filter", { filter: { flat: "x" }, flat: { a: 1 } }],
    ["a credential in the query", "filter", { filter: { api_key: "somebody-elses" } }],
    ["a credential, among others", "more", { filter: { a: 1 }, more: { b: 1, api_key: "x" } }],
    ["a member of a deepObject", "filter", { filter: { "scope[tenant]": "x" }, scope: { tenant: "mine" } }],
    [
      "a member of an exploded object",
      "scope",
      { scope: { tenant: "mine" }, filter: { "scope[tenant]": "x" } },
    ],
    [
      "another member of a deepObject",
      "filter",
      { filter: { "scope[role]": "x" }, scope: { tenant: "mine" } },
    ],
    ["an item of a deepObject", "filter", { filter: { "scope[tenant][]": "x" }, scope: { tenant: "mine" } }],
    ["a member of another exploded object", "filter", { filter: { a: 1, b: 2 }, more: { c: 3, b: 4 } }],
    ["a parameter with brackets", "scope", { scope: { tenant: "mine" }, "scope[tenant]": "x" }],
  ])("%s", (_what, argument, section) => {
    expect(() => serializeQuery(operation, section)).toThrow(
      expect.objectContaining({ code: "BAD_USER_INPUT", details: { argument } }),
    );
  });

  test("a property of a form", () => {
    for (const section of [
      { filter: { status: "x" }, status: "open" },
      { filter: { "scope[a]": "x" }, scope: { a: "b" } },
    ])
      expect(() => serializePairs(operation, "body", section)).toThrow(Unwritable);
    expect(serializePairs(operation, "body", { filter: { api_key: "x" } })).toBe("api_key=x");
  });

  test.each<[search: string, section: Record<string, unknown>]>([
    ["filter=x&a=1", { filter: { filter: "x" }, more: { a: 1 } }],
    ["status=x", { filter: { status: "x", b: null }, status: null, more: { b: undefined } }],
    ["session=x&token=y&x-shop-key=z", { filter: { session: "x", token: "y", "x-shop-key": "z" } }],
    ["tenant=x&scope%5Btenant%5D=y", { filter: { tenant: "x" }, scope: { tenant: "y" } }],
    ["a=1&flat=a,2", { filter: { a: 1 }, flat: { a: 2 } }],
  ])("but %s is sent", (search, section) => {
    expect(serializeQuery(operation, section)).toBe(search);
  });
});

test.each<Style>([
  { style: "form", explode: true },
  { style: "form", explode: false },
  { style: "form", explode: true, allowReserved: true },
  { style: "spaceDelimited", explode: false },
  { style: "pipeDelimited", explode: false },
])("a list of one empty text is refused, for servers read it as others: %j", (style) => {
  const refused = expect.objectContaining({ code: "BAD_USER_INPUT", details: { argument: "ids" } });
  for (const location of ["query", "body"] as const) {
    const send = (ids: unknown) => serializePairs(operationOf("ids", style, location), location, { ids });
    expect(() => send([""])).toThrow(refused);
    expect(() => send(["", ""])).not.toThrow();
    expect(send("")).toBe("ids=");
  }
});

describe("an empty list, which REST could not distinguish from an absent parameter,", () => {
  const refused = expect.objectContaining({ code: "BAD_USER_INPUT", details: { argument: "ids" } });

  test.each<[Style]>([
    [{ style: "form", explode: true }],
    [{ style: "form", explode: false }],
    [{ style: "form", explode: false, allowReserved: true }],
    [{ style: "spaceDelimited", explode: false }],
    [{ style: "pipeDelimited", explode: false }],
  ])("is refused in a query: %j", (style) => {
    expect(() => serializeQuery(operationOf("ids", style), { ids: [] })).toThrow(refused);
  });

  test("is refused in a query and a header without a declared style", () => {
    expect(() => serializeQuery(operationOf("ids"), { z: 1, ids: [] })).toThrow(refused);
    expect(() => serializeHeaders(operationOf("ids"), { ids: [] })).toThrow(refused);
  });

  test("is refused before the call, with the parameter's name", async () => {
    const { rest, server } = await against(ok([{ id: "a" }]));
    expect(await failureOf(rest.get("/things", { query: { ids: [] } }))).toMatchObject({
      code: "BAD_USER_INPUT",
      details: { argument: "ids", operation: "listThings" },
    });
    expect(await failureOf(rest.find("/things", { header: { "X-Trace": [] } }))).toMatchObject({
      code: "BAD_USER_INPUT",
    });
    expect(server.requests).toEqual([]);
  });

  test("is written as JSON, and left out of a form; a null is left out everywhere", () => {
    expect(serializeQuery(operationOf("ids", { style: "json", explode: false }), { ids: [] })).toBe(
      "ids=%5B%5D",
    );
    expect(serializePairs(operationOf("ids"), "body", { ids: [], z: 1 })).toBe("z=1");
    expect(serializeQuery(operationOf("ids"), { ids: null })).toBe("");
    expect(serializeHeaders(operationOf("ids"), { ids: undefined })).toEqual({});
  });

  test("is never sent by a batch without keys", async () => {
    const { rest, server } = await against(ok([{ id: "a" }]));
    const fetch = (tags: string[]) => rest.get("/things", { query: { tags } }) as Promise<{ id: string }[]>;
    expect(await batchEach([[], null], 100, "id", fetch, "nullableKeys")).toEqual([[], null]);
    expect(
      await batchOne<string | null, "id", { id: string }>([null], 100, "id", fetch, "nullableKeys"),
    ).toEqual([null]);
    expect(server.requests).toEqual([]);
  });
});

test("an item is matched by a nested key, and one without it is not lost in silence", async () => {
  const items = [
    { id: 1, service: { id: "a" } },
    { id: 2, service: { id: "b" } },
    { id: 3, service: { id: "a" } },
  ];
  const batched = (sent: typeof items) => batchMany(["a", "b"], 100, ["service", "id"], async () => sent);
  expect(await batched(items)).toEqual([[items[0], items[2]], [items[1]]]);
  const broken = expect.objectContaining({ code: "BAD_UPSTREAM_RESPONSE" });
  for (const service of [null, {}, "a", Object.create({ id: "a" })])
    expect(await batched([{ id: 4, service }])).toEqual([broken, broken]);
});

test("a key that the style of its list cannot write fails its own parent alone, before the call", async () => {
  const { rest, server } = await against(ok([{ id: "a" }, { id: "b" }]));
  const batched = (keys: string[]) =>
    batchOne(
      keys,
      100,
      "id",
      (tags) => rest.get("/things", { query: { tags } }) as Promise<{ id: string }[]>,
    );
  const broken = expect.objectContaining({ code: "BAD_UPSTREAM_RESPONSE" });
  expect(await batched(["a", "b|c", "b", "|"])).toEqual([{ id: "a" }, broken, { id: "b" }, broken]);
  expect(await batched(["a|b"])).toEqual([broken]);
  expect(pathsOf(server.requests)).toEqual(["/things?tags=a%7Cb"]);
});
