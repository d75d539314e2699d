/** A page of urql: shows each result of a query with a deferred panel. */
import { Client, cacheExchange, fetchExchange } from "@urql/core";
import { headers, query, show, uri } from "./settings.js";

const client = new Client({ url: uri, fetchOptions: { headers }, exchanges: [cacheExchange, fetchExchange] });
client.query(query, {}).subscribe(({ data, hasNext }) => show({ data, isWhole: !hasNext }));
