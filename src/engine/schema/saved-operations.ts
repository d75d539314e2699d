/**
 * Reads the saved operations, the dashboards' GraphQL documents below `spec/operations/`, and validates each against
 * the schema.
 */
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  print,
  Source,
  separateOperations,
  validate,
} from "graphql";
import { type Diagnostic, diagnosed, type Place } from "../diagnostic.ts";
import type { Manifest } from "../manifests/manifests.ts";
import { missingRoots } from "../standards/missing-roots.ts";
import { placeOf } from "./directives.ts";
import { documentRefusals } from "./refused-document.ts";
import { toolFault } from "./tool-comment.ts";

export type SavedOperation = {
  /** The operation's name; of an app's, behind the app: `web/Start`. */
  readonly name: string;
  /** The app whose manifest has the operation. Absent for an operation of the spec folder. */
  readonly app?: string;
  /** The file's name below the spec folder; of a manifest `../` and its path or URL. */
  readonly file: string;
  readonly place: Place;
  readonly definition: OperationDefinitionNode;
  /** The operation with the fragments that it uses, and nothing else. */
  readonly document: DocumentNode;
  /** Whether the operation is valid against the schema. Errors of its file's other operations do not count. */
  readonly isValid: boolean;
};

/** The text that clients send. */
export const textOf = ({ document }: SavedOperation): string => print(document);

/** `files`: name below the spec folder → text. */
export function readSavedOperations(
  schema: GraphQLSchema | undefined,
  files: ReadonlyMap<string, string>,
): { operations: SavedOperation[]; diagnostics: Diagnostic[] } {
  const operations = new Map<string, SavedOperation>();
  const diagnostics: Diagnostic[] = [];
  for (const [file, text] of files) {
    const document = parseDocument(file, text, diagnostics);
    if (!document) continue;
    const errors = errorsOf(schema, document);
    diagnostics.push(...errors.map((error) => invalid(file, nameAt(document, error), error)));
    for (const operation of operationsOf(schema, file, document)) {
      const other = operations.get(operation.name);
      const fault = toolFault(operation.definition);
      if (fault !== undefined) diagnostics.push(misnamedTool(operation, fault));
      if (operation.name === "" || other) diagnostics.push(notUnique(operation, other));
      else operations.set(operation.name, operation);
    }
  }
  return { operations: [...operations.values()], diagnostics };
}

/** The operations of apps' manifests. One of two equal ones in two versions counts. */
export function readAppOperations(
  schema: GraphQLSchema | undefined,
  manifests: readonly Manifest[],
): { operations: SavedOperation[]; diagnostics: Diagnostic[] } {
  const operations = new Map<string, SavedOperation>();
  const diagnostics: Diagnostic[] = [];
  for (const { app, source, operations: entries } of manifests) {
    const file = `../${source}`;
    for (const { name: given, body } of entries) {
      const name = `${app}/${given}`;
      const key = `${name} ${body}`;
      if (operations.has(key)) continue;
      const found: Diagnostic[] = [];
      const document = parseDocument(file, body, found);
      const errors = document ? errorsOf(schema, document) : [];
      diagnostics.push(
        ...found.map((each) => ({ ...each, coordinate: name })),
        ...errors.map((error) => invalid(file, name, error)),
      );
      for (const operation of document ? operationsOf(schema, file, document) : [])
        operations.set(key, { ...operation, name, app });
    }
  }
  const hint = "mend the operation in the app's repository, or give the schema back what it selects";
  return {
    operations: [...operations.values()],
    diagnostics: diagnostics.map((each) => ({ ...each, hint })),
  };
}

function parseDocument(file: string, text: string, diagnostics: Diagnostic[]): DocumentNode | undefined {
  try {
    const document = parse(new Source(text.replace(/^\uFEFF/, ""), file), { maxTokens: 100_000 });
    const refusals = documentRefusals(document);
    diagnostics.push(...refusals.map((error) => invalid(file, nameAt(document, error), error)));
    return refusals.length > 0 ? undefined : document;
  } catch (error) {
    const known = error instanceof RangeError ? new GraphQLError("is nested too deeply") : error;
    if (!(known instanceof GraphQLError)) throw error;
    const isEmpty = text.replaceAll(/#.*|[\s,\uFEFF]/g, "") === "";
    diagnostics.push(invalid(file, file, isEmpty ? new GraphQLError("the file has no operation") : known));
    return undefined;
  }
}

const errorsOf = (schema: GraphQLSchema | undefined, document: DocumentNode): GraphQLError[] =>
  schema ? [...validate(schema, document), ...missingRoots(schema, document)] : [];

function operationsOf(
  schema: GraphQLSchema | undefined,
  file: string,
  document: DocumentNode,
): SavedOperation[] {
  return Object.entries(separateOperations(document)).flatMap(([name, own]) => {
    const definition = getOperationAST(own);
    if (!definition) return [];
    const place = placeOf(definition) ?? { file, line: 1, column: 1 };
    const isValid = errorsOf(schema, own).length === 0;
    return [{ name, file, place, definition, document: own, isValid }];
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
  return diagnosed({
    rule: "saved-operation-invalid",
    coordinate,
    message: error.message,
    hint: "mend the saved operation, or give the schema back what it selects",
    schema: { file, line: location?.line ?? 1, column: location?.column ?? 1 },
  });
}

const misnamedTool = ({ name, place }: SavedOperation, message: string): Diagnostic =>
  diagnosed({
    rule: "saved-operation-invalid",
    coordinate: name,
    message,
    hint: "name the operation in its mark, or take the mark away",
    schema: place,
  });

const notUnique = ({ name, file, place }: SavedOperation, other: SavedOperation | undefined): Diagnostic =>
  diagnosed({
    rule: "saved-operation-invalid",
    coordinate: name || file,
    message: other
      ? `operation "${name}" stands in spec/${other.file} too`
      : "an operation without a name cannot be told from another",
    hint: "give each saved operation a name of its own",
    schema: place,
  });
