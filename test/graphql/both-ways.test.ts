/** The executor of this run of the suite. vitest.config.ts runs the suite with plans, and once more without plans. */

import { expect, onTestFinished, test } from "vitest";
import { api } from "../../generated/index.ts";
import { createGraphql } from "../../src/engine/graphql/graphql.ts";
import { configure } from "./configure.ts";

test("plans run operations; in the graphql-js project, graphql-js runs them", async () => {
  const server = await createGraphql(configure(), api);
  onTestFinished(() => server.close());
  await server.inject({ method: "POST", url: "/v1/graphql", payload: { query: "{ __typename }" } });
  const planned = process.env.PLANS === "off" ? 0 : 1;
  expect(server.executions).toEqual({ planned, interpreted: 1 - planned });
});
