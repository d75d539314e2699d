/** `restbound init` on lists that REST pages in six ways: each is a connection that reads on to the end, and no further. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { run as init } from "../../../../src/engine/build/init/init-command.ts";
import { listens, startProgram } from "../../../support/child-process.ts";
import { emptyProject, type Project } from "../../../support/project.ts";
import { listen } from "../../gateway/fakes.ts";
import { ran } from "../check/run.ts";

const text = { type: "string" };
const number = (limits: object) => ({ type: "integer", ...limits });
const item = { type: "object", required: ["id"], properties: { id: number({ format: "int32" }) } };
const list = { type: "array", items: { $ref: "#/components/schemas/Item" } };

/** Path → its query parameters, and the schema of its answer. */
const lists: Record<string, { parameters: Record<string, object>; answer: object; headers?: object }> = {
  cursors: {
    parameters: { cursor: text, limit: number({ maximum: 10, default: 4 }) },
    answer: {
      type: "object",
      required: ["items", "total"],
      properties: { items: list, total: number({ format: "int32" }), next_cursor: text },
    },
  },
  linked: {
    parameters: { per_page: number({ default: 4 }), page: number({ default: 1 }) },
    answer: list,
    headers: { Link: { schema: text } },
  },
  counted: {
    parameters: { count: number({ maximum: 10, default: 4 }), page: number({ minimum: 0 }) },
    answer: list,
  },
  flagged: {
    parameters: { page: number({ default: 1 }) },
    answer: { type: "object", required: ["rows"], properties: { rows: list, has_more: { type: "boolean" } } },
  },
  numbered: {
    parameters: { per_page: number({ default: 4, maximum: 10 }), page: number({ default: 1 }) },
    answer: {
      type: "object",
      required: ["rows", "meta"],
      properties: {
        rows: list,
        meta: {
          type: "object",
          required: ["current_page", "next_page", "total_pages"],
          properties: {
            current_page: number({ format: "int32" }),
            next_page: { type: ["integer", "null"], format: "int32" },
            total_pages: number({ format: "int32" }),
          },
        },
      },
    },
  },
  // as in Svix's API, whose last page has an iterator too
  iterated: {
    parameters: { limit: number({ default: 4, maximum: 10 }), iterator: { type: ["string", "null"] } },
    answer: {
      type: "object",
      required: ["data", "done", "iterator"],
      properties: {
        data: list,
        iterator: { type: ["string", "null"] },
        prevIterator: { type: ["string", "null"] },
        done: { type: "boolean" },
      },
    },
  },
};

const document = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Lists", version: "1" },
  security: [],
  paths: Object.fromEntries(
    Object.entries(lists).map(([operationId, { parameters, answer: schema, headers }]) => [
      `/${operationId}`,
      {
        get: {
          operationId,
          parameters: Object.entries(parameters).map(([name, own]) => ({ name, in: "query", schema: own })),
          responses: {
            200: {
              description: "ok",
              content: { "application/json": { schema } },
              ...(headers && { headers }),
            },
          },
        },
      },
    ]),
  ),
  components: { schemas: { Item: item } },
});

const all = Array.from({ length: 11 }, (_, id) => ({ id }));

const calls: string[] = [];

/** REST with eleven items in each list. */
const startLists = () =>
  listen((request, response) => {
    calls.push(request.url ?? "");
    const { pathname, searchParams } = new URL(request.url ?? "", "http://rest.example");
    const given = (name: string, otherwise: number): number => Number(searchParams.get(name) ?? otherwise);
    const size = given("limit", given("per_page", given("count", 4)));
    const from = pathname === "/counted" ? 0 : 1;
    const cursor = { "/cursors": "cursor", "/iterated": "iterator" }[pathname];
    const start = cursor ? given(cursor, 0) : (given("page", from) - from) * size;
    const page = all.slice(start, start + size);
    const isLast = start + size >= all.length;
    const next = new URLSearchParams({
      ...Object.fromEntries(searchParams),
      page: String(given("page", 1) + 1),
    });
    const answer = {
      "/cursors": { items: page, total: all.length, ...(!isLast && { next_cursor: String(start + size) }) },
      "/flagged": { rows: page, has_more: !isLast },
      "/iterated": { data: page, iterator: String(start + size), prevIterator: null, done: isLast },
      "/numbered": {
        rows: page,
        meta: {
          current_page: given("page", 1),
          next_page: isLast ? null : given("page", 1) + 1,
          total_pages: Math.ceil(all.length / size),
        },
      },
    }[pathname];
    response.writeHead(200, {
      "content-type": "application/json",
      ...(pathname === "/linked" && !isLast && { link: `<https://rest.example/linked?${next}>; rel="next"` }),
    });
    response.end(JSON.stringify(answer ?? page));
  });

let copy: Project;
let url: URL;

beforeAll(async () => {
  copy = emptyProject();
  writeFileSync(join(copy.root, "lists.json"), document);
  const done = await ran(copy.root, ["--openapi", "lists.json"], init);
  expect(done).toMatchObject({ code: 0, error: "" });
  const rest = await startLists();
  const program = startProgram([copy.main, "graphql"], { REST_BASE_URL: rest.url.href });
  url = await listens(program);
  return async () => {
    await program.stop();
    await rest.close();
    copy.remove();
  };
});

async function query(document: string): Promise<unknown> {
  const headers = { "content-type": "application/json", "x-api-key": "key" };
  const body = JSON.stringify({ query: document });
  return (await fetch(new URL("/v1/graphql", url), { method: "POST", headers, body })).json();
}

test("what is generated passes check and type-checks", { timeout: 120_000 }, async () => {
  expect((await ran(copy.root, [])).out).toContain("findings: 0 ");
  expect(copy.typeErrors(["generated"])).toBe("");
});

test("every list reads on to its end, in one call a page", { timeout: 60_000 }, async () => {
  const pagesOf = async (field: string): Promise<string[][]> => {
    const pages: string[][] = [];
    for (let after: string | null = null; pages.length < 9; ) {
      const given: string = after === null ? "" : `(after: ${JSON.stringify(after)})`;
      const fields = "nodes { id } edges { cursor } pageInfo { hasNextPage endCursor }";
      const answer = (await query(`{ ${field}${given} { ${fields} } }`)) as {
        data: Record<
          string,
          { nodes: { id: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string } }
        >;
      };
      const page = answer.data[field];
      pages.push(page?.nodes.map(({ id }) => id) ?? []);
      if (!page?.pageInfo.hasNextPage) return pages;
      after = page.pageInfo.endCursor;
    }
    throw new Error(`${field} does not end`);
  };
  const inFours = [
    ["0", "1", "2", "3"],
    ["4", "5", "6", "7"],
    ["8", "9", "10"],
  ];
  calls.length = 0; // the start asked whether REST is there
  for (const field of Object.keys(lists))
    expect({ [field]: await pagesOf(field) }).toEqual({ [field]: inFours });
  expect(calls).toEqual([
    "/cursors",
    "/cursors?cursor=4",
    "/cursors?cursor=8",
    "/linked",
    "/linked?per_page=4&page=2",
    "/linked?per_page=4&page=3",
    "/counted?page=0",
    "/counted?count=4&page=1",
    "/counted?count=4&page=2",
    "/flagged?page=1",
    "/flagged?page=2",
    "/flagged?page=3",
    "/numbered?page=1",
    "/numbered?per_page=4&page=2",
    "/numbered?per_page=4&page=3",
    "/iterated",
    "/iterated?iterator=4",
    "/iterated?iterator=8",
  ]);
});

test("a full page is the last one if REST says that no page follows", async () => {
  const page = async (given: string) => {
    const answer = await query(`{ numbered${given} { nodes { id } pageInfo { hasNextPage endCursor } } }`);
    return (
      answer as {
        data: { numbered: { nodes: object[]; pageInfo: { hasNextPage: boolean; endCursor: string } } };
      }
    ).data.numbered;
  };
  all.push({ id: 11 });
  onTestFinished(() => void all.pop());
  const { pageInfo } = await page("(first: 6)");
  expect(pageInfo.hasNextPage).toBe(true);
  const last = await page(`(first: 6, after: ${JSON.stringify(pageInfo.endCursor)})`);
  expect(last.nodes).toHaveLength(6);
  expect(last.pageInfo.hasNextPage).toBe(false);
});

test("a page may begin behind any edge, and `first` may change on the way", { timeout: 60_000 }, async () => {
  for (const field of ["cursors", "linked", "counted", "numbered", "iterated"]) {
    const ask = async (given: string) => {
      const answer = await query(`{ ${field}(${given}) { edges { cursor node { id } } } }`);
      return (answer as { data: Record<string, { edges: { cursor: string; node: { id: string } }[] }> }).data[
        field
      ]?.edges;
    };
    const three = await ask("first: 3");
    const behind = await ask(`first: 2, after: ${JSON.stringify(three?.[0]?.cursor)}`);
    expect({ [field]: behind?.map(({ node }) => node.id) }).toEqual({ [field]: ["1", "2"] });
    const next = await ask(`first: 9, after: ${JSON.stringify(behind?.[1]?.cursor)}`);
    expect(next?.[0]?.node.id).toBe("3");
  }
});
