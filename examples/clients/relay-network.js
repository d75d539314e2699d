/** The network layer of Relay, which reads the parts of a deferred response (`@defer`). */
import { meros } from "meros/browser";
import { Network, Observable } from "relay-runtime";

const url = "http://127.0.0.1:4000/v1/graphql";
const headers = {
  "X-API-Key": "sk_test_DemoHarborOlivia00000000004LRXgc",
  "Content-Type": "application/json",
  Accept: "multipart/mixed;deferSpec=20220824, application/json",
};

export const network = Network.create(({ text: query }, variables) =>
  Observable.create((sink) => {
    const leaving = new AbortController();
    const next = ({ hasNext = false, incremental, ...first }) =>
      sink.next((incremental ?? [first]).map((part) => ({ ...part, extensions: { is_final: !hasNext } })));
    const send = async () => {
      const body = JSON.stringify({ query, variables });
      const parts = await meros(await fetch(url, { method: "POST", headers, body, signal: leaving.signal }));
      if (parts instanceof Response) next(await parts.json());
      else for await (const { body: part } of parts) next(part);
    };
    send().then(sink.complete, (error) => sink.closed || sink.error(error));
    return () => leaving.abort();
  }),
);
