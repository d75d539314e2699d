/** Relay's runtime, unmodified, reads `@defer` through the network layer of examples/clients. */
import { join } from "node:path";
import {
  createOperationDescriptor,
  Environment,
  getSingularSelector,
  RecordSource,
  Store,
} from "relay-runtime";
import { expect, onTestFinished, test } from "vitest";
import { openLayer } from "../e2e/layer.ts";
import { openWithSlowAgents } from "../slow-product.ts";
import { makeRelayProject } from "./relay/project.ts";

async function execute(api: string) {
  const src = await makeRelayProject(api);
  const load = (path: string) => import(join(src, path));
  const { network } = await load("network.js");
  const [query, agentsFragment, rowFragment] = await Promise.all(
    ["PageQuery", "Page_agents", "Page_row"].map(
      async (name) => (await load(`__generated__/${name}.graphql.js`)).default,
    ),
  );
  const environment = new Environment({ network, store: new Store(new RecordSource()) });
  const operation = createOperationDescriptor(query, {});
  const end = Promise.withResolvers<void>();
  let parts = 0;
  const { unsubscribe } = environment.execute({ operation }).subscribe({
    next: (part) => (parts += [part].flat().length),
    complete: end.resolve,
    error: end.reject,
  });
  onTestFinished(unsubscribe);
  // biome-ignore lint/suspicious/noExplicitAny: the store's records have many shapes
  const read = (fragment: any, reference: any): any => {
    const selector = getSingularSelector(fragment, reference);
    if (!selector) return undefined;
    const { data, isMissingData } = environment.lookup(selector);
    return isMissingData ? undefined : data;
  };
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const page = (): any => environment.lookup(operation.fragment).data;
  const agents = () => read(agentsFragment, page());
  const assignees = () => page().conversations.map((row: unknown) => read(rowFragment, row)?.assignee);
  return { page, agents, assignees, parts: () => parts, ended: end.promise };
}

test("deferred fragments come in later parts, at the root and in the rows of a list", async () => {
  const { layer, open } = await openWithSlowAgents();
  const { page, agents, assignees, parts, ended } = await execute(layer.url.origin);
  await expect.poll(page).toMatchObject({ me: { email: "olivia@harbor.example" } });
  expect(page().conversations).toHaveLength(50);
  expect(agents()).toBeUndefined();
  expect(new Set(assignees())).toEqual(new Set([undefined]));
  expect(parts()).toBe(1);
  open();
  await ended;
  expect(agents().agents.length).toBeGreaterThan(5);
  expect(agents().me).toMatchObject({ email: "olivia@harbor.example", tenantId: "ten_harbor" });
  expect(assignees()).not.toContain(undefined);
  expect(assignees().filter(Boolean).length).toBeGreaterThan(5);
  expect(parts()).toBe(52);
});

test("a deferred field that fails is null in its part, and the others have their data", async () => {
  const { url } = await openLayer([], { REST_BASE_URL_AI: "http://127.0.0.1:1" });
  const { page, agents, ended } = await execute(url.origin);
  await ended;
  expect(page().me).toMatchObject({ email: "olivia@harbor.example" });
  expect(agents()).toMatchObject({ agents: null, me: { tenantId: "ten_harbor" } });
});
