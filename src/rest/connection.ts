/**
 * Makes a connection from a page of REST (GraphQL Cursor Connections Specification). REST has one cursor, that of the next
 * page. The cursor of the last edge stands for it. The cursor of any other edge stands for the cursor of its own page and
 * a number of items to skip, so a page that begins there asks REST for these items again, and leaves them out.
 */
import { CodedError } from "../errors.ts";
import type { ValueAt } from "./types.ts";
import { valueAt } from "./value-at.ts";

type PageArguments = { readonly first?: number | null; readonly after?: string | null };

/** The places of a page's values in the REST body, and the sizes of pages. */
type Page<Items extends readonly string[]> = {
  readonly items: Items;
  readonly next: readonly string[];
  /** Without it, a page with a next cursor has a next page. */
  readonly more?: readonly string[];
  /** Items of a page without `first`, and the most items of a page; absent if REST has no parameter for it. */
  readonly first?: number;
  readonly most?: number;
};

type ItemAt<Body, Items extends readonly string[]> =
  NonNullable<ValueAt<Body, Items>> extends readonly (infer Item)[] ? Item : never;

/** The fields of a connection that REST does not have. Its other fields are properties of the REST body. */
type Made<Item> = {
  readonly nodes: Item[];
  readonly edges: { readonly node: Item; readonly cursor: string }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
};

export type Connection<Body, Item> = Omit<Body, keyof Made<Item>> & Made<Item>;

/** The place where a page begins: after `skip` items of the REST page with this cursor. No cursor: the first page. */
type Start = { readonly cursor: string | null; readonly skip: number };

/** `load` gets the arguments in REST's terms. Throws `BAD_USER_INPUT` for a cursor that is not of this function. */
export async function connection<
  const Args extends PageArguments,
  Body extends object | null,
  const Items extends readonly string[],
>(
  args: Args,
  page: Page<Items>,
  load: (args: Args) => Promise<Body>,
): Promise<Connection<NonNullable<Body>, ItemAt<NonNullable<Body>, Items>> | Extract<Body, null>> {
  const start = startAt(args.after ?? undefined);
  // an argument that is left out has no value, also where every object inherits its name (`valueOf`)
  const own = { __proto__: null, ...args, ...sizeOf(args, page, start), after: start.cursor };
  const body = await load(own);
  if (typeof body !== "object" || body === null) return body as never;
  return made(body, page, start, (args.after ?? null) !== null) as never;
}

/** Skipped items count among those that REST sends, and REST sends no more than `most`. */
function sizeOf(
  args: PageArguments,
  { first, most }: Page<readonly string[]>,
  { skip }: Start,
): PageArguments {
  if (skip === 0 || first === undefined) return {};
  return { first: Math.min((args.first ?? first) + skip, most ?? Number.MAX_SAFE_INTEGER) };
}

/** `edges` and `pageInfo` are made when they are read: a selection of `nodes` pays for neither. */
function made(body: object, page: Page<readonly string[]>, start: Start, hasPreviousPage: boolean): object {
  const sent = valueAt(body, page.items);
  const nodes = Array.isArray(sent) ? sent.slice(start.skip) : sent;
  const count = Array.isArray(nodes) ? nodes.length : 0;
  const next = valueAt(body, page.next) ?? "";
  if (typeof next !== "string") throw new CodedError("BAD_UPSTREAM_RESPONSE", "the next cursor is not text");
  const more = page.more && (valueAt(body, page.more) ?? undefined);
  const cursorAt = (index: number): string =>
    index === count - 1 && next !== ""
      ? cursorOf({ cursor: next, skip: 0 })
      : cursorOf({ cursor: start.cursor, skip: start.skip + index + 1 });
  return {
    ...body,
    nodes,
    get edges() {
      return Array.isArray(nodes) ? nodes.map((node, index) => ({ node, cursor: cursorAt(index) })) : nodes;
    },
    get pageInfo() {
      return {
        hasNextPage: more ?? next !== "",
        hasPreviousPage,
        startCursor: count > 0 ? cursorAt(0) : null,
        endCursor: count > 0 ? cursorAt(count - 1) : next === "" ? null : cursorOf({ cursor: next, skip: 0 }),
      };
    },
  };
}

const cursorOf = ({ cursor, skip }: Start): string =>
  Buffer.from(`${skip}:${cursor ?? ""}`).toString("base64url");

/** Characters of a cursor. REST's own stands in a URL, which servers take up to about this length. */
const maxLength = 8_192;

function startAt(after: string | undefined): Start {
  if (after === undefined) return { cursor: null, skip: 0 };
  const text = after.length > maxLength ? "" : Buffer.from(after, "base64url").toString();
  const [, skip = "", cursor = ""] = /^(0|[1-9]\d{0,8}):(.*)$/s.exec(text) ?? [];
  const start = { cursor: cursor || null, skip: Number(skip) };
  if (text !== "" && cursorOf(start) === after && text !== "0:") return start;
  throw new CodedError(
    "BAD_USER_INPUT",
    'argument "after" must be a cursor that this field gave: an `endCursor`, or the `cursor` of an edge',
    { argument: "after" },
  );
}
