/**
 * Determines how a connection gets its next page: by a cursor in the body or in the last item, by a URL (RFC 8288), or by
 * counting pages or items. `pages` in the GraphQL schema names the style, because the names of REST parameters prove nothing.
 */
import { membersOf } from "../../../shared/json-object.ts";
import type { NextPage, Page } from "../../../shared/page.ts";
import { hasHeader } from "../../openapi/operation.ts";
import { describeShape, isNumeric, type Shape } from "../../openapi/shapes/shape.ts";
import { normalizeName } from "../../schema/graphql-names.ts";
import { atRestDirective, type FieldContext } from "../field-context.ts";
import type { Input } from "../model.ts";
import { hasName, pagingNames } from "./paging-names.ts";

/** Returns `undefined` after reporting invalid paging. */
export function bindPaging(
  field: FieldContext,
  inputs: readonly Input[],
  last: string | undefined,
): NextPage | undefined {
  const { directive, operation, where } = field;
  const { next, pages, total, more } = directive.connection ?? {};
  const add = (message: string, hint: string): undefined => {
    const at = { ...atRestDirective(field, "connection"), rest: operation.node };
    field.binder.findings.add("connection-pages", at, message, hint);
  };
  if (pages !== "LINKED" && (next === undefined) === (pages === undefined))
    return add(
      `${where.coordinate} is a connection, which needs either \`next\` or \`pages\``,
      "name the path of the cursor in the body, or the style in which REST pages without one",
    );
  const after = inputOfArgument(inputs, "after");
  const isTotalRead = total === undefined || pages === "OFFSET" || pages === "NUMBERED";
  if (!isTotalRead)
    add(
      `\`total\` does not determine the last page of ${where.coordinate}: it does so only for OFFSET and NUMBERED`,
      "remove `total` (a field of the connection may still show it), and name `more` if a property of the page says whether there is a next one; or write `pages: OFFSET` if `after` feeds an offset",
    );
  if (!after) return undefined;
  const paging =
    pages === "LINKED"
      ? linked(field, after, add)
      : last !== undefined
        ? { by: "lastItem" as const, at: last.split("."), ...fullOf(inputs, more !== undefined) }
        : next === undefined
          ? counted(field, inputs, after, add)
          : { by: "cursor" as const, at: next.split(".") };
  return isTotalRead ? paging : undefined;
}

type Add = (message: string, hint: string) => undefined;

/** The next page's URL is in the body at `next`, or in the `Link` header. Only its cursor is used, such as `x` in `?after=x`. */
function linked({ directive, operation, where }: FieldContext, after: Input, add: Add): NextPage | undefined {
  const at = directive.connection?.next?.split(".");
  const responses = operation.successes.filter(({ shape }) => shape);
  const hasAddress = at !== undefined || responses.every((each) => hasHeader(each, "link"));
  if (!hasAddress)
    add(
      `the pages of ${where.coordinate} are LINKED, but the response of ${operation.id} documents no Link header`,
      "name the path of the next page's URL in the body (`next`), or document the header, in an overlay if the document is a vendor's",
    );
  if (after.in !== "query" || after.shape.types.has("array") || after.shape.types.has("object"))
    return add(
      `the pages of ${where.coordinate} are LINKED, but \`after\` feeds ${after.in} "${after.name}", which no URL query can have as a single value`,
      "have it feed a query parameter that is a string or a number",
    );
  return hasAddress ? { by: "link", parameter: after.name, ...(at && { at }) } : undefined;
}

/**
 * Checks paging by page number or offset. Without `more` and `total`, the first page that is not full is the last one. If the
 * page size is unknown, the first empty page is the last one.
 */
function counted(
  { directive, where }: FieldContext,
  inputs: readonly Input[],
  after: Input,
  add: Add,
): NextPage | undefined {
  const { shape, name } = after;
  const { pages, more, total } = directive.connection ?? {};
  const by = pages === "OFFSET" ? "offset" : "number";
  const begin = by === "offset" ? "the offset" : "the page's number";
  const subject = `the pages of ${where.coordinate} are ${pages}, but`;
  if (!isNumeric(shape) || after.in === "body")
    return add(
      `${subject} ${after.in} "${name}", which \`after\` feeds, is ${describeShape(shape)}`,
      `have \`after\` feed the parameter that takes ${begin}, outside the body`,
    );
  const from = pagingOrigin(after);
  if (from === undefined)
    return add(
      `${subject} the ${by} of the first page is unknown`,
      `document the default of "${name}", in an overlay if the document is a vendor's`,
    );
  return {
    by,
    from,
    ...(total !== undefined && { total: total.split(".") }),
    ...fullOf(inputs, more !== undefined || total !== undefined),
  };
}

/** Returns the length of a full page, unless the response itself marks the last page. */
function fullOf(inputs: readonly Input[], isEndKnown: boolean): { readonly full?: number } {
  const { maximum, default: byDefault } = inputOfArgument(inputs, "first")?.shape.limits ?? {};
  const full = maximum ?? byDefault;
  return isEndKnown || typeof full !== "number" ? {} : { full: Math.floor(full) };
}

/**
 * Returns the number or offset of the first page: the parameter's default or minimum. Otherwise an offset starts at 0, and a page
 * number at 1 unless the description mentions 0.
 */
export function pagingOrigin({
  name,
  node,
  shape,
}: Pick<Input, "name" | "node" | "shape">): number | undefined {
  if (declaresOrigin(shape)) return declaredOrigin(shape);
  if (["offset", "skip"].includes(normalizeName(name))) return 0;
  if (!hasName(pagingNames.page, { name })) return undefined;
  const said = [node.value, shape.node.value].map((each) => membersOf(each).description).join(" ");
  const isFromZero =
    /pageindex/.test(normalizeName(name)) ||
    /\bpage index\b|\b(?:0|zero)[- ](?:based|indexed)|(?:start|begin|count)\w* (?:at|from|with) (?:0|zero)\b/i.test(
      said,
    );
  return isFromZero ? 0 : 1;
}

const declaredOrigin = ({ limits }: Shape): number | undefined => {
  const from = [limits.default, limits.minimum].find((limit) => typeof limit === "number");
  return Number.isInteger(from) && (from as number) >= 0 ? (from as number) : undefined;
};

/** Whether the document declares the number or offset of the first page by a default or a minimum. */
export const declaresOrigin = ({ limits }: Shape): boolean =>
  limits.default !== undefined || typeof limits.minimum === "number";

export const inputOfArgument = (inputs: readonly Input[], argument: string): Input | undefined =>
  inputs.find(({ source }) => source.kind === "argument" && source.path.join(".") === argument);

export function pageSizesOf(inputs: readonly Input[]): Pick<Page, "first" | "most"> {
  const input = inputOfArgument(inputs, "first");
  const { default: byDefault, maximum } = input?.shape.limits ?? {};
  const first = Number.isInteger(byDefault) ? byDefault : input?.argumentDefault;
  return {
    ...(typeof first === "number" && { first }),
    ...(typeof maximum === "number" && { most: Math.floor(maximum) }),
  };
}
