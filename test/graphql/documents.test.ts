/** What is kept of documents that were asked for once is bounded by all that they hold, not by what they select. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { createGraphql } from "../../src/graphql/graphql.ts";
import { configure } from "./configure.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const megabytes = (): number => {
  collect();
  return process.memoryUsage().heapUsed / 1e6;
};

test("large comments in small documents, each another one, do not fill the memory", async () => {
  const server = await createGraphql(configure());
  onTestFinished(() => server.close());
  const comment = "x".repeat(1_000_000);
  const ask = (number: number) =>
    server.inject({
      method: "POST",
      url: "/v1/graphql",
      payload: { query: `{ __typename } # ${number} ${comment}` },
    });
  expect((await ask(0)).json()).toEqual({ data: { __typename: "Query" } });
  const before = megabytes();
  for (let number = 1; number <= 250; number++) await ask(number);
  expect(megabytes() - before).toBeLessThan(150);
});
