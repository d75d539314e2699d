/** What `npm run propose` makes of a document's operations: each alone, and as many together as a group takes. */
import { bindSdl } from "../../../src/engine/build/bind/bind.ts";
import type { Model, RestApi } from "../../../src/engine/build/bind/model.ts";
import type { Diagnostic } from "../../../src/engine/build/diagnostic.ts";
import type { ReadFile } from "../../../src/engine/build/openapi/document.ts";
import { readRestApi } from "../../../src/engine/build/project/project.ts";
import { Proposal } from "../../../src/engine/build/propose/propose.ts";

export type Failure = { readonly operation: string; readonly reason: string };

export type Group = {
  /** The schema of the proposals that bind together. */
  readonly schema: string;
  readonly operations: readonly string[];
};

export type Proposals = {
  readonly operations: number;
  readonly proposed: number;
  readonly alone: number;
  readonly together: number;
  readonly failures: readonly Failure[];
  readonly groups: readonly Group[];
};

/** A root needs a field before the first proposal has one. Its own finding does not count. */
const start = "type Query { _: Int }\ntype Mutation { _: Int }\n";
export function proposalsOf(read: ReadFile, most: number, groupSize = 30): Proposals {
  const file = readRestApi({ read, list: () => [] });
  const all = [...file.operations.keys()];
  // spread over the whole document, so that no part of it is left out
  const step = Math.max(1, all.length / most);
  const chosen = all.filter((_, index) => Math.floor(index % step) === 0).slice(0, most);
  const failures: Failure[] = [];
  const counts = { operations: 0, proposed: 0, alone: 0, together: 0 };
  const groups: Group[] = [];
  const reads = all.filter((id) => file.operations.get(id)?.method === "get" && !chosen.includes(id));
  const groupCount = Math.ceil(chosen.length / groupSize);
  for (let group = 0; group < groupCount; group++) {
    let schema = start;
    const bound: string[] = [];
    const sample = chosen.filter((_, index) => index % groupCount === group);
    // a schema needs a query: a sample of mutations alone goes on with the other reads, until one is bound
    const next = () => sample.shift() ?? (hasQuery(withoutStart(schema)) ? undefined : reads.shift());
    for (let operation = next(); operation !== undefined; operation = next()) {
      counts.operations++;
      const stage = take(file, schema, operation, failures);
      if (stage.proposed) counts.proposed++;
      if (stage.alone) counts.alone++;
      if (stage.schema === undefined) continue;
      counts.together++;
      schema = stage.schema;
      bound.push(operation);
    }
    groups.push({ schema: withoutStart(schema), operations: bound });
  }
  return { ...counts, failures, groups };
}

export const hasQuery = (schema: string): boolean => /^type Query /m.test(schema);

/** What `npm run propose` prints for one operation. */
function propose(model: Model, operation: string): string {
  const proposal = new Proposal(model);
  proposal.add(operation);
  return proposal.sdl("extend type");
}

type Stage = { proposed?: true; alone?: true; schema?: string };

function take(file: RestApi, schema: string, operation: string, failures: Failure[]): Stage {
  const fail = (reason: string): void => void failures.push({ operation, reason });
  const stage: Stage = {};
  try {
    const own = propose(modelOf(file, start), operation);
    stage.proposed = true;
    const wrong = errorsOf(file, start + own);
    if (wrong.length > 0) fail(`alone: ${reasonOf(wrong)}`);
    else stage.alone = true;
    const joined = `${schema}${propose(modelOf(file, schema), operation)}\n`;
    const wrongTogether = errorsOf(file, joined);
    if (wrongTogether.length === 0) stage.schema = joined;
    else if (stage.alone) fail(`together: ${reasonOf(wrongTogether)}`);
  } catch (error) {
    fail((error as Error).message.replace(/^propose \S+( \S+)?: /, ""));
  }
  return stage;
}

const reasonOf = ([first]: readonly Diagnostic[]): string => `${first?.rule}: ${first?.message}`;

function modelOf(file: RestApi, sdl: string): Model {
  const { model, diagnostics } = bindSdl(file, sdl);
  if (!model) throw new Error(reasonOf(diagnostics));
  return model;
}

const errorsOf = (file: RestApi, sdl: string): readonly Diagnostic[] =>
  bindSdl(file, sdl).diagnostics.filter(
    ({ severity, coordinate }) => severity === "error" && !/^(Query|Mutation)\._$/.test(coordinate),
  );

/** The first extension of each root becomes its definition. */
const withoutStart = (schema: string): string =>
  ["Query", "Mutation"].reduce(
    (text, root) =>
      text.replace(`type ${root} { _: Int }\n`, "").replace(`extend type ${root} {`, `type ${root} {`),
    schema,
  );
