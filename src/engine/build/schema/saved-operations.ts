/**
 * Reads and validates saved operations, which are the GraphQL documents of clients in `spec/operations/` and in the manifests of
 * apps.
 */
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  Source,
  separateOperations,
  specifiedRules,
  validate,
} from "graphql";
import { deferRules } from "../../shared/defer.ts";
import type { Manifest } from "../../shared/manifests/manifests.ts";
import { missingRootTypes } from "../../shared/missing-roots.ts";
import { withoutDescriptions } from "../../shared/operation-descriptions.ts";
import { createDiagnostic, type Diagnostic, type FileLocation } from "../diagnostic.ts";
import { nodeLocation } from "./directives.ts";
import { toolError } from "./tool-comment.ts";

export type SavedOperation = {
  /** For example, `Start`, or `web/Start` for an operation of the app `web`. */
  readonly name: string;
  /** The app whose manifest contains the operation; undefined for an operation in `spec/operations/`. */
  readonly app?: string;
  /** Path relative to the spec folder. For an operation in a manifest, `../` followed by the manifest's path or URL. */
  readonly file: string;
  readonly place: FileLocation;
  readonly definition: OperationDefinitionNode;
  /** The operation with its fragments, without descriptions. */
  readonly document: DocumentNode;
  /** Whether this operation is valid. Errors in other operations of the same file do not count. */
  readonly isValid: boolean;
};

/** Returns the text of the operation, as clients send it. */
export const operationText = ({ document }: SavedOperation): string => print(document);

type Read = { readonly operations: SavedOperation[]; readonly diagnostics: Diagnostic[] };

/** `files` maps each path, relative to the spec folder, to the text of the file. */
export function readSavedOperations(
  schema: GraphQLSchema | undefined,
  files: ReadonlyMap<string, string>,
): Read {
  const operations = new Map<string, SavedOperation>();
  const diagnostics: Diagnostic[] = [];
  for (const [file, text] of files) {
    const read = readFile(schema, file, text);
    diagnostics.push(...read.diagnostics);
    for (const operation of read.operations) {
      const other = operations.get(operation.name);
      const fault = toolError(operation.definition);
      if (fault !== undefined) diagnostics.push(misnamedTool(operation, fault));
      if (operation.name === "" || other) diagnostics.push(notUnique(operation, other));
      else operations.set(operation.name, operation);
    }
  }
  return { operations: [...operations.values()], diagnostics };
}

/**
 * Reads the operations in the manifests of apps, and reports those that the server would reject. An operation in several versions
 * of an app is read only once.
 */
export function readAppOperations(schema: GraphQLSchema | undefined, manifests: readonly Manifest[]): Read {
  const hint = "fix the operation in the app's repository, or restore what it selects in the schema";
  const texts = new Map(
    manifests.flatMap(({ app, source, operations }) =>
      operations.map(({ name: given, body }) => {
        const name = `${app}/${given}`;
        return [`${name} ${body}`, { app, name, file: `../${source}`, body }] as const;
      }),
    ),
  );
  const all = [...texts.values()].map(({ app, name, file, body }) => {
    const { operations, diagnostics } = readFile(schema, file, body);
    return {
      operations: operations.map((each) => ({ ...each, name, app })),
      diagnostics: diagnostics.map((each) => ({ ...each, coordinate: name, hint })),
    };
  });
  const refused = manifests.flatMap(({ app, source, refused }) =>
    refused.map(({ name, reason }) =>
      createDiagnostic({
        rule: "saved-operation-invalid",
        coordinate: `${app}/${name}`,
        message: `${reason}, so a role rejects it`,
        hint: "regenerate the manifest with the client's tool",
        schema: { file: `../${source}`, line: 1, column: 1 },
      }),
    ),
  );
  return {
    operations: all.flatMap(({ operations }) => operations.slice(-1)),
    diagnostics: [...all.flatMap(({ diagnostics }) => diagnostics), ...refused],
  };
}

function readFile(schema: GraphQLSchema | undefined, file: string, text: string): Read {
  try {
    const document = parse(new Source(text.replace(/^\uFEFF/, ""), file), { maxTokens: 100_000 });
    const refusals = documentLimitErrors(document);
    const errors = refusals.length > 0 ? refusals : operationErrors(schema, document);
    return {
      operations: refusals.length > 0 ? [] : operationsOf(schema, file, document),
      diagnostics: eachOnce(errors.map((error) => invalid(file, nameAt(document, error), error))),
    };
  } catch (error) {
    const known = error instanceof RangeError ? new GraphQLError("is nested too deeply") : error;
    if (!(known instanceof GraphQLError)) throw error;
    const isEmpty = text.replaceAll(/#.*|[\s,\uFEFF]/g, "") === "";
    const syntaxError = isEmpty ? new GraphQLError("the file has no operation") : known;
    return { operations: [], diagnostics: [invalid(file, file, syntaxError)] };
  }
}

/** Removes duplicate errors of an operation. */
const eachOnce = (all: readonly Diagnostic[]): Diagnostic[] =>
  [...Map.groupBy(all, ({ coordinate, message }) => `${coordinate} ${message}`).values()].flatMap((same) =>
    same.slice(0, 1),
  );

/** Returns no errors if `schema` is undefined, which means that the schema itself is invalid. */
export const operationErrors = (
  schema: GraphQLSchema | undefined,
  document: DocumentNode,
): readonly GraphQLError[] =>
  schema
    ? [
        ...validate(schema, document, [...specifiedRules, ...deferRules]),
        ...missingRootTypes(schema, document),
      ]
    : [];

function operationsOf(
  schema: GraphQLSchema | undefined,
  file: string,
  document: DocumentNode,
): SavedOperation[] {
  return Object.entries(separateOperations(document)).flatMap(([name, own]) => {
    const definition = getOperationAST(own);
    if (!definition) return [];
    const place = nodeLocation(definition) ?? { file, line: 1, column: 1 };
    const isValid = operationErrors(schema, own).length === 0;
    return [{ name, file, place, definition, document: withoutDescriptions(own), isValid }];
  });
}

/** Returns the name of the operation or fragment that contains the error. */
function nameAt(document: DocumentNode, error: GraphQLError): string {
  const at = error.positions?.[0] ?? 0;
  const node = document.definitions.find(({ loc }) => loc && loc.start <= at && at < loc.end);
  return node && "name" in node && node.name ? node.name.value : "operation";
}

function invalid(file: string, coordinate: string, error: GraphQLError): Diagnostic {
  const [location] = error.locations ?? [];
  return createDiagnostic({
    rule: "saved-operation-invalid",
    coordinate,
    message: error.message,
    hint: "fix the saved operation, or restore what it selects in the schema",
    schema: { file, line: location?.line ?? 1, column: location?.column ?? 1 },
  });
}

const misnamedTool = ({ name, place }: SavedOperation, message: string): Diagnostic =>
  createDiagnostic({
    rule: "saved-operation-invalid",
    coordinate: name,
    message,
    hint: "name the operation in its # @tool comment, or remove the comment",
    schema: place,
  });

const notUnique = ({ name, file, place }: SavedOperation, other: SavedOperation | undefined): Diagnostic =>
  createDiagnostic({
    rule: "saved-operation-invalid",
    coordinate: name || file,
    message: other
      ? `operation "${name}" is defined in spec/${other.file} too`
      : "a saved operation must have a name",
    hint: "give each saved operation a unique name",
    schema: place,
  });

/**
 * Maximum number of fields, with fragments expanded. A few nested fragments can expand to millions of fields, which would take
 * too long to validate. The server's default limit is 5,000.
 */
const mostFields = { ofOperation: 10_000, ofFile: 100_000 };

function documentLimitErrors(document: DocumentNode): GraphQLError[] {
  const counted = new Map<string, number>();
  const fragments = new Map<string, SelectionSetNode>();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node.selectionSet);

  const countFields = ({ selections }: SelectionSetNode): number => {
    let fields = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) fields += countFragment(selection.name.value);
      else fields += selection.kind === Kind.FIELD ? 1 : 0;
      if ("selectionSet" in selection && selection.selectionSet)
        fields += countFields(selection.selectionSet);
    }
    return fields;
  };
  const countFragment = (name: string): number => {
    const fragment = fragments.get(name);
    if (!fragment) return 0;
    if (!counted.has(name)) {
      counted.set(name, 0); // ends the recursion if fragments form a cycle, which validation reports
      counted.set(name, countFields(fragment));
    }
    return counted.get(name) ?? 0;
  };

  let fields = 0;
  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    const own = countFields(node.selectionSet);
    fields += own;
    if (own > mostFields.ofOperation) return [tooMany("an operation", mostFields.ofOperation, node)];
    if (fields > mostFields.ofFile) return [tooMany("the operations of a file", mostFields.ofFile, node)];
  }
  return [];
}

const tooMany = (what: string, most: number, nodes: DocumentNode["definitions"][number]): GraphQLError =>
  new GraphQLError(`${what} may have at most ${most} fields, with fragments expanded`, { nodes });
