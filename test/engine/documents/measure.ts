/** Measures one document in a process of its own, so that its time and memory are its own. Prints one line of JSON. */
import { generatedFiles, typeErrors } from "../build/codegen/type-check.ts";
import { specFiles } from "./fetch.ts";
import type { Source } from "./list.ts";
import { hasQuery, type Proposals, proposalsOf } from "./proposals.ts";
import { type Served, serve } from "./served.ts";

export type Measured = Omit<Proposals, "groups"> & {
  /** Operations in groups without a type error, and the first errors. */
  readonly typeChecked: number;
  readonly typeErrors: readonly string[];
  /** Processor time of the proposals and of codegen, and the process's greatest memory. */
  readonly seconds: number;
  readonly mebibytes: number;
  readonly asked: number;
  readonly served: Served;
};

export async function measure(source: Source, most: number): Promise<Measured> {
  const read = specFiles(source);
  const { groups: all, ...proposals } = proposalsOf(read, most);
  const groups = all.filter(({ schema }) => hasQuery(schema)); // none, if the document has no read that binds
  const errors: string[] = [];
  let typeChecked = 0;
  for (const { schema, operations } of groups) {
    const found = await generatedFiles(schema, { read, list: () => [] }).then(typeErrors, (error: Error) => [
      error.message,
    ]);
    if (found.length === 0) typeChecked += operations.length;
    errors.push(...found.slice(0, 3));
  }
  const { user, system } = process.cpuUsage();
  const mebibytes = Math.round(process.resourceUsage().maxRSS / 1024);
  const seconds = (user + system) / 1e6;
  const served = await serve(read, groups);
  const asked = groups.reduce((sum, { operations }) => sum + operations.length, 0);
  return { ...proposals, typeChecked, typeErrors: errors, seconds, mebibytes, asked, served };
}

if (import.meta.main) {
  const [source = "", most = ""] = process.argv.slice(2);
  console.log(JSON.stringify(await measure(JSON.parse(source), Number(most))));
}
