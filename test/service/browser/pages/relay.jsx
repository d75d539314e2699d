/** A page of React and Relay: a panel and a column of it come in deferred parts. */
import { Suspense } from "react";
import { createRoot } from "react-dom/client";
import { RelayEnvironmentProvider, useFragment, useLazyLoadQuery } from "react-relay";
import { Environment, RecordSource, Store } from "relay-runtime";
import agentsFragment from "./__generated__/Page_agents.graphql.js";
import rowFragment from "./__generated__/Page_row.graphql.js";
import pageQuery from "./__generated__/PageQuery.graphql.js";
import { network } from "./network.js";

function Agents({ query }) {
  const { agents } = useFragment(agentsFragment, query);
  return (
    <ul id="agents">
      {agents?.map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
    </ul>
  );
}

function Assignee({ conversation }) {
  return <td>{useFragment(rowFragment, conversation).assignee?.name ?? "nobody"}</td>;
}

function Page() {
  const data = useLazyLoadQuery(pageQuery, {});
  return (
    <main>
      <p>{data.me?.email}</p>
      <table>
        <tbody>
          {data.conversations?.map((one) => (
            <tr key={one.id}>
              <Suspense fallback={<td>…</td>}>
                <Assignee conversation={one} />
              </Suspense>
            </tr>
          ))}
        </tbody>
      </table>
      <Suspense fallback={<p>Loading agents</p>}>
        <Agents query={data} />
      </Suspense>
    </main>
  );
}

const environment = new Environment({ network, store: new Store(new RecordSource()) });
createRoot(document.querySelector("#page")).render(
  <RelayEnvironmentProvider environment={environment}>
    <Suspense fallback={<p>Loading</p>}>
      <Page />
    </Suspense>
  </RelayEnvironmentProvider>,
);
