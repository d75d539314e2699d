/** A process serves the spec that it was generated from, and tells which one that is. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { specHash } from "../../../generated/spec.ts";
import { hashSpec } from "../../../src/engine/shared/spec-hash.ts";
import { copyProject } from "../copy-project.ts";
import { get, run, runReady } from "./program.ts";

test("a start refuses generated/ of another spec, and takes an installation without spec/", async () => {
  const copy = copyProject();
  onTestFinished(copy.remove);
  const rest = { REST_BASE_URL: "http://127.0.0.1:1" };
  copy.edit("spec/rest-only.yaml", (text) => `${text}\n# nothing is generated from it`);
  copy.edit("spec/schema.graphql", (text) => text.replaceAll("\n", "\r\n"));
  await runReady(["graphql"], rest, [], copy.main, copy.root);
  copy.edit("spec/schema.graphql", (text) => `${text}\n# edited`);
  const refused = run(["graphql"], rest, [], copy.main, copy.root);
  expect(await refused.ended).toBe(2);
  expect(refused.output()).toBe(
    "messaging-graphql: generated/ was made from another spec/ than this one; run npm run codegen\n",
  );
  rmSync(join(copy.root, "spec"), { recursive: true });
  await runReady(["graphql"], rest, [], copy.main, copy.root);
});

test("/healthz and /metrics show the build and the spec", async () => {
  const program = await runReady([], { BUILD: "abc123", METRICS_PORT: "0" });
  expect(await (await get(program.url, "/healthz")).json()).toEqual({
    status: "ok",
    role: "gateway",
    build: "abc123",
    spec: specHash,
  });
  const metrics = await (await fetch(/metrics: (\S+)/.exec(program.output())?.[1] ?? "")).text();
  expect(metrics).toContain(`build_info{build="abc123",spec="${specHash}"} 1`);
});

test("the hash is of every file that something is generated from", () => {
  const read = (name: string): string => readFileSync(join("spec", name), "utf8");
  const names = ["schema.graphql", "openapi.yaml", "operations/customer.graphql"];
  const hash = hashSpec(names, read);
  expect(hashSpec([...names].reverse(), read)).toBe(hash);
  for (const edited of names)
    expect(hashSpec(names, (name) => read(name) + (name === edited ? "#" : ""))).not.toBe(hash);
  expect(hashSpec(names.slice(1), read)).not.toBe(hash);
});

test("the hash of a file's bytes is that of its text, also if it is no UTF-8 or its lines end otherwise", () => {
  for (const bytes of [
    Buffer.from("a: é\n"),
    Buffer.from([0x61, 0xff, 0x0a]),
    Buffer.from("a: 1\r\nb: 2\r\n"),
  ])
    expect(hashSpec(["a.yaml"], () => bytes)).toBe(hashSpec(["a.yaml"], () => String(bytes)));
  expect(hashSpec(["a.yaml"], () => Buffer.from("a\r\n"))).toBe(hashSpec(["a.yaml"], () => "a\n"));
});
