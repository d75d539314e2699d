/**
 * An operation with `@defer` has the same response in parts from a plan as from graphql-js 17, in both formats. The order of
 * parts depends on the time of calls, so the merged data and the outcome of each fragment are compared.
 */
import { isDeepStrictEqual } from "node:util";
import {
  type ASTNode,
  buildASTSchema,
  type DirectiveNode,
  type DocumentNode,
  GraphQLSchema,
  getOperationAST,
  isAbstractType,
  isLeafType,
  isObjectType,
  Kind,
  parse,
  print,
  printSchema,
  validate,
  visit,
} from "graphql";
import {
  buildSchema as buildSchema17,
  experimentalExecuteIncrementally,
  legacyExecuteIncrementally,
  parse as parse17,
} from "graphql17";
import { expect, test } from "vitest";
import { PlanCache } from "../../../../../../src/engine/runtime/graphql/plan/plan-cache.ts";
import { runPlan } from "../../../../../../src/engine/runtime/graphql/plan/run-plan.ts";
import { responseInParts } from "../../../../../../src/engine/runtime/graphql/response-in-parts.ts";
import { coerceVariables } from "../../../../../../src/engine/runtime/graphql/variables/coerce-variables.ts";
import type { PartFormat } from "../../../../../../src/engine/runtime/http/graphql-media-type.ts";
import { LogLines } from "../../../../../../src/engine/runtime/observe/log-lines.ts";
import { deferRules, withDefer } from "../../../../../../src/engine/shared/defer.ts";
import { own } from "../../../../../../src/engine/shared/own.ts";
import { Random } from "../../../../../support/random.ts";
import { seed } from "../../../../../support/seed.ts";
import { FakeRest } from "./answers.ts";
import { Cases } from "./cases.ts";
import type { Case } from "./compare.ts";

const { DIFFERENTIAL_CASES: wanted, DIFFERENTIAL_CASE: only } = process.env;
/** Cases with a response in parts. Each takes ten times as long as one without @defer, and about two cases make one of them. */
const wantedInParts = Math.ceil(Number(wanted ?? 1_000) / 20);
const unlimited = { MAX_ANSWER_BYTES: Number.MAX_SAFE_INTEGER, MAX_BODY_BYTES: Number.MAX_SAFE_INTEGER };
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

// biome-ignore lint/suspicious/noExplicitAny: two versions of graphql-js have other types for the same things
type Any = any;
type Fragment = { readonly at: string; readonly outcome: string };
type Outcome = { readonly data: Any; readonly fragments: readonly Fragment[]; readonly parts: number };

for (const format of ["v0.2", "20220824"] as const)
  test(`random cases of seed ${seed} in format ${format}: a plan and graphql-js 17 have the same parts`, {
    timeout: 300_000,
  }, async () => {
    Error.stackTraceLimit = 0;
    const cases = new Cases(seed);
    const counts = { compared: 0, inParts: 0, failedFragments: 0 };
    const [from, to] = only ? [Number(only), Number(only) + 1] : [0, 20 * wantedInParts];
    for (let index = from; index < to && counts.inParts < wantedInParts; index++) {
      const one = cases.get(index);
      const document = deferred(new Random(seed, index, "defer"), one);
      const ours = document && (await planned(one, document, format));
      if (!ours || !document) continue;
      const theirs = await reference(one, document, format);
      counts.compared++;
      if (ours.parts > 0) counts.inParts++;
      counts.failedFragments += ours.fragments.filter(({ outcome }) => outcome === "failed").length;
      if (!isDeepStrictEqual([ours.data, ours.fragments], [theirs.data, theirs.fragments]))
        expect.fail(
          `case ${index} of seed ${seed}\n${print(document)}\nours ${JSON.stringify(ours)}\ntheirs ${JSON.stringify(theirs)}`,
        );
    }
    console.log(`deferred ${format}: seed ${seed}, ${JSON.stringify(counts)}`);
    if (only) return;
    expect(counts.inParts).toBe(wantedInParts);
    expect(counts.failedFragments).toBeGreaterThan(0);
  });

/** The operation with `@defer` on some of its fragments, and with some fields in new deferred fragments. */
function deferred(random: Random, { document, given }: Case): DocumentNode | undefined {
  let labels = 0;
  const directive = (): DirectiveNode => {
    const text = random.chance(0.3) ? "@defer" : `@defer(label: "l${labels++}")`;
    const [definition] = parse(`{ ... ${text} { a } }`, { noLocation: true }).definitions as Any[];
    return definition.selectionSet.selections[0].directives[0];
  };
  const withDirective = <Node extends ASTNode & { readonly directives?: readonly DirectiveNode[] }>(
    node: Node,
  ) => (random.chance(0.6) ? { ...node, directives: [...(node.directives ?? []), directive()] } : undefined);
  const edited = visit(document, {
    InlineFragment: { leave: withDirective },
    FragmentSpread: { leave: withDirective },
    SelectionSet: {
      leave: (node) => {
        if (!random.chance(0.3)) return undefined;
        const kept = [] as Any[];
        const moved = [] as Any[];
        for (const selection of node.selections) {
          if (random.chance(0.6)) kept.push(selection);
          if (kept.at(-1) !== selection || random.chance(0.3)) moved.push(selection);
        }
        if (moved.length === 0) return undefined;
        const selectionSet = { kind: Kind.SELECTION_SET, selections: moved };
        return {
          ...node,
          selections: [...kept, { kind: Kind.INLINE_FRAGMENT, directives: [directive()], selectionSet }],
        };
      },
    },
  });
  return relabelled(edited, given.schema);
}

/** Copies have the label of their original, so labels are numbered anew. */
function relabelled(document: DocumentNode, schema: GraphQLSchema): DocumentNode | undefined {
  let labels = 0;
  const unique = visit(document, {
    Argument: (node) =>
      node.name.value === "label" && node.value.kind === Kind.STRING && /^l\d+$/.test(node.value.value)
        ? { ...node, value: { ...node.value, value: `l${labels++}` } }
        : undefined,
  });
  const parsed = parse(print(unique));
  return validate(schema, parsed, deferRules).length > 0 ? undefined : parsed;
}

const schemas = new WeakMap<GraphQLSchema, { plans: PlanCache; of17: Any }>();

function bothOf({ given }: Case) {
  const known = schemas.get(given.schema);
  if (known) return known;
  const config = given.schema.toConfig();
  const defer = buildASTSchema(withDefer(parse("type Query { a: Int }"))).getDirective("defer");
  const deferring = new GraphQLSchema({ ...config, directives: [...config.directives, defer as Any] });
  const both = { plans: new PlanCache(deferring, 50_000), of17: schemaOf17(given.reference) };
  schemas.set(given.schema, both);
  return both;
}

function schemaOf17(reference: GraphQLSchema): Any {
  const schema: Any = buildSchema17(printSchema(reference));
  for (const type of Object.values(reference.getTypeMap())) {
    if (type.name.startsWith("__")) continue;
    const target = schema.getType(type.name);
    if (!target) continue;
    if (isObjectType(type)) {
      target.isTypeOf = type.isTypeOf;
      for (const field of Object.values(type.getFields()))
        target.getFields()[field.name].resolve = field.resolve;
    } else if (isAbstractType(type)) target.resolveType = type.resolveType;
    else if (isLeafType(type)) {
      target.coerceOutputValue = (value: unknown) => type.serialize(value);
      target.coerceInputValue = (value: unknown) => type.parseValue(value);
      target.coerceInputLiteral = (node: Any) => type.parseLiteral(node, {});
    }
  }
  return schema;
}

const restOf = ({ given, faults, seed }: Case): FakeRest => new FakeRest(given, faults, seed);

async function planned(one: Case, document: DocumentNode, format: PartFormat): Promise<Outcome | undefined> {
  const operation = getOperationAST(document, one.operationName);
  const variables = coerceVariables(
    one.given.schema,
    operation?.variableDefinitions ?? [],
    one.variables,
    false,
  );
  if (!operation || !("coerced" in variables)) return undefined;
  const plan = bothOf(one).plans.get({ document, operation, format }, variables.coerced, (compile) =>
    compile(),
  );
  const context = { rest: restOf(one) as never };
  const { pieces } = one;
  const result = await runPlan(plan, { variables: variables.coerced, context, limits: unlimited, pieces });
  if (!result.later || !result.data) return outcomeOf(result, [], format);
  const log = new LogLines(quiet as never, "off");
  const { body } = responseInParts(
    { requestId: "r", log, partFormat: format } as never,
    result.data,
    result.errors,
    result.later,
  );
  if (body.kind !== "incremental") throw new Error("not in parts");
  return outcomeOf(body.initialResult, await allOf(body.subsequentResults as Any), format);
}

async function reference(one: Case, document: DocumentNode, format: PartFormat): Promise<Outcome> {
  const execute: Any = format === "v0.2" ? experimentalExecuteIncrementally : legacyExecuteIncrementally;
  const executed = await execute({
    schema: bothOf(one).of17,
    document: parse17(print(document)),
    operationName: one.operationName,
    variableValues: one.variables,
    contextValue: { rest: restOf(one) },
  });
  if (!("initialResult" in executed)) return outcomeOf(executed, [], format);
  return outcomeOf(executed.initialResult, await allOf(executed.subsequentResults), format);
}

async function allOf(parts: AsyncIterable<Any>): Promise<Any[]> {
  const all: Any[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

/** Merges the parts as a client does. */
function outcomeOf(first: Any, later: readonly Any[], format: PartFormat): Outcome {
  const data = structuredClone(JSON.parse(JSON.stringify(first.data ?? null)));
  const fragments: Fragment[] = [];
  const pending = new Map<string, Any>();
  const name = ({ path, label }: Any): string => JSON.stringify([path, label ?? null]);
  for (const one of first.pending ?? []) pending.set(one.id, one);
  for (const result of later) {
    for (const one of result.pending ?? []) pending.set(one.id, one);
    for (const { id, path, subPath, data: part, label } of result.incremental ?? []) {
      if (format === "20220824")
        fragments.push({
          at: name({ path, label }),
          outcome: part === null ? "failed" : JSON.stringify(part),
        });
      else merge(at(data, [...pending.get(id).path, ...(subPath ?? [])]), JSON.parse(JSON.stringify(part)));
    }
    // whether a fragment whose data came with another is announced depends on the time of its calls
    for (const { id, errors } of result.completed ?? [])
      if (errors) fragments.push({ at: name(pending.get(id)), outcome: "failed" });
  }
  const last = later.at(-1);
  if (last) expect(last.hasNext).toBe(false);
  const sorted = fragments.sort((a, b) => (a.at + a.outcome < b.at + b.outcome ? -1 : 1));
  return { data, fragments: sorted, parts: later.length };
}

const at = (data: Any, path: readonly (string | number)[]): Any =>
  path.reduce((value, key) => own(value, key), data);

/** `__proto__` is a key like any other. */
function merge(into: Any, from: Any): void {
  for (const [key, value] of Object.entries(from)) {
    const known = own(into, key);
    if (typeof value === "object" && value !== null && typeof known === "object" && known !== null)
      merge(known, value);
    else Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
  }
}
