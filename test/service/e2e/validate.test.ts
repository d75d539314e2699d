/** `npm run validate`: an app's manifest against the schema of a running server, or of a file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../../src/engine/build/validate/validate-command.ts";
import { type Ran, ran } from "../../engine/build/check/run.ts";
import { temporaryFolder } from "../clients/consumer.ts";
import { openLayer } from "./layer.ts";

const root = join(import.meta.dirname, "../../..");
const good = { a: "query Start { me { email } }" };
const bad = { ...good, b: "query Old { me { nickname } }", c: "query Half {" };

function validate(operations: object, ...argv: string[]): Promise<Ran> {
  const manifest = join(temporaryFolder(), "web.json");
  writeFileSync(manifest, JSON.stringify(operations));
  return ran(root, [manifest, ...argv], run);
}

const faults = [
  'web/Old: Cannot query field "nickname" on type "IdentityProfile".',
  "web/Half: Syntax Error: Expected Name, found <EOF>.",
].join("\n");

test("says which operations do not fit the schema of a running server, by URL and without a key", async () => {
  const { url } = await openLayer();
  const schema = new URL("/v1/graphql", url).href;
  expect(await validate(good, "--schema", schema)).toMatchObject({
    code: 0,
    out: `1 operations are valid against ${schema}`,
  });
  expect(await validate(bad, "--schema", schema)).toMatchObject({ code: 1, out: faults });
});

test("takes the schema of a file", async () => {
  expect(await validate(bad, "--schema", "generated/schema.graphql")).toMatchObject({ code: 1, out: faults });
  const none = await validate(good, "--schema", "no.graphql");
  expect(none).toMatchObject({ code: 2, error: expect.stringContaining("--schema no.graphql: ENOENT") });
});

test("a server in production reveals no schema, and the message names the alternative", async () => {
  const { url } = await openLayer(["graphql"], {
    NODE_ENV: "production",
    REST_BASE_URL: "http://127.0.0.1:1",
  });
  const { code, error } = await validate(good, "--schema", new URL("/v1/graphql", url).href);
  expect([code, error]).toEqual([
    2,
    expect.stringContaining("does not return a schema; in production it does not"),
  ]);
});
