/** `npm run propose` on what vendors' documents have: values that cannot be sent, envelopes, types named as roots are. */
import { expect, test } from "vitest";
import { run as propose } from "../../../../src/engine/build/propose/propose-command.ts";
import { fieldName } from "../../../../src/engine/build/schema/graphql-names.ts";
import { project, ran } from "../check/run.ts";
import { proposed } from "./proposed.ts";

const list = { type: "array", items: { type: "string" } };
const object = (properties: object) => ({ type: "object", properties });
const ok = (schema: object) => ({
  200: { description: "ok", content: { "application/json": { schema } } },
});
const form = (properties: object, encoding: object) => ({
  content: { "application/x-www-form-urlencoded": { schema: object(properties), encoding } },
});
const expand = { name: "expand", in: "query", style: "deepObject", schema: list };
const subscription = { $ref: "#/components/schemas/subscription" };

const document = JSON.stringify({
  openapi: "3.0.0",
  info: { title: "t", version: "1" },
  security: [],
  paths: {
    "/subscriptions": {
      get: {
        operationId: "GetSubscriptions",
        parameters: [{ name: "customer", in: "query", schema: { type: "string" } }, expand],
        requestBody: form({}, {}),
        responses: ok(object({ data: { type: "array", items: subscription } })),
      },
      post: {
        operationId: "PostSubscriptions",
        requestBody: form(
          { customer: { type: "string" }, expand: list },
          { expand: { style: "deepObject" } },
        ),
        responses: ok(object({ data: subscription })),
      },
    },
    "/links": {
      get: { operationId: "getLink", responses: ok(object({ url: { type: "string" } })) },
      put: { operationId: "putLink", responses: ok(object({ data: object({}), count: { type: "string" } })) },
    },
  },
  components: { schemas: { subscription: object({ id: { type: "string" } }) } },
});

const ids = ["GetSubscriptions", "PostSubscriptions", "getLink", "putLink"];

test("an optional value that cannot be sent is left out, and so is a form with nothing in it", async () => {
  const out = await proposed(document, ids);
  const left = "an array in style deepObject, which cannot be sent.";
  expect(out).toContain(
    `  # Without query "expand", ${left}\n  subscriptions(\n    customer: String\n  ): [GetSubscriptionsSubscription!]`,
  );
  expect(out).toContain(`  # Without body "expand", ${left}\n  postSubscriptions(`);
  expect(out).toMatch(/^input \w+ \{\n {2}customer: String\n\}/m);
});

test("an envelope around one list or object is left out", async () => {
  const out = await proposed(document, ids);
  expect(out).toContain('@rest(operation: "GetSubscriptions", result: "data")');
  expect(out).toContain('@rest(operation: "PostSubscriptions", body: "args.input", result: "data")');
  for (const id of ["getLink", "putLink"]) expect(out).toContain(`@rest(operation: "${id}")\n`);
});

/** What `propose` answers for an operation that takes a file in its body, which is required or not, and other parts. */
function proposedUpload(required: boolean, others = {}) {
  const schema = object({ file: { type: "string", format: "binary" }, ...others });
  const content = { "multipart/form-data": { schema } };
  const whole = JSON.parse(document);
  whole.paths["/links"].post = {
    operationId: "addFile",
    requestBody: { required, content },
    responses: ok(object({ url: { type: "string" } })),
  };
  const root = project({
    "spec/openapi.yaml": JSON.stringify(whole),
    "spec/schema.graphql": "",
    "spec/operations/depot.graphql": "",
    "spec/rest-only.yaml": "",
  });
  return ran(root, ["addFile"], propose);
}

test("a field that could not be called is refused with its reason", async () => {
  expect(await proposedUpload(true)).toMatchObject({
    code: 2,
    error: "propose addFile: it requires a body of multipart/form-data, which no field can send",
  });
});

test("a comment above the field names an optional body that no field can send", async () => {
  const { out } = await proposedUpload(false);
  expect(out).toMatch(
    /^ {2}# Without the body of multipart\/form-data, which cannot be sent\.\n {2}addFile: /m,
  );
});

test("the text parts of a multipart form are arguments, and a comment above the field names an optional file", async () => {
  const { out } = await proposedUpload(true, {
    title: { type: "string" },
    labels: { type: "array", items: { type: "string" } },
  });
  expect(out).toMatch(/^ {2}# Without body "file", a file, which cannot be sent\.\n {2}addFile\(/m);
  expect(out).toMatch(/^input AddFileInput \{\n {2}title: String\n {2}labels: \[String!\]\n\}/m);
});

test.each([
  ["getSSHKeys", "sshKeys"],
  ["getLKECluster", "lkeCluster"],
  ["getURL", "url"],
  ["GetHTTP2Log", "http2Log"],
  ["GetAccount", "account"],
])("%s is proposed as %s", (id, name) => {
  expect(fieldName(id.slice("get".length))).toBe(name);
});
