/**
 * `restbound propose`: prints the SDL for REST operations without a field, to be pasted into the schema. Reuses the schema's
 * types where they fit. The pasted SDL passes `check`.
 */
import { UsageError } from "../../shared/cli/command-failure.ts";
import { printable } from "../../shared/cli/printable.ts";
import { suggestOperations } from "../bind/find-operation.ts";
import { boundFields, type Model } from "../bind/model.ts";
import {
  hasNoContent,
  isSafe,
  isSendable,
  type Parameter,
  type RestOperation,
  sentMethod,
  showableResponses,
  unshowableReason,
} from "../openapi/operation.ts";
import { combineNullable } from "../openapi/shapes/variants.ts";
import { type RestDirective, restText } from "../schema/directives.ts";
import { fieldName, typeName } from "../schema/graphql-names.ts";
import { envelopeOf, statusesComment } from "./envelopes.ts";
import { InputTypes } from "./input-types.ts";
import { type Link, Links } from "./links.ts";
import { entriesDirective, OutputTypes } from "./output-types.ts";
import { type FoundPage, originComment, searchPage } from "./pages.ts";
import {
  deprecatedDirective,
  descriptionLines,
  freeName,
  nameFrom,
  uniqueNames,
  wholeNameFrom,
} from "./proposed-names.ts";
import { type Sendable, withoutUnsendable } from "./sendable.ts";
import { TypeDefinitions } from "./type-definitions.ts";

/** The type of a proposed field, the place of its value in the response, and another directive. */
type Proposed = Partial<Pick<RestDirective, "result" | "connection">> & {
  readonly type: string;
  readonly directive?: string;
};

/** Collects proposed fields for REST operations and prints them as SDL. The fields share type definitions. */
export class Proposal {
  readonly #model: Model;
  readonly #reads: ReadonlySet<string>;
  readonly #roots: { readonly query: string; readonly mutation: string };
  readonly #definitions: TypeDefinitions;
  readonly #links: Links;
  /** The SDL lines of each proposed field, by type and field name. */
  readonly #fields = new Map<string, Map<string, string[]>>();

  /** The names of existing fields, by type. */
  readonly #known = new Map<string, Set<string>>();

  /** `reads` contains the ids of operations that only read, although their method is not safe. */
  constructor(model: Model, reads: ReadonlySet<string> = new Set()) {
    this.#model = model;
    this.#reads = reads;
    this.#roots = {
      query: model.schema.getQueryType()?.name ?? "Query",
      mutation: model.schema.getMutationType()?.name ?? "Mutation",
    };
    for (const root of Object.values(this.#roots)) this.#fields.set(root, new Map());
    this.#links = new Links(model);
    for (const { type, definition } of model.fields.values())
      this.#known.set(type, (this.#known.get(type) ?? new Set()).add(definition.name));
    this.#definitions = new TypeDefinitions(model);
  }

  /**
   * Adds a field for the operation. Returns `false` if the type already has a field for the operation. Throws `UsageError` if the
   * operation is unknown, or if its method, request or response cannot be bound.
   */
  add(name: string): boolean {
    const operation = this.#model.operations.named(name);
    if (!operation) {
      const near = suggestOperations(name, this.#model.operations);
      throw new UsageError([`propose ${name}: there is no such REST operation${near}`]);
    }
    const refusal = unproposableReason(operation);
    if (refusal !== undefined) throw new UsageError([`propose ${name}: ${refusal}`]);
    const link = this.#links.of(operation);
    const isRead = isSafe(operation.method) || this.#reads.has(operation.id);
    const owner = link?.type ?? (isRead ? this.#roots.query : this.#roots.mutation);
    if (boundFields(this.#model).some((field) => field.type === owner && field.operation === operation))
      return false;
    this.#add(withoutUnsendable(operation), owner, link);
    return true;
  }

  #add({ operation, omitted }: Sendable, owner: string, link: Link | undefined): void {
    this.#definitions.beginOperation(operation);
    const fields = this.#fields.get(owner) ?? new Map<string, string[]>();
    this.#fields.set(owner, fields);
    const { page, obstacle } = searchPage(operation);
    const {
      type,
      directive = "",
      ...place
    } = page ? this.#connection(operation, page) : this.#value(operation);
    const body = operation.body && "args.input";
    const rest = restText({ operation: operation.id, params: link?.params, body, ...place });
    const field = this.#fieldName(owner, link ? link.name : nameFrom(operation), wholeNameFrom(operation));
    const fed = new Set(link?.params.map(({ name }) => name));
    fields.set(field, [
      ...omitted.map((each) => `  # Without ${each}, which cannot be sent.`),
      ...statusesComment(operation, type),
      ...(obstacle === undefined
        ? []
        : [`  # No connection reads the pages of REST: ${printable(obstacle)}.`]),
      ...(page ? originComment(page, this.#model.operations.values()) : []),
      ...descriptionLines(operation.summary, "  "),
      `  ${field}${argumentList(this.#definitions, operation, page, fed)}: ${type}`,
      `    ${rest}${directive}${deprecatedDirective(operation.node)}`,
    ]);
  }

  #connection(operation: RestOperation, page: FoundPage): Proposed {
    const type = new OutputTypes(this.#definitions).connection(page, typeName(nameFrom(operation)));
    return { type, connection: { ...page.paths, pages: page.pages } };
  }

  #value(operation: RestOperation): Proposed {
    const answer = combineNullable(showableResponses(operation).map(({ shape }) => shape));
    const inside = answer && envelopeOf(answer, operation);
    const shown = inside?.shape ?? answer;
    // the field of a response without content is always null, so any nullable type fits
    const type = shown
      ? new OutputTypes(this.#definitions).output(shown, typeName(nameFrom(operation)))
      : "Boolean";
    return {
      type,
      result: inside?.name,
      ...(shown && { directive: entriesDirective(shown) }),
    };
  }

  /** `keyword` is `extend type` if the root types already exist. */
  sdl(keyword: "type" | "extend type"): string {
    const types = [...this.#fields].flatMap(([type, fields]) =>
      fields.size > 0 ? [[`${keyword} ${type} {`, ...[...fields.values()].flat(), "}"].join("\n")] : [],
    );
    return [...types, ...this.#definitions.sdl].join("\n\n");
  }

  /** Shortens `listThings` and `findAllThings` to `things`, unless this name is taken. */
  #fieldName(owner: string, wanted: string, id: string): string {
    const proposed = this.#fields.get(owner);
    const known = this.#known.get(owner);
    const taken = { has: (name: string) => proposed?.has(name) || known?.has(name) || false };
    const short = fieldName(wanted.replace(leadingVerb, ""));
    return taken.has(short) || !/\w/.test(short) ? freeName(fieldName(id), taken) : short;
  }
}

/** A verb that the type Query implies. `findAll` and `getByName` keep the verb, because the rest names no resource. */
const leadingVerb =
  /^(?:[Ll]ist|[Gg]et|[Ff]etch|[Rr]ead|[Ff]ind)(?:_?[Aa]ll)?(?=[A-Z_-])(?![_-]?(?:[Aa]ll|[Oo]ne|[Mm]any|[Bb]y)(?![a-z]))/;

export function unproposableReason(operation: RestOperation): string | undefined {
  if (!isSendable(operation.method)) return `no field can send ${sentMethod(operation.method)}`;
  const [unfed] = operation.unfeedable;
  if (unfed) return `it requires ${unfed.name}, which no field can send`;
  const answers = operation.successes.some(({ shape }) => shape) || hasNoContent(operation);
  return answers ? undefined : `it ${unshowableReason(operation)}, so no field can show it`;
}

function argumentList(
  definitions: TypeDefinitions,
  operation: RestOperation,
  page: FoundPage | undefined,
  fed: ReadonlySet<string>,
): string {
  const types = new InputTypes(definitions, operation);
  const { body } = operation;
  const inPath = new Set(operation.parameters.flatMap((each) => (each.in === "path" ? [each.name] : [])));
  const isSupplied = ({ name, in: place }: Parameter): boolean =>
    fed.has(name) && (place === "path" || !inPath.has(name));
  const parameters = operation.parameters.filter((each) => !isSupplied(each));
  const own = new Map<Parameter | undefined, string>([
    [page?.after, "after"],
    [page?.first, "first"],
  ]);
  const others = parameters.filter((parameter) => !own.has(parameter));
  const names = uniqueNames(
    others.map(({ name }) => name),
    fieldName,
    [...(body ? ["input"] : []), ...(page ? own.values() : [])],
  );
  for (const [index, parameter] of others.entries()) own.set(parameter, names[index] ?? parameter.name);
  const lines = [
    ...parameters.flatMap((parameter) =>
      types.argument(own.get(parameter) ?? parameter.name, parameter, page),
    ),
    ...(body ? [types.bodyArgument(body)] : []),
  ];
  return lines.length === 0 ? "" : `(\n${lines.map((line) => line && `    ${line}`).join("\n")}\n  )`;
}
