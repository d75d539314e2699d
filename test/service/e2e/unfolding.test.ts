/** What a small query may unfold to: only a plan bounds it, and whatever asks for data runs by one. */
import { expect, test } from "vitest";
import { keys, openLayer } from "./layer.ts";

test("links back and forth are given up at a bound, whatever they would unfold to", async () => {
  const { post } = await openLayer();
  const unfold = (times: number): string =>
    times === 0 ? "id" : `messages(last: 20) { conversation { ${unfold(times - 1)} } }`;
  const query = `{ conversationsConnection(first: 100) { nodes { ${unfold(6)} } } }`;
  const answer = await post(JSON.stringify({ query }), { "x-api-key": keys.owner });
  const { errors } = (await answer.json()) as { errors: { extensions: object }[] };
  const limit = { code: "LIMIT_EXCEEDED", limit: "MAX_ANSWER_BYTES", value: 10_485_760 };
  expect([answer.status, errors[0]?.extensions]).toMatchObject([400, limit]);
});
