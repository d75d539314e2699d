/** The page. The key is the demo's: a real page signs its user in. */
import { ApolloProvider } from "@apollo/client/react";
import { createRoot } from "react-dom/client";
import { createClient } from "./client.ts";
import { Customers } from "./customers.tsx";
import { SendMessage } from "./send-message.tsx";

const url = import.meta.env.VITE_API_URL ?? "http://127.0.0.1:4000/v1/graphql";
const key = import.meta.env.VITE_API_KEY ?? "sk_test_DemoHarborOlivia00000000004LRXgc";

createRoot(document.getElementById("page") as HTMLElement).render(
  <ApolloProvider client={createClient(url, key)}>
    <Customers />
    <SendMessage />
  </ApolloProvider>,
);
