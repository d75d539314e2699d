/** `restbound init` with the URL of a document. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run as init } from "../../../../src/engine/build/init/init-command.ts";
import { emptyProject } from "../../../support/project.ts";
import { listen } from "../../gateway/fakes.ts";
import { ran } from "../check/run.ts";

const blogDocument = readFileSync(join(import.meta.dirname, "../../another-api/spec/openapi.yaml"));

test("a project starts from a document at a URL; a response that is no document is one error, and writes nothing", async () => {
  const copy = emptyProject();
  onTestFinished(() => copy.remove());
  const server = await listen(({ url }, response) => {
    if (url === "/moved") response.writeHead(302, { location: "/blog.yaml" }).end();
    else if (url === "/large") response.end(Buffer.alloc(33_554_433, "#"));
    else if (url === "/page") response.end("<html></html>");
    else response.writeHead(url === "/blog.yaml" ? 200 : 404).end(blogDocument);
  });
  onTestFinished(server.close);
  const startedOn = (url: string) => ran(copy.root, ["--openapi", url], init);
  const at = (path: string): string => new URL(path, server.url).href;
  const before = readdirSync(copy.root);
  for (const [path, code, error] of [
    ["/gone", 2, `--openapi ${at("/gone")}: answers 404`],
    ["/moved", 2, `--openapi ${at("/moved")}: unexpected redirect`],
    ["/large", 2, `--openapi ${at("/large")}: is larger than 32 MiB`],
    ["/page", 3, `${at("/page")}:1:1: is not an OpenAPI 3.0, 3.1 or 3.2 document`],
  ] as const)
    expect(await startedOn(at(path))).toMatchObject({ code, error });
  expect(await startedOn("http://127.0.0.1:1/")).toMatchObject({
    code: 2,
    error: expect.stringMatching(/^--openapi http:\/\/127\.0\.0\.1:1\/: /),
  });
  expect(readdirSync(copy.root)).toEqual(before);

  const started = await startedOn(at("/blog.yaml"));
  expect(started).toMatchObject({ code: 0, error: "" });
  // a document without servers is that of the server it came from (OpenAPI 3.1 §4.8.1)
  expect(started.out).toContain(`start it:  REST_BASE_URL=${new URL(server.url).origin} npm start`);
  expect(copy.read("spec/openapi.yaml")).toBe(blogDocument.toString());
  expect(started.out).toContain("wrote .github/workflows/update.yml\n");
  expect(copy.read("spec/schema.graphql")).toContain('@rest(operation: "');
});
