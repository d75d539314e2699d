/**
 * A field is renamed in the order of docs/guides/operating.md: `old` has the old name, `both` has both, `last` the new one. Each client
 * asks for a name by a text and by a saved operation.
 */
import { mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { type Chain, ports, rolePorts } from "../../../deploy/local/chain.ts";
import type { Project } from "../../support/project.ts";
import { copyProject } from "../copy-project.ts";

export type Release = {
  readonly specHash: string;
  /** From now on, roles start with this release. */
  readonly take: () => void;
};

/** What a version of the clients asks for. */
export type Asked = readonly [text: { readonly query: string }, saved: { readonly documentId: string }];

export type Releases = {
  /** The program of the release that was taken last; before that, of the old one. */
  readonly main: string;
  readonly old: Release;
  readonly both: Release;
  readonly last: Release;
  readonly clients: Readonly<Record<"old" | "new", Asked>>;
  readonly remove: () => void;
};

const tags = '  "Labels."\n  tags: [String!]!\n';
const labels = '  "Labels."\n  labels: [String!]! @restName(name: "tags")\n';
const askTags = "query ContactTags { contacts { id tags } }\n";
const askLabels = "query ContactLabels { contacts { id labels } }\n";

async function makeRelease(fields: string, asked: string): Promise<Project> {
  const copy = copyProject();
  copy.edit("spec/schema.graphql", (text) => text.replace(tags, fields));
  copy.edit("spec/operations/overview.graphql", (text) => text + asked);
  if (!fields.includes("tags:"))
    copy.edit("spec/operations/customer.graphql", (text) => text.replace(/^ *tags\n/m, ""));
  await copy.codegen();
  return copy;
}

export async function makeReleases(): Promise<Releases> {
  const old = await makeRelease(tags, askTags);
  const both = await makeRelease(tags + labels, askTags + askLabels);
  const last = await makeRelease(labels, askLabels);
  const folder = mkdtempSync(join(tmpdir(), "releases-"));
  const current = join(folder, "current");
  const releaseOf = (copy: Project): Release => ({
    specHash: /specHash = "(\w+)"/.exec(copy.read("generated/spec.ts"))?.[1] ?? "",
    take: () => {
      symlinkSync(copy.root, `${current}.new`);
      renameSync(`${current}.new`, current);
    },
  });
  const askedOf = (copy: Project, name: string, query: string): Asked => {
    const saved = JSON.parse(copy.read("generated/operations-manifest.json")).operations;
    const { id } = saved.find((operation: { name: string }) => operation.name === name);
    return [{ query }, { documentId: id }];
  };
  const releases = { old: releaseOf(old), both: releaseOf(both), last: releaseOf(last) };
  releases.old.take();
  return {
    main: join(current, "src/main.ts"),
    ...releases,
    clients: {
      old: askedOf(old, "ContactTags", "{ contacts { id tags } }"),
      new: askedOf(last, "ContactLabels", "{ contacts { id labels } }"),
    },
    remove: () => {
      for (const { remove } of [old, both, last]) remove();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Whether each role, by `/healthz`, has this spec: then clients that need it may come. */
export async function isEverywhere({ specHash }: Release): Promise<boolean> {
  const specs = await Promise.all(
    Object.values(rolePorts).map(async (port) => {
      const { spec } = (await (await fetch(`http://127.0.0.1:${port}/healthz`)).json()) as { spec: string };
      return spec;
    }),
  );
  return specs.every((spec) => spec === specHash);
}

/** Waits until HAProxy sends requests to both servers of each role: on a busy machine its checks see a new process late. */
export async function balancerHasAll(): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 100) {
    const metrics = await (await fetch(`http://127.0.0.1:${ports.haproxyMetrics}/metrics`)).text();
    const active = metrics.match(/^haproxy_backend_active_servers\{proxy="(?:gateways|graphql)"\} 2$/gm);
    if (active?.length === 2) return;
    await sleep(100);
  }
  throw new Error("HAProxy does not have both servers of each role after a minute");
}

/** Sends requests one after another. Returns the status and code of each that fails. */
export async function failuresOf(
  { url, certificate }: Chain,
  bodies: readonly object[],
  headers: Record<string, string>,
): Promise<string[]> {
  const agent = new Agent({ connect: { ca: certificate } });
  const failures: string[] = [];
  for (const given of bodies) {
    const { statusCode, body } = await agent.request({
      ...{ origin: url.origin, path: "/v1/graphql", method: "POST", headers, body: JSON.stringify(given) },
    });
    const text = await body.text();
    if (statusCode !== 200 || text.includes('"errors"'))
      failures.push(`${statusCode} ${/"code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, 200)}`);
  }
  await agent.destroy();
  return failures;
}
