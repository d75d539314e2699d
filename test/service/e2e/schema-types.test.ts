/** Enums and dates of the schema as a front end uses them: what an answer shows can be sent back. */
import { expect, test } from "vitest";
import { keys, openLayer } from "./layer.ts";

test("a channel of an answer is a channel that the String arguments take", async () => {
  const { ask } = await openLayer();
  const { data } = await ask("{ conversations { channel } }");
  const { channel } = data.conversations.find((each: { channel: string }) => each.channel === "sms");
  const held = await ask(
    "query ($channel: String) { conversationsConnection(channel: $channel) { nodes { channel } } }",
    { channel },
  );
  expect(held.data.conversationsConnection.nodes.length).toBeGreaterThan(0);
  for (const node of held.data.conversationsConnection.nodes) expect(node.channel).toBe(channel);
  const sent = await ask(
    'mutation ($channel: String!) { sendMessage(channel: $channel, to: "+12025550143", body: "Hello") { channel } }',
    { channel },
  );
  expect(sent).toEqual({ data: { sendMessage: { channel } } });
});

test("a time of an answer is what REST sends, and a day of an answer is a day to ask for", async () => {
  const { ask, rest: get } = await openLayer();
  const { data } = await ask("{ contacts { id createdAt lastSeenAt } metrics { points { date } } }");
  const rest = await get("/v1/crm/contacts", { "x-api-key": keys.owner });
  const { items } = (await rest.json()) as { items: Record<string, unknown>[] };
  const wanted = items.map(({ id, createdAt, lastSeenAt }) => ({ id, createdAt, lastSeenAt }));
  expect(data.contacts).toEqual(wanted);
  const [{ date }] = data.metrics[0].points;
  const again = await ask(
    "query ($from: String, $to: String) { metrics(from: $from, to: $to) { points { date } } }",
    {
      from: date,
      to: date,
    },
  );
  expect(again.data.metrics[0].points).toEqual([{ date }]);
});
