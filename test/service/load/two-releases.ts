/** Two releases of the service, of which the newer one has a field and a saved operation more, and clients that ask for them. */
import { mkdtempSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "undici";
import { type Chain, rolePorts } from "../../../deploy/local/chain.ts";
import type { Project } from "../../support/project.ts";
import { copyProject } from "../copy-project.ts";

export type Release = {
  readonly specHash: string;
  /** From now on, roles start with this release. */
  readonly take: () => void;
};

/** What clients of the new release ask for. */
export type News = { readonly field: object; readonly saved: { readonly documentId: string } };

export type Releases = {
  /** The program of the release that was taken last; before that, of the old one. */
  readonly main: string;
  readonly old: Release;
  readonly next: Release;
  readonly news: News;
  readonly remove: () => void;
};

export async function makeReleases(): Promise<Releases> {
  const [old, next] = [copyProject(), copyProject()];
  next.edit("spec/schema.graphql", (text) =>
    text.replace("type Contact {\n", '$&  "Company."\n  firm: String @restName(name: "company")\n'),
  );
  next.edit(
    "spec/operations/overview.graphql",
    (text) => `${text}\nquery Firms { contacts { id company } }\n`,
  );
  await next.codegen();
  const folder = mkdtempSync(join(tmpdir(), "releases-"));
  const current = join(folder, "current");
  const releaseOf = (copy: Project): Release => ({
    specHash: /specHash = "(\w+)"/.exec(copy.read("generated/spec.ts"))?.[1] ?? "",
    take: () => {
      symlinkSync(copy.root, `${current}.new`);
      renameSync(`${current}.new`, current);
    },
  });
  const releases = { old: releaseOf(old), next: releaseOf(next) };
  releases.old.take();
  const { operations } = JSON.parse(next.read("generated/operations-manifest.json"));
  const { id } = operations.find(({ name }: { name: string }) => name === "Firms");
  return {
    ...{ main: join(current, "src/main.ts"), ...releases },
    news: { field: { query: "{ contacts { id firm } }" }, saved: { documentId: id } },
    remove: () => {
      for (const { remove } of [old, next]) remove();
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
