/**
 * Reads the saved operations, the dashboards' GraphQL documents below `spec/operations/`, and validates each against
 * the schema.
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
  validate,
} from "graphql";
import type { Manifest } from "../../shared/manifests/manifests.ts";
import { missingRootTypes } from "../../shared/missing-roots.ts";
import { withoutDescriptions } from "../../shared/operation-descriptions.ts";
import { createDiagnostic, type Diagnostic, type FileLocation } from "../diagnostic.ts";
import { nodeLocation } from "./directives.ts";
import { toolError } from "./tool-comment.ts";

export type SavedOperation = {
  /** The operation's name; of an app's, behind the app: `web/Start`. */
  readonly name: string;
  /** The app whose manifest has the operation. Absent for an operation of the spec folder. */
  readonly app?: string;
  /** The file's name below the spec folder; of a manifest `../` and its path or URL. */
  readonly file: string;
  readonly place: FileLocation;
  /** With its description. */
  readonly definition: OperationDefinitionNode;
  /** The operation with the fragments that it uses, without descriptions, and nothing else. */
  readonly document: DocumentNode;
  /** Whether the operation is valid against the schema. Errors of its file's other operations do not count. */
  readonly isValid: boolean;
};

/** The text that clients send. */
export const operationText = ({ document }: SavedOperation): string => print(document);

type Read = { readonly operations: SavedOperation[]; readonly diagnostics: Diagnostic[] };

/** `files`: name below the spec folder → text. */
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

/** The operations of apps' manifests. One of two equal ones in two versions counts. What a role refuses is a diagnostic. */
export function readAppOperations(schema: GraphQLSchema | undefined, manifests: readonly Manifest[]): Read {
  const hint = "mend the operation in the app's repository, or give the schema back what it selects";
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
        message: `${reason}, so a role refuses it`,
        hint: "write the manifest anew by the client's tool",
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
    const told = isEmpty ? new GraphQLError("the file has no operation") : known;
    return { operations: [], diagnostics: [invalid(file, file, told)] };
  }
}

/** An error that an operation has at several places is one finding, at the first of them. */
const eachOnce = (all: readonly Diagnostic[]): Diagnostic[] =>
  [...Map.groupBy(all, ({ coordinate, message }) => `${coordinate} ${message}`).values()].flatMap((same) =>
    same.slice(0, 1),
  );

/** Of an operation against a schema; none without one. */
export const operationErrors = (
  schema: GraphQLSchema | undefined,
  document: DocumentNode,
): readonly GraphQLError[] =>
  schema ? [...validate(schema, document), ...missingRootTypes(schema, document)] : [];

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

/** The name of the operation or fragment that encloses an error. */
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
    hint: "mend the saved operation, or give the schema back what it selects",
    schema: { file, line: location?.line ?? 1, column: location?.column ?? 1 },
  });
}

const misnamedTool = ({ name, place }: SavedOperation, message: string): Diagnostic =>
  createDiagnostic({
    rule: "saved-operation-invalid",
    coordinate: name,
    message,
    hint: "name the operation in its mark, or take the mark away",
    schema: place,
  });

const notUnique = ({ name, file, place }: SavedOperation, other: SavedOperation | undefined): Diagnostic =>
  createDiagnostic({
    rule: "saved-operation-invalid",
    coordinate: name || file,
    message: other
      ? `operation "${name}" stands in spec/${other.file} too`
      : "an operation without a name cannot be told from another",
    hint: "give each saved operation a name of its own",
    schema: place,
  });

// Refuses documents of saved operations that no command can work on: the time of validation, of graphql-codegen and of the
// reports grows with the fields of an operation, with its fragments unfolded, and a few lines of fragments unfold to
// millions. Each fragment is counted once, so this count grows with the document's length.

/** Fields of one operation, and of all operations of a file, with fragments unfolded. The server takes 5,000 by default. */
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
      counted.set(name, 0); // a fragment within itself is the validation's to report
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
  new GraphQLError(`${what} may have at most ${most} fields, with fragments unfolded`, { nodes });
