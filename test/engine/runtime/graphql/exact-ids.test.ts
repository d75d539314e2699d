/** Ids that REST sends as JSON numbers beyond 2^53: shown, followed and matched as they are. */
import { expect, test } from "vitest";
import { inFrontOf } from "./rest-stand-in.ts";

const mine = "9007199254740993";
const neighbour = "9007199254740992";

/** One conversation, whose contact has an id that a number would round to its neighbour's. */
const open = () => {
  const asked: (string | null)[] = [];
  const layer = inFrontOf(({ url = "" }, response): void => {
    const { pathname, searchParams } = new URL(url, "http://rest");
    const json = { "content-type": "application/json" };
    response.writeHead(200, json);
    if (pathname.includes("/conversations/"))
      return void response.end(`{"id":${mine},"contactId":${mine},"subject_line":${mine}}`);
    asked.push(searchParams.get("ids"));
    response.end(`{"items":[{"id":${neighbour},"name":"neighbour"},{"id":${mine},"name":"mine"}]}`);
  }, {});
  return { layer, asked };
};

test("are shown, and match in a batch", async () => {
  const { layer, asked } = open();
  const { ask } = await layer;
  const answer = await ask(`{ conversation(id: "1") { id contact { id name } } }`);
  expect(answer).toEqual({ data: { conversation: { id: mine, contact: { id: mine, name: "mine" } } } });
  expect(asked).toEqual([mine]);
});

test("are shown in a list", async () => {
  const { ask } = await open().layer;
  const { data } = await ask(`{ contacts { id } }`);
  expect(data).toEqual({ contacts: [{ id: neighbour }, { id: mine }] });
});

test("of a client are taken as text and in a document, and refused as a number, which was rounded", async () => {
  const { post, ask } = await open().layer;
  const query = "query ($id: ID!) { conversation(id: $id) { id } }";
  const send = async (id: string) =>
    (await (
      await post("", { body: `{"query":${JSON.stringify(query)},"variables":{"id":${id}}}` })
    ).json()) as object;
  expect(await send(`"${mine}"`)).toMatchObject({ data: { conversation: { id: mine } } });
  expect(await send("7")).toMatchObject({ data: { conversation: { id: mine } } });
  expect(await ask(`{ conversation(id: ${mine}) { id } }`)).toMatchObject({
    data: { conversation: { id: mine } },
  });
  expect(await send(mine)).toMatchObject({ errors: [{ extensions: { code: "BAD_USER_INPUT" } }] });
});
