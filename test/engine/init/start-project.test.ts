/** What `restbound init` refuses to start. */
import { expect, test } from "vitest";
import { startProject } from "../../../src/engine/init/start-project.ts";
import { RestDocument } from "../../../src/engine/openapi/document.ts";

test("without a GET there is no Query: the refusal names the page that tells how to read by POST", () => {
  const post = { operationId: "search", responses: { 204: { description: "ok" } } };
  const document = { openapi: "3.1.0", info: { title: "t", version: "1" }, paths: { "/search": { post } } };
  const rest = new RestDocument("openapi.yaml", (file) =>
    file === "openapi.yaml" ? JSON.stringify(document) : undefined,
  );
  expect(() => startProject(rest, { tag: [], operation: [] })).toThrow(
    /a GraphQL schema needs a Query\nnone of these is a GET; if a POST only reads, see "Reads by POST" in docs\/reference\.md/,
  );
});
