/** docs/guides/front-end.md, "Rehearse what may happen": each way to start the server does what the page says. */
import { expect, onTestFinished, test } from "vitest";
import { makeConsumer } from "../../service/clients/consumer.ts";
import { keys, openLayer } from "../../service/e2e/layer.ts";
import { startProgram } from "../../support/child-process.ts";
import { freePort } from "../../support/free-port.ts";
import { blocksOf, read, tableOf } from "./page.ts";

const section =
  read("docs/guides/front-end.md").split("## Rehearse what may happen")[1]?.split("\n## ")[0] ?? "";
const rows = new Map(tableOf(section, "what").map(([what = "", server = ""]) => [what, server]));

/** The variables before `npm start`. */
function environmentOf(what: string): Record<string, string> {
  const [, line = ""] = /`([^`]*) npm start`/.exec(rows.get(what) ?? "") ?? [];
  return Object.fromEntries(line.split(" ").map((each) => each.split(/=(.*)/s).slice(0, 2)));
}

const query = "{ agents { id } contacts { id } }";

test("a product that is down: its fields are null, and the others answer", async () => {
  const { ask } = await openLayer([], environmentOf("a product is down"));
  const { data, errors } = await ask(query);
  expect(data).toMatchObject({ agents: null, contacts: expect.arrayContaining([]) });
  expect(errors).toMatchObject([{ path: ["agents"], extensions: { code: "UPSTREAM_UNAVAILABLE" } }]);
});

test("a slow product: the answer comes late, and is whole", async () => {
  const port = await freePort();
  const { REST_BASE_URL_AI = "" } = environmentOf("a slow product");
  const { url, ask } = await openLayer([], {
    REST_BASE_URL_AI: REST_BASE_URL_AI.replace(/:\d+$/, `:${port}`),
  });
  const consumer = await makeConsumer();
  const [slow = ""] = blocksOf(section, "js");
  consumer.write("slow.mjs", slow.replace("127.0.0.1:4000", url.host).replace("4001", String(port)));
  const program = startProgram([`${consumer.folder}/slow.mjs`]);
  onTestFinished(() => program.stop());
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${port}/`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .not.toBe(0);
  const startedAt = performance.now();
  const { data, errors } = await ask(query);
  expect(errors).toBeUndefined();
  expect(data.agents.length).toBeGreaterThan(0);
  expect(performance.now() - startedAt).toBeGreaterThan(2_900);
});

test("too many requests: a 429 that says when to ask again", async () => {
  const { post } = await openLayer([], environmentOf("too many requests: a 429"));
  const send = () => post(JSON.stringify({ query: "{ me { id } }" }), { "x-api-key": keys.owner });
  const answers = [];
  for (let count = 0; count < 21; count++) answers.push(await send());
  expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(200), 429]);
  const last = answers.at(-1);
  expect(Number(last?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await last?.json()).toMatchObject({
    errors: [{ extensions: { code: "RATE_LIMITED", retryAfter: expect.any(Number) } }],
  });
});

test("a key without the permission is refused the field", async () => {
  const [, key = ""] = /`(sk_test_\w+)`/.exec(rows.get("a permission is missing") ?? "") ?? [];
  const { ask } = await openLayer();
  const { errors } = await ask(query, {}, { "x-api-key": key });
  expect(errors).toMatchObject([{ path: ["contacts"], extensions: { code: "FORBIDDEN" } }]);
});
