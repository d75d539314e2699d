/**
 * Supports Apollo Federation: a `@link` to its specification (v2) makes `schema.graphql` a subgraph. Adds the definitions of
 * federation's directives, and for each `@key` a Query field that loads the entities. `bind` checks these fields like any other.
 */
import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type FieldNode,
  GraphQLError,
  Kind,
  type NamedTypeNode,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  type TypeNode,
  visit,
} from "graphql";

const specification = /^https:\/\/specs\.apollo\.dev\/federation\/v(\d+)\.\d+\/?$/;

/** The supported directives of federation, by their names in the specification. */
const definitions = `
directive @key(fields: FieldSet!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE
directive @interfaceObject on OBJECT
directive @extends on OBJECT
directive @shareable repeatable on OBJECT | FIELD_DEFINITION
directive @external(reason: String) on OBJECT | FIELD_DEFINITION
directive @requires(fields: FieldSet!) on FIELD_DEFINITION
directive @provides(fields: FieldSet!) on FIELD_DEFINITION
directive @override(from: String!, label: String) on FIELD_DEFINITION
directive @inaccessible on OBJECT | INTERFACE | UNION | ENUM | ENUM_VALUE | SCALAR | INPUT_OBJECT | FIELD_DEFINITION |
  INPUT_FIELD_DEFINITION | ARGUMENT_DEFINITION
directive @tag(name: String!) repeatable on SCHEMA | OBJECT | INTERFACE | UNION | ENUM | ENUM_VALUE | SCALAR | INPUT_OBJECT |
  FIELD_DEFINITION | INPUT_FIELD_DEFINITION | ARGUMENT_DEFINITION
directive @composeDirective(name: String!) repeatable on SCHEMA
directive @authenticated on OBJECT | INTERFACE | ENUM | SCALAR | FIELD_DEFINITION
directive @requiresScopes(scopes: [[Scope!]!]!) on OBJECT | INTERFACE | ENUM | SCALAR | FIELD_DEFINITION
directive @policy(policies: [[Policy!]!]!) on OBJECT | INTERFACE | ENUM | SCALAR | FIELD_DEFINITION
scalar FieldSet
scalar Scope
scalar Policy
`;

/** The directive that links a schema to a specification (https://specs.apollo.dev/link/v1.0). */
const linkDefinitions = `
directive @link(url: String, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA
scalar link__Import
enum link__Purpose { SECURITY EXECUTION }
`;

/** A leaf field in the field set of a `@key`, or of a `@requires` in the same type. */
export type KeyField = {
  /** The argument of `EntityKey.reference` that receives this value. */
  readonly argument: string;
  /** The field's path in the representation that the router sends. */
  readonly path: readonly string[];
  /** The name of the field's type. */
  readonly type: string;
  /** Present for a field of `@requires`: representations may omit it. `isNullable`: whether the field's type allows null. */
  readonly isRequired?: { readonly isNullable: boolean };
};

/** A resolvable `@key` of an object type. */
export type EntityKey = {
  readonly type: string;
  /** The field set as written in the schema, for example `id organization { id }`. */
  readonly fields: string;
  readonly keyFields: readonly KeyField[];
  /** The fields that a representation contains besides the key, because a `@requires` names them. */
  readonly required: readonly KeyField[];
  readonly node: ConstDirectiveNode;
  /** The Query field that loads the entities. The `@rest` directive on the entities' type binds this field. */
  readonly reference?: FieldDefinitionNode;
};

export type Federation = {
  readonly keys: readonly EntityKey[];
  /** Federation's directives, by their names in the schema. */
  readonly directives: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
  /** The names of `@external` and `@requires` in the schema. */
  readonly external: string;
  readonly requires: string;
  /** Keys on interfaces, which are not supported. */
  readonly interfaceKeys: readonly { readonly type: string; readonly node: ConstDirectiveNode }[];
};

type Linked = {
  readonly document: DocumentNode;
  readonly federation?: Federation;
  readonly errors: readonly GraphQLError[];
};

/** Adds federation's definitions and the Query fields that load entities, if the schema has the `@link`. */
export function withFederation(document: DocumentNode): Linked {
  const link = linkOf(document);
  if (!link) return { document, errors: [] };
  const errors: GraphQLError[] = [];
  const names = namesOf(link, errors);
  const known = renamed(parse(linkDefinitions + definitions, { noLocation: true }), names).definitions;
  const added = known.filter(
    (own) => !document.definitions.some((other) => other.kind === own.kind && nameOf(other) === nameOf(own)),
  );
  const nameIn = (name: string): string => names.get(name) ?? `federation__${name}`;
  const keys = keysOf(document, nameIn("key"), nameIn("requires"), errors);
  const references = keys.flatMap(({ reference }) => reference ?? []);
  const query = rootName(document);
  return {
    errors,
    federation: {
      keys,
      directives: new Set(known.filter(isDirective).map(nameOf)),
      types: new Set(known.filter((each) => !isDirective(each)).map(nameOf)),
      external: nameIn("external"),
      requires: nameIn("requires"),
      interfaceKeys: interfaceKeysOf(document, nameIn("key")),
    },
    document: {
      ...document,
      definitions: [
        ...document.definitions.map((each) => withoutReferences(each, nameIn("key"))),
        ...added,
      ].map((each) => (isObject(each) && each.name.value === query ? withFields(each, references) : each)),
    },
  };
}

/** In a subgraph, converts `extend type User` to `type User` if another subgraph defines the type. */
export function withOwnTypes(document: DocumentNode): DocumentNode {
  if (!linkOf(document)) return document;
  const defined = new Set(document.definitions.filter(isObject).map(nameOf));
  const definitions = document.definitions.map((node): DefinitionNode => {
    if (node.kind !== Kind.OBJECT_TYPE_EXTENSION || defined.has(node.name.value)) return node;
    defined.add(node.name.value);
    return { ...node, kind: Kind.OBJECT_TYPE_DEFINITION };
  });
  return { ...document, definitions };
}

const nameOf = (node: DefinitionNode): string => ("name" in node && node.name ? node.name.value : "");
const isDirective = ({ kind }: DefinitionNode): boolean => kind === Kind.DIRECTIVE_DEFINITION;
const isObject = (node: DefinitionNode): node is ObjectTypeDefinitionNode =>
  node.kind === Kind.OBJECT_TYPE_DEFINITION;

const argumentOf = (node: ConstDirectiveNode, name: string): ConstValueNode | undefined =>
  node.arguments?.find((argument) => argument.name.value === name)?.value;

function linkOf({ definitions: all }: DocumentNode): ConstDirectiveNode | undefined {
  const schemas = all.filter(({ kind }) => kind === Kind.SCHEMA_DEFINITION || kind === Kind.SCHEMA_EXTENSION);
  return schemas
    .flatMap((node) => ("directives" in node ? (node.directives ?? []) : []) as readonly ConstDirectiveNode[])
    .find((directive) => {
      const url = argumentOf(directive, "url");
      return directive.name.value === "link" && url?.kind === Kind.STRING && specification.test(url.value);
    });
}

/** Maps each name in the specification to the name in the schema, according to `import` and `as` of the `@link`. */
function namesOf(link: ConstDirectiveNode, errors: GraphQLError[]): Map<string, string> {
  const url = argumentOf(link, "url");
  const [, major] = (url?.kind === Kind.STRING && specification.exec(url.value)) || [];
  if (major !== "2")
    errors.push(new GraphQLError("only version 2 of federation is supported", { nodes: link }));
  const as = argumentOf(link, "as");
  const prefix = as?.kind === Kind.STRING ? as.value : "federation";
  const known = new Set(parse(definitions, { noLocation: true }).definitions.map(nameOf));
  const names = new Map([...known].map((name) => [name, `${prefix}__${name}`]));
  const imported = argumentOf(link, "import");
  for (const item of imported?.kind === Kind.LIST ? imported.values : []) {
    const members = new Map(
      item.kind === Kind.OBJECT ? item.fields.map(({ name, value }) => [name.value, value]) : [],
    );
    const given = item.kind === Kind.STRING ? item : members.get("name");
    const alias = members.get("as") ?? given;
    const nameIn = (value: ConstValueNode | undefined): string =>
      value?.kind === Kind.STRING ? value.value.replace(/^@/, "") : "";
    const name = nameIn(given);
    const local = nameIn(alias);
    if (known.has(name) && local) names.set(name, local);
    else
      errors.push(
        new GraphQLError(
          `@link imports ${given?.kind === Kind.STRING ? given.value : "a value without a name"}, which is not supported`,
          { nodes: item },
        ),
      );
  }
  return names;
}

const renamed = (document: DocumentNode, names: ReadonlyMap<string, string>): DocumentNode =>
  visit(document, {
    Name: (node, _key, parent) => {
      const isNamed =
        parent !== undefined &&
        "kind" in parent &&
        (parent.kind === Kind.DIRECTIVE_DEFINITION ||
          parent.kind === Kind.SCALAR_TYPE_DEFINITION ||
          parent.kind === Kind.NAMED_TYPE);
      return isNamed ? { ...node, value: names.get(node.value) ?? node.value } : undefined;
    },
  });

function rootName({ definitions: all }: DocumentNode): string {
  for (const node of all)
    if (node.kind === Kind.SCHEMA_DEFINITION)
      for (const { operation, type } of node.operationTypes)
        if (operation === OperationTypeNode.QUERY) return type.name.value;
  return "Query";
}

type ObjectNode = ObjectTypeDefinitionNode | ObjectTypeExtensionNode;

/** Returns the resolvable keys of all object types. The first `@rest` on a type binds its first `@key`, and so on. */
function keysOf(
  { definitions: all }: DocumentNode,
  keyName: string,
  requiresName: string,
  errors: GraphQLError[],
): EntityKey[] {
  const objects = all.filter(
    (node): node is ObjectNode =>
      node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION,
  );
  const types = Map.groupBy(objects, ({ name }) => name.value);
  const fieldsOf: FieldsOf = (type) =>
    all.flatMap((node) =>
      "fields" in node && nameOf(node) === type
        ? ((node.fields ?? []) as readonly FieldDefinitionNode[])
        : [],
    );
  return [...types].flatMap(([type, nodes]) => {
    const directives = nodes.flatMap(({ directives = [] }) => directives);
    const keys = directives.filter((each) => {
      const resolvable = argumentOf(each, "resolvable");
      return each.name.value === keyName && !(resolvable?.kind === Kind.BOOLEAN && !resolvable.value);
    });
    const rests = directives.filter(({ name }) => name.value === "rest");
    if (rests.length > keys.length)
      errors.push(
        new GraphQLError(`${type} has more operations (@rest) than resolvable keys (@key)`, {
          nodes: rests.slice(keys.length),
        }),
      );
    return keys.flatMap((node, index): EntityKey[] => {
      const fields = argumentOf(node, "fields");
      if (fields?.kind !== Kind.STRING) return [];
      try {
        const keyFields = keyFieldsOf(fieldsOf, type, fields.value);
        const rest = rests[index];
        const reference = rest && referenceField(type, index, keyFields, rest);
        const required = requiredBy(fieldsOf, type, requiresName);
        return [{ type, fields: fields.value, keyFields, required, node, ...(reference && { reference }) }];
      } catch (error) {
        if (!(error instanceof GraphQLError)) throw error;
        errors.push(
          new GraphQLError(`@key(fields: "${fields.value}") of ${type}: ${error.message}`, { nodes: node }),
        );
        return [];
      }
    });
  });
}

const interfaceKeysOf = ({ definitions: all }: DocumentNode, keyName: string): Federation["interfaceKeys"] =>
  all.flatMap((node) =>
    node.kind === Kind.INTERFACE_TYPE_DEFINITION || node.kind === Kind.INTERFACE_TYPE_EXTENSION
      ? (node.directives ?? []).flatMap((each) =>
          each.name.value === keyName ? [{ type: node.name.value, node: each }] : [],
        )
      : [],
  );

/** Returns the fields that the type's `@requires` directives name. */
function requiredBy(fieldsOf: FieldsOf, type: string, requiresName: string): KeyField[] {
  const sets = fieldsOf(type).flatMap(({ directives = [] }) =>
    directives.flatMap((each) => {
      const fields = each.name.value === requiresName ? argumentOf(each, "fields") : undefined;
      return fields?.kind === Kind.STRING ? keyFieldsOf(fieldsOf, type, fields.value) : [];
    }),
  );
  return [...new Map(sets.map((field) => [field.argument, field])).values()].map((field) => {
    const definition = fieldsOf(type).find(({ name }) => name.value === field.path[0]);
    return { ...field, isRequired: { isNullable: definition?.type.kind !== Kind.NON_NULL_TYPE } };
  });
}

type FieldsOf = (type: string) => readonly FieldDefinitionNode[];

/** Parses a field set, such as `id organization { id }`. Throws `GraphQLError` for lists, fragments, arguments and aliases. */
function keyFieldsOf(fieldsOf: FieldsOf, type: string, fields: string): KeyField[] {
  const [operation] = parse(`{${fields}}`, { noLocation: true, maxTokens: 1_000 }).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new GraphQLError("is not a selection of fields");
  const leaves = (owner: string, { selections }: SelectionSetNode, above: readonly string[]): KeyField[] =>
    selections.flatMap((selection) => {
      if (selection.kind !== Kind.FIELD || !isPlain(selection))
        throw new GraphQLError("a key is made of fields without arguments, aliases and fragments");
      const name = selection.name.value;
      const definition = fieldsOf(owner).find((field) => field.name.value === name);
      if (!definition) throw new GraphQLError(`${owner} has no field "${name}"`);
      const named = singleType(definition.type);
      if (!named) throw new GraphQLError(`"${name}" is a list, and lists are not supported in keys`);
      const path = [...above, name];
      const value = named.name.value;
      if (selection.selectionSet) return leaves(value, selection.selectionSet, path);
      if (fieldsOf(value).length > 0) throw new GraphQLError(`"${name}" is an object: select its fields`);
      return [{ argument: path.join("_"), path, type: value }];
    });
  return leaves(type, operation.selectionSet, []);
}

const isPlain = ({ alias, arguments: given = [], directives = [] }: FieldNode): boolean =>
  !alias && given.length === 0 && directives.length === 0;

function singleType(type: TypeNode): NamedTypeNode | undefined {
  if (type.kind === Kind.NON_NULL_TYPE) return singleType(type.type);
  return type.kind === Kind.NAMED_TYPE ? type : undefined;
}

/**
 * Builds the Query field that loads entities, for example `_entityUser(id: ID!): User`. With `batchBy`, this field is
 * `_entityUser(id: [ID!]!): [User]`. Findings about the field point at the `@rest` on the type.
 */
function referenceField(
  type: string,
  index: number,
  keyFields: readonly KeyField[],
  rest: ConstDirectiveNode,
): FieldDefinitionNode {
  const isBatch = argumentOf(rest, "batchBy") !== undefined;
  const valueType = isBatch ? (name: string) => `[${name}!]!` : (name: string) => `${name}!`;
  const args = keyFields.map((field) => `${field.argument}: ${valueType(field.type)}`).join(", ");
  const field = `_entity${type}${index === 0 ? "" : index + 1}(${args}): ${isBatch ? `[${type}]` : type}`;
  const [node] = parse(`type Query { ${field} }`, { noLocation: true }).definitions;
  const [definition] = (node as ObjectTypeDefinitionNode).fields ?? [];
  if (!definition) throw new GraphQLError("has no fields");
  const at = rest.loc && { loc: rest.loc };
  return { ...definition, name: { ...definition.name, ...at }, directives: [rest], ...at };
}

/** Removes `@rest` from a type with keys, because the directive is now on the Query field that loads the entities. */
function withoutReferences(node: DefinitionNode, keyName: string): DefinitionNode {
  if (node.kind !== Kind.OBJECT_TYPE_DEFINITION && node.kind !== Kind.OBJECT_TYPE_EXTENSION) return node;
  const { directives = [] } = node;
  return directives.some(({ name }) => name.value === keyName)
    ? { ...node, directives: directives.filter(({ name }) => name.value !== "rest") }
    : node;
}

const withFields = (
  node: ObjectTypeDefinitionNode,
  fields: readonly FieldDefinitionNode[],
): ObjectTypeDefinitionNode => ({ ...node, fields: [...(node.fields ?? []), ...fields] });
