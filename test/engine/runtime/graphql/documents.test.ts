/** The memory for documents is bounded by their whole size, comments included. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { createGraphql } from "../../../../src/engine/server/graphql-role.ts";
import { api } from "../../desk/generated/index.ts";
import { configure } from "./configure.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const megabytes = (): number => {
  collect();
  return process.memoryUsage().heapUsed / 1e6;
};

test.each([
  ["many", 250, "#\n".repeat(4_900)],
  ["large", 125, `# ${"x".repeat(900_000)}`],
])(
  "%s comments in many different small documents do not fill the memory",
  async (_name, documents, comments) => {
    const server = await createGraphql(configure({ MAX_DOCUMENT_LENGTH: "1000000" }), api);
    onTestFinished(() => server.close());
    const ask = (number: number) =>
      server.inject({
        method: "POST",
        url: "/v1/graphql",
        payload: { query: `{ __typename } ${comments} #${number}` },
      });
    expect((await ask(0)).json()).toEqual({ data: { __typename: "Query" } });
    const before = megabytes();
    for (let number = 1; number <= documents; number++) await ask(number);
    expect(megabytes() - before).toBeLessThan(75);
  },
);
