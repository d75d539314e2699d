/** A document and a schema with a slot for every text that a spec may hold; none of the slots has a fixed meaning. */

/** What stands in each slot of the document: any text. */
export type Slots = { readonly [slot in (typeof slots)[number]]: string };

export const slots = [
  "path",
  "operationId",
  "batchId",
  "tag",
  "summary",
  "description",
  "title",
  "format",
  "property",
  "nested",
  "enumValue",
  "otherValue",
  "default",
  "example",
  "discriminator",
  "mapped",
  "component",
  "query",
  "header",
  "constant",
  "key",
  "many",
  "permission",
  "deprecated",
  "schemaDescription",
] as const;

const ref = (name: string) => ({
  $ref: `#/components/schemas/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))}`,
});
const ok = (schema: object) => ({
  "200": { description: "ok", content: { "application/json": { schema } } },
});
const string = { type: "string" };

/** As JSON, which is YAML too. */
export function openapi(slot: Slots): string {
  const note = { description: slot.description, title: slot.title, example: slot.example };
  const object = (name: string, value: string, more: Record<string, object> = {}) => ({
    type: "object",
    ...note,
    required: [slot.discriminator, name],
    properties: {
      [slot.discriminator]: { type: "string", enum: [value] },
      [name]: { ...string, format: slot.format, ...note },
      ...more,
    },
  });
  const parameter = (name: string, location: string, schema: object) => ({
    name,
    in: location,
    description: slot.description,
    schema,
  });
  const values = {
    type: "string",
    enum: [slot.enumValue, slot.otherValue],
    default: slot.enumValue,
    ...note,
  };
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: slot.title, version: "1", description: slot.description },
    tags: [{ name: slot.tag, description: slot.description }],
    paths: {
      [`/${slot.path}`]: {
        get: {
          operationId: slot.operationId,
          tags: [slot.tag],
          summary: slot.summary,
          description: slot.description,
          deprecated: true,
          "x-permission": slot.permission,
          parameters: [
            parameter(slot.query, "query", { ...string, default: slot.default, ...note }),
            parameter(`${slot.query} of many`, "query", { type: "array", items: string }),
            parameter(`${slot.query} fixed`, "query", string),
            parameter("x-rest", "header", values),
          ],
          responses: ok(ref(slot.component)),
        },
        post: {
          operationId: `${slot.operationId} post`,
          tags: [slot.tag],
          requestBody: {
            content: {
              "application/json": { schema: { type: "object", properties: { [slot.property]: values } } },
            },
          },
          responses: ok(ref(slot.component)),
        },
      },
      [`/${slot.path}/many`]: {
        get: {
          operationId: slot.batchId,
          tags: [slot.tag],
          parameters: [
            {
              ...parameter(slot.many, "query", { type: "array", items: string, maxItems: 10 }),
              required: true,
            },
          ],
          responses: ok({
            type: "object",
            required: [slot.nested],
            properties: { [slot.nested]: { type: "array", items: ref(`${slot.component} item`) } },
          }),
        },
      },
    },
    components: {
      schemas: {
        [slot.component]: object(slot.property, "whole", {
          [slot.nested]: { type: "object", required: [slot.key], properties: { [slot.key]: string } },
          choice: {
            oneOf: [ref("ComponentOne"), ref("ComponentTwo")],
            discriminator: {
              propertyName: slot.discriminator,
              mapping: {
                [slot.mapped]: ref("ComponentOne").$ref,
                two: ref("ComponentTwo").$ref,
              },
            },
          },
          kind: values,
        }),
        ComponentOne: object(slot.property, slot.mapped),
        ComponentTwo: object(slot.property, "two"),
        [`${slot.component} item`]: {
          type: "object",
          required: [slot.key],
          properties: { [slot.key]: string, [slot.property]: string },
        },
      },
    },
  });
}

const text = (value: string): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Names of GraphQL are letters; each is mapped to the text in its slot. */
export function graphqlSchema(slot: Slots): string {
  const described = text(slot.schemaDescription);
  return `
${described} type Query {
  ${described} whole(
    ${described} text: String = ${text(slot.default)} @restName(name: ${text(slot.query)})
    kind: Kind @restName(name: "x-rest")
  ): Whole @deprecated(reason: ${text(slot.deprecated)}) @rest(operation: ${text(slot.operationId)}, params: [
    { name: ${text(`${slot.query} fixed`)}, value: ${text(slot.constant)} }
    { name: ${text(`${slot.query} of many`)}, value: [${text(slot.constant)}] }
  ])
}
type Mutation {
  change(value: Change): Whole @rest(operation: ${text(`${slot.operationId} post`)}, body: "args.value")
}
${described} input Change {
  ${described} kind: Kind @restName(name: ${text(slot.property)})
}
type Whole {
  name: String @restName(name: ${text(slot.property)})
  ${described} choice: Choice
  kind: Kind
  nested: Nested @restName(name: ${text(slot.nested)})
}
${described} type Nested {
  items: [Item!] @rest(operation: ${text(slot.batchId)}, batchBy: ${text(slot.key)}, result: ${text(slot.nested)}, params: [
    { name: ${text(slot.many)}, from: ${text(`parent.${slot.key}`)} }
  ])
}
type Item { name: String @restName(name: ${text(slot.property)}) }
${described} union Choice = ComponentOne | ComponentTwo
type ComponentOne { name: String @restName(name: ${text(slot.property)}) }
type ComponentTwo { name: String @restName(name: ${text(slot.property)}) }
${described} enum Kind {
  ${described} ONE @restName(name: ${text(slot.enumValue)}) @deprecated(reason: ${text(slot.deprecated)})
  OTHER @restName(name: ${text(slot.otherValue)})
}
`;
}
