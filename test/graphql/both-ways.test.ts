/** Which executor this run of the suite is about: vitest.config.ts runs it with plans, and once more without. */
import { expect, onTestFinished, test } from "vitest";
import { createGraphql } from "../../src/graphql/graphql.ts";
import { configure } from "./configure.ts";

test("operations run by plans, or all on graphql-js in the run that is for it", async () => {
  const server = await createGraphql(configure());
  onTestFinished(() => server.close());
  await server.inject({ method: "POST", url: "/v1/graphql", payload: { query: "{ __typename }" } });
  const planned = process.env.PLANS === "off" ? 0 : 1;
  expect(server.executions).toEqual({ planned, interpreted: 1 - planned });
});
