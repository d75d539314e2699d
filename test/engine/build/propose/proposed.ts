/** What `npm run propose` prints. */
import { expect } from "vitest";
import { run as propose } from "../../../../src/engine/build/propose/propose-command.ts";
import { project, ran, reportOf, write } from "../check/run.ts";

/**
 * The SDL for operations of a document, beside a schema without fields. It passes check as a schema, but for the rules that
 * `named` lists.
 */
export async function proposed(
  document: string,
  operations: readonly string[],
  schema = "",
  named: readonly string[] = [],
): Promise<string> {
  const root = project({
    "spec/openapi.yaml": document,
    "spec/schema.graphql": schema,
    "spec/operations/depot.graphql": "",
    "spec/rest-only.yaml": "",
  });
  const { code, out, error } = await ran(root, operations, propose);
  expect({ code, error }).toEqual({ code: 0, error: "" });
  write(root, { "spec/schema.graphql": out });
  const { findings } = await reportOf(root);
  const own = findings.filter(({ stage }) => stage === "proof" || stage === "load");
  const others = own.filter(({ rule }) => !named.includes(rule));
  expect(others.map(({ rule, message }) => `${rule} ${message}`)).toEqual([]);
  expect(own).toHaveLength(named.length);
  return out;
}
