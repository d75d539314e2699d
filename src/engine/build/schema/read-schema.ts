/** Reads `schema.graphql`. */
import {
  type ASTNode,
  buildASTSchema,
  type ConstValueNode,
  type DefinitionNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  type GraphQLType,
  Kind,
  parse,
  Source,
  specifiedDirectives,
  TypeInfo,
  typeFromAST,
  ValidationContext,
  ValuesOfCorrectTypeRule,
  validateSchema,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { validateSDL } from "graphql/validation/validate.js";
import { didYouMean } from "../../shared/cli/nearest-suggestion.ts";
import { dateScalars, dateScalarsUrl } from "../../shared/date-scalars.ts";
import { withDefer } from "../../shared/defer.ts";
import { createDiagnostic, type Diagnostic, unreadableSpec } from "../diagnostic.ts";
import { bindingDefinitions } from "./directives.ts";
import { type Federation, withFederation, withOwnTypes } from "./federation.ts";

export type SchemaFile = {
  readonly document: DocumentNode;
  /** Present if the schema is a federation subgraph. */
  readonly federation?: Federation;
  readonly schema?: GraphQLSchema;
  readonly diagnostics: Diagnostic[];
};

/**
 * Parses `schema.graphql`, adds the binding directives and validates the result (GraphQL §3). In the result, `schema` is
 * undefined if there are diagnostics. Throws `UnreadableSpec` for a syntax error.
 */
export function readSchema(name: string, text: string): SchemaFile {
  const document = withOwnTypes(parseSchema(name, text.replace(/^\uFEFF/, "")));
  const linked = withFederation(document);
  const complete = withDefinitions(linked.document);
  const broken = (errors: readonly GraphQLError[]): SchemaFile => ({
    document,
    diagnostics: withoutEchoes(errors).map((error) => invalid(name, document, error)),
  });
  const errors = [...linked.errors, ...validateSDL(complete)];
  if (errors.length > 0) return broken(errors);
  const bare = buildASTSchema(withoutValues(complete), { assumeValidSDL: true });
  const wrong = [...validateSchema(bare), ...valueErrors(bare, complete)];
  if (wrong.length > 0) return broken(wrong);
  const schema = buildASTSchema(complete, { assumeValidSDL: true });
  const invalidTypes = validateSchema(schema);
  if (invalidTypes.length > 0) return broken(invalidTypes);
  const { federation } = linked;
  return { document, schema, ...(federation && { federation }), diagnostics: [] };
}

/** Removes errors about duplicate fields and values of a type that is itself defined twice. */
function withoutEchoes(errors: readonly GraphQLError[]): readonly GraphQLError[] {
  const named = errors.map(({ message }) => /^There can be only one type named "(\w+)"/.exec(message)?.[1]);
  const isEcho = ({ message }: GraphQLError): boolean => {
    const [, type] = /^(?:Field|Enum value) "(\w+)\.\w+" can only be defined once/.exec(message) ?? [];
    return type !== undefined && named.includes(type);
  };
  return errors.filter((error) => !isEcho(error));
}

function parseSchema(name: string, text: string): DocumentNode {
  try {
    const document = parse(new Source(text, name), { maxTokens: 2_000_000 });
    const operation = document.definitions.find(
      ({ kind }) => kind === Kind.OPERATION_DEFINITION || kind === Kind.FRAGMENT_DEFINITION,
    );
    if (operation) throw unreadableSpec(name, "is an operation, not a schema");
    return document;
  } catch (error) {
    if (error instanceof RangeError) throw unreadableSpec(name, "is nested too deeply");
    if (!(error instanceof GraphQLError)) throw error;
    const [location] = error.locations ?? [];
    throw unreadableSpec(name, error.message, location && { file: name, ...location });
  }
}

/** Replaces definitions of the binding directives: some schema files have them for editors. */
const withDefinitions = ({ definitions }: DocumentNode): DocumentNode =>
  withDefer({
    kind: Kind.DOCUMENT,
    definitions: [
      ...definitions.filter((node) => !isBindingDefinition(node)),
      ...bindingDefinitions.definitions,
    ],
  });

const isBindingDefinition = (node: DefinitionNode): boolean =>
  bindingDefinitions.definitions.some((own) => own.kind === node.kind && nameOf(own) === nameOf(node));

const nameOf = (node: DefinitionNode): string | undefined => ("name" in node ? node.name?.value : undefined);

/** Returns the schema coordinate of the type, field or enum value at a position in the text. */
function coordinateAt(document: DocumentNode, position: number | undefined): string | undefined {
  const holds = ({ loc }: ASTNode): boolean =>
    position !== undefined && loc !== undefined && loc.start <= position && position < loc.end;
  const definition = document.definitions.find(holds);
  if (!definition || !("name" in definition) || !definition.name) return undefined;
  const members =
    "fields" in definition
      ? (definition.fields ?? [])
      : "values" in definition
        ? (definition.values ?? [])
        : [];
  const member = members.find(holds);
  return member ? `${definition.name.value}.${member.name.value}` : definition.name.value;
}

/** `@rest` → its argument names, `RestParam` → its field names. */
const takenNames = new Map<string, readonly string[]>(
  bindingDefinitions.definitions.flatMap((node) => {
    const names = (members: readonly { name: { value: string } }[] = []) =>
      members.map(({ name }) => name.value);
    if (node.kind === Kind.DIRECTIVE_DEFINITION)
      return [[`@${node.name.value}`, names(node.arguments)] as const];
    return node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION
      ? [[node.name.value, names(node.fields)] as const]
      : [];
  }),
);

const directiveNames = [
  ...[...takenNames.keys()].filter((name) => name.startsWith("@")),
  ...specifiedDirectives.map(({ name }) => `@${name}`),
];

const withNearDirective = (message: string): string =>
  message.replace(
    /^Unknown directive "(@.+)"\.$/,
    (text, wrong: string) => text.slice(0, -1) + (didYouMean(wrong, directiveNames) || "."),
  );

function schemaHint({ message, locations = [] }: GraphQLError): string {
  const [first] = locations;
  if (first && /can be only one|only be defined once/.test(message))
    return `the first one is in line ${first.line}: rename one of them, or remove it`;
  const [, type = ""] = /^Unknown type "(\w+)"\.$/.exec(message) ?? [];
  if (dateScalars.has(type))
    return `add \`scalar ${type} @specifiedBy(url: "${dateScalarsUrl}")\` to the schema`;
  const [, taker = ""] =
    /(?:on directive|^Directive|by type|^Field) "(@?\w+)(?:\.\w+)?"(?! (?:may|is))/.exec(message) ?? [];
  const known = takenNames.get(taker);
  return known ? `${taker} takes ${known.join(", ")}` : "fix the schema";
}

function invalid(name: string, document: DocumentNode, error: GraphQLError): Diagnostic {
  // if two definitions conflict, graphql-js lists the earlier one first, and the later one is reported here
  const location = error.locations?.at(-1);
  const place = { file: name, line: location?.line ?? 1, column: location?.column ?? 1 };
  return createDiagnostic({
    rule: "schema-invalid",
    coordinate: coordinateAt(document, error.positions?.at(-1)) ?? name,
    message: withNearDirective(error.message),
    hint: schemaHint(error),
    schema: place,
  });
}

/**
 * Validates directive arguments and default values (GraphQL §5.6.1), because graphql-js throws at the first invalid argument and
 * ignores invalid defaults. `bare`: the schema without directives and default values.
 */
function valueErrors(bare: GraphQLSchema, document: DocumentNode): GraphQLError[] {
  const errors: GraphQLError[] = [];
  const check = (type: GraphQLType | undefined, value: ConstValueNode): void => {
    const info = new TypeInfo(bare, type);
    const context = new ValidationContext(bare, document, info, (error) => errors.push(error));
    visit(value, visitWithTypeInfo(info, ValuesOfCorrectTypeRule(context)));
  };
  visit(document, {
    Directive({ name, arguments: given = [] }) {
      const { args = [] } = bare.getDirective(name.value) ?? {};
      for (const { name, value } of given)
        check(args.find((argument) => argument.name === name.value)?.type, value as ConstValueNode);
    },
    InputValueDefinition({ type, defaultValue }) {
      if (defaultValue) check(typeFromAST(bare, type), defaultValue);
    },
  });
  return errors;
}

/** Removes all directives and default values, because invalid values would prevent graphql-js from building the schema. */
const withoutValues = (document: DocumentNode): DocumentNode =>
  visit(document, {
    Directive: () => null,
    InputValueDefinition: (node) => ({ ...node, defaultValue: undefined }),
  });
