/** A list of customers: a search, the next page, and a poll that keeps the rows that are shown. */
import { CombinedGraphQLErrors } from "@apollo/client";
import { useQuery } from "@apollo/client/react";
import { type ApiError, ErrorCode, FindCustomersDocument } from "messaging-graphql-client";
import { useEffect, useState } from "react";

const pageSize = 25;
/** The most rows that one poll asks for. */
const mostPolled = 100;

export function Customers({ pollMs = 10_000 }: { readonly pollMs?: number }) {
  const [q, setQ] = useState("");
  const variables = q === "" ? {} : { q };
  // what did not fail is shown
  const options = { variables, errorPolicy: "all" } as const;
  const { data, error, loading, client, fetchMore } = useQuery(FindCustomersDocument, options);
  const list = data?.contactsConnection;
  const rows = list?.edges ?? [];
  const shown = Math.min(Math.max(rows.length, pageSize), mostPolled);
  const failed = firstError(error);
  const waitMs = Math.max(pollMs, 1_000 * (failed?.extensions.retryAfter ?? 0));

  // A query of its own: a poll of the first page alone would put that page in place of all rows. So would one that is under
  // way when the next page comes, so it is given up then.
  useEffect(() => {
    if (loading) return;
    const leaving = new AbortController();
    const poll = () =>
      client
        .query({
          query: FindCustomersDocument,
          variables: { ...(q !== "" && { q }), first: shown },
          context: { fetchOptions: { signal: leaving.signal } },
          fetchPolicy: "network-only",
        })
        .catch(() => undefined); // the next poll asks again
    const timer = setInterval(poll, waitMs);
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, [client, q, shown, waitMs, loading]);

  return (
    <section>
      <h1>Customers</h1>
      <label>
        Search <input value={q} onChange={(event) => setQ(event.target.value)} />
      </label>
      {error && <p role="alert">{sentenceOf(failed)}</p>}
      <ul>
        {rows.map(({ node }) => (
          <li key={node.id}>
            {node.name} {node.company && <small>{node.company}</small>}
          </li>
        ))}
      </ul>
      {list?.pageInfo.hasNextPage && (
        <button
          type="button"
          onClick={() => fetchMore({ variables: { after: list.pageInfo.endCursor } }).catch(() => undefined)}
        >
          More
        </button>
      )}
    </section>
  );
}

const firstError = (error: unknown): ApiError | undefined =>
  CombinedGraphQLErrors.is(error) ? (error.errors[0] as unknown as ApiError) : undefined;

/** What a user may read: a page tells by the code what happened. */
function sentenceOf(error: ApiError | undefined): string {
  switch (error?.extensions.code) {
    case ErrorCode.FORBIDDEN:
      return "You may not see customers.";
    case ErrorCode.UNAUTHENTICATED:
      return "Your key is no longer valid. Please sign in again.";
    case ErrorCode.UPSTREAM_UNAVAILABLE:
    case ErrorCode.UPSTREAM_TIMEOUT:
    case ErrorCode.UPSTREAM_ERROR:
    case ErrorCode.BAD_UPSTREAM_RESPONSE:
      return "Customers are not available right now.";
    case ErrorCode.RATE_LIMITED:
      return `Too many requests: the list is as it was, and is asked for again in ${error.extensions.retryAfter} s.`;
    default:
      return "The list could not be loaded.";
  }
}
