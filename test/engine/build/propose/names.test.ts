/** The names that `npm run propose` gives where names of REST are alike, in any schema. */
import { expect, test } from "vitest";
import { proposed } from "./proposed.ts";

/** A document whose names are one name in GraphQL: reactions, cases of one word, a parameter in two places. */
const alike = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  security: [],
  paths: {
    "/reactions/{id}": {
      get: {
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string" } },
          { name: "id", in: "query", schema: { type: "string" } },
          { name: "input", in: "query", schema: { type: "string" } },
        ],
        responses: {
          200: {
            description: "ok",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Reactions" } } },
          },
        },
      },
      put: {
        operationId: "get_reactions",
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "string" } },
          { name: "input", in: "query", schema: { type: "string" } },
        ],
        requestBody: {
          content: { "application/json": { schema: { $ref: "#/components/schemas/Reactions" } } },
        },
        responses: {
          200: {
            description: "ok",
            content: { "application/json": { schema: { $ref: "#/components/schemas/reactions" } } },
          },
        },
      },
    },
    "/Reactions": { put: { operationId: "getReactions", responses: { 204: { description: "ok" } } } },
  },
  components: {
    schemas: {
      Reactions: {
        type: "object",
        properties: {
          "+1": { type: "integer", format: "int32" },
          "-1": { type: "integer", format: "int32" },
          user_id: { type: "string" },
          userId: { type: "string" },
          $: { type: "string" },
          "": { type: "string" },
          kind: { type: "string", enum: ["+1", "-1", "a-b", "a_b", "", "?"] },
        },
      },
      reactions: { type: "object", properties: { a: { type: "string" } } },
    },
  },
});

test("propose needs no field, and makes no name twice; what it prints is a schema that passes check", async () => {
  const operations = ["GET /reactions/{id}", "get_reactions", "getReactions"];
  for (const schema of ["", "# nothing yet\n", "type Query", "type Query {\n}\n"]) {
    const out = await proposed(alike, operations, schema);
    expect(out).toContain("  reaction(\n");
    expect(out).toMatch(/plus1: Int\n {2}minus1: Int\n {2}userId: ID @restName\(name: "user_id"\)/);
  }
});

const named = (operations: Readonly<Record<string, Readonly<Record<string, string | undefined>>>>): string =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    security: [],
    paths: Object.fromEntries(
      Object.entries(operations).map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries(methods).map(([method, operationId]) => [
            method,
            {
              ...(operationId !== undefined && { operationId }),
              parameters: [...path.matchAll(/\{([\w-]+)\}/g)].map(([, name]) => ({
                ...{ name, in: "path", required: true, schema: { type: "string" } },
              })),
              responses: {
                200: { description: "ok", content: { "application/json": { schema: { type: "string" } } } },
              },
            },
          ]),
        ),
      ]),
    ),
  });

test.each<[what: string, operations: Parameters<typeof named>[0], fields: readonly string[]]>([
  [
    "the function's name without the path and method that FastAPI adds, or else the path",
    {
      "/api/users": { get: "get_all_api_users_get", post: "create_one_api_users_post" },
      "/api/users/{user-id}": { get: "read_user_api_users__user_id__get" },
      "/api/teams": { get: "get_all_api_teams_get" },
      "/api/teams/{id}/user": { get: "read_user_api_teams__id__user_get" },
      "/api/root": { get: "_api_root_get" },
    },
    ["users", "postUsers", "user", "teams", "apiTeamsIdUser", "apiRootGet"],
  ],
  [
    "the name of the resource in a path without an id, or with one that only repeats the path",
    {
      "/v2/policies": { get: undefined },
      "/v2/policies/{policy_id}": { get: undefined, put: "put_v2_policies_id" },
      "/v2/policies/{policy_id}/statuses": { get: "get_v2_policies_id_statuses" },
      "/v2/policies/{policy_id}/statuses/{id}#last": { get: "get-v2-policies-policyId-statuses-id-last" },
      "/v2/policies/{policy_id}/{version}": { get: undefined },
      "/addresses/{id}": { get: "findAddress" },
      "/{tenant}/classes/{id}": { get: undefined },
    },
    [
      "policies",
      "policy",
      "putPolicy",
      "policyStatuses",
      "policyStatusLast",
      "v2PoliciesPolicyIdVersion",
    ].concat("address", "tenantClass"),
  ],
  [
    "no word Controller, which NestJS adds, and no class whose resource the method names",
    {
      "/users": { get: "UsersController_findAll", post: "UsersController_create" },
      "/users/{id}": { get: "UsersController_getUser", put: "UsersControllerV1_bulkUpdateUsers" },
      "/roles": { get: "UsersControllerV2_listUserRoles", post: "UsersControllerV2_addRole" },
      "/policies": { get: "PoliciesController_getPolicy" },
      "/v1/policies": { get: "PoliciesControllerV1_getPolicy" },
      "/motor": { get: "MotorController" },
    },
    ["usersFindAll", "usersCreate", "user", "bulkUpdateUsers", "userRoles", "usersAddRole", "policy"].concat(
      "policiesControllerV1GetPolicy",
      "motorController",
    ),
  ],
  [
    "no version, unless two versions have the same operation or the rest names no resource",
    {
      "/a": { get: "v1.application.list", post: "v1.application.create" },
      "/b": { get: "v1.list", post: "V1-delete-user" },
      "/c": { get: "v1_users" },
      "/c2": { get: "v2_users" },
      "/d": { get: "v1beta.users", post: "v4" },
    },
    ["applicationList", "applicationCreate", "v1List", "deleteUser", "users", "v2Users"].concat(
      "v1betaUsers",
      "v4",
    ),
  ],
  [
    "no verb that only says that it reads, unless the rest names no resource",
    {
      "/a": { get: "findAllPlanCharges" },
      "/b": { get: "findPlanCharge", post: "findPlan" },
      "/c": { get: "getAllPlans" },
      "/d": { get: "find_all_orders" },
      "/e": { get: "findAll" },
      "/f": { get: "findOne" },
      "/g": { get: "findByName" },
      "/h": { get: "findAllByName" },
      "/i": { get: "getAllocation" },
      "/j": { get: "listAllowances" },
      "/k": { get: "findings" },
      "/l": { get: "findAllPlans" },
    },
    ["planCharges", "planCharge", "plan", "plans", "orders", "findAll", "findOne", "findByName"].concat(
      ...["findAllByName", "allocation", "allowances", "findings", "findAllPlans"],
    ),
  ],
  [
    "no first step that each path has, unless the name is taken",
    {
      "/api/v1/users": { get: undefined, put: undefined },
      "/api/v2/users": { get: undefined },
      "/api/{id}": { get: undefined },
      "/v1": { get: undefined },
      "/apiary": { get: undefined },
    },
    ["users", "apiV2Users", "apiId", "v1", "apiary", "putUsers"],
  ],
])("a field has %s", async (_what, operations, fields) => {
  const names = Object.entries(operations).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, id]) => id ?? `${method.toUpperCase()} ${path}`),
  );
  const out = await proposed(named(operations), names);
  const found = [...out.matchAll(/^ {2}(\w+)(?=\(|: String)/gm)].map(([, name]) => name);
  expect(found.toSorted()).toEqual(fields.toSorted());
});

test("a name that ends with Input does not get it again, and a page of texts has its component's name", async () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const json = (schema: object) => ({ content: { "application/json": { schema } } });
  const ok = (schema: object) => ({ 200: { description: "ok", ...json(schema) } });
  const object = (properties: object) => ({ type: "object", properties });
  const string = { type: "string" };
  const page = [{ name: "cursor", in: "query", schema: string }];
  const document = {
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    security: [],
    paths: {
      "/notes": {
        get: { operationId: "listNotes", parameters: page, responses: ok(ref("Texts")) },
        post: { operationId: "addNote", requestBody: json(ref("NoteInput")), responses: ok(string) },
      },
      "/words": {
        get: { operationId: "listWords", parameters: page, responses: ok(ref("Texts")) },
        post: {
          operationId: "addWord",
          requestBody: json(ref("WordInput")),
          responses: ok(ref("WordInput")),
        },
      },
    },
    components: {
      schemas: {
        NoteInput: object({ text: string, place: object({ page: { type: "integer" } }) }),
        WordInput: object({ text: string, language: string }),
        Texts: object({ data: { type: "array", items: string }, next_cursor: string }),
      },
    },
  };
  const sdl = await proposed(JSON.stringify(document), ["listNotes", "listWords", "addNote", "addWord"]);
  expect(sdl.match(/(?<=^(?:type|input) )\w+/gm)).toEqual([
    ...["Query", "Mutation", "TextsEdge", "PageInfo", "TextsConnection"],
    ...["NoteInput", "NotePlaceInput", "WordInput", "WordInputInput"],
  ]);
  expect(sdl.match(/: TextsConnection$/gm)).toHaveLength(2);
});
