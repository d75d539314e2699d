/** A document of OpenAPI 3.2, served in front of a REST server that takes QUERY with a body. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { listens, startProgram } from "../../support/child-process.ts";
import { projectOf } from "../../support/project.ts";
import { listen } from "../gateway/fakes.ts";

test("QUERY operations are fields of Query; the generated client compiles", async ({ onTestFinished }) => {
  const copy = projectOf(join(import.meta.dirname, "../build/codegen/cases/openapi-3.2-methods"));
  onTestFinished(() => copy.remove());
  writeFileSync(join(copy.root, "package.json"), '{ "type": "module" }');
  await copy.codegen();
  expect(copy.typeErrors(["generated"])).toBe("");
  const calls: string[] = [];
  const rest = await listen(async (request, response) => {
    const body = await text(request);
    const call = `${request.method} ${request.url} ${body}`.trim();
    const isFirst = !calls.includes(call);
    if (call !== "GET /things") calls.push(call); // the probe of the upstream
    if (isFirst && body.includes('"x"')) return void response.writeHead(503).end(); // a safe method is retried
    const { name } = body === "" ? { name: "copied" } : JSON.parse(body);
    const thing = { id: "1", name };
    const isList = request.url === "/things" || request.url?.startsWith("/things?");
    const status = name === "none" ? 404 : 200;
    response
      .writeHead(status, { "content-type": "application/json", "cache-control": "max-age=60" })
      .end(JSON.stringify(isList ? [thing] : thing));
  });
  onTestFinished(() => rest.close());
  const program = startProgram([copy.main, "graphql"], { REST_BASE_URL: rest.url.href });
  onTestFinished(() => program.stop());
  const url = await listens(program);
  const ask = async (query: string) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ query });
    return (await fetch(new URL("/v1/graphql", url), { method: "POST", headers, body })).json();
  };
  expect(
    await ask(
      '{ a: search(name: "x", size: 2) { id name } b: search(name: "y") { name } c: search(name: "x", size: 2) { name } none: first(name: "none") { id } }',
    ),
  ).toEqual({
    data: { a: [{ id: "1", name: "x" }], b: [{ name: "y" }], c: [{ name: "x" }], none: null },
  });
  expect([...calls].sort()).toEqual([
    'QUERY /things {"name":"x","size":2}',
    'QUERY /things {"name":"x","size":2}',
    'QUERY /things {"name":"y"}',
    'QUERY /things/first {"name":"none"}',
  ]);
  calls.length = 0;
  expect(await ask('{ things(kind: "k", ids: ["1", "2"]) { id } }')).toEqual({
    data: { things: [{ id: "1" }] },
  });
  expect(await ask('mutation { copyThing(id: "1") { name } }')).toEqual({
    data: { copyThing: { name: "copied" } },
  });
  expect(calls).toEqual(["GET /things?kind=k&ids=1,2", "COPY /things/1"]);
});
