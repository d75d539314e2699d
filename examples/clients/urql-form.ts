/** A form that is refused: which text each input shows. */
import { Client, cacheExchange, fetchExchange } from "@urql/core";
import { AnswerDocument, ErrorCode, failedAt } from "messaging-graphql-client";

const url = "http://127.0.0.1:4000/v1/graphql";
const fetchOptions = { headers: { "X-API-Key": "sk_test_DemoHarborOlivia00000000004LRXgc" } };
const client = new Client({ url, fetchOptions, exchanges: [cacheExchange, fetchExchange] });

/** What each input shows, by the name of its argument; undefined if no single input is at fault. */
function refusals(error: unknown): Record<string, string> | undefined {
  const failed = failedAt(error, ["sendMessage"]);
  const { code, argument, errors } = failed?.extensions ?? {};
  if (failed === undefined || (code !== ErrorCode.BAD_USER_INPUT && code !== ErrorCode.CONFLICT))
    return undefined;
  const items = errors ?? [{ argument, detail: failed.message }];
  const marked = items.flatMap((item) =>
    item.argument ? [[item.argument, item.detail ?? failed.message]] : [],
  );
  return marked.length > 0 ? Object.fromEntries(marked) : undefined;
}

const send = (to: string, body: string) =>
  client.mutation(AnswerDocument, { channel: "sms", to, body, key: crypto.randomUUID() });
console.log(refusals((await send("abc", "Hello")).error));
console.log(refusals((await send("", "")).error));

/* prints
{ to: 'to: must be a number such as +12025550143 for sms' }
{ to: 'must not be empty', body: 'must not be empty' }
*/
