/**
 * Another API with no edit in `src/`: the project is copied, `spec/` replaced by a pair about posts and users, the
 * commands run as a user runs them, and the `graphql` role serves it in front of that API's own REST server.
 */
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { listens, startProgram } from "../../support/child-process.ts";
import { type Project, projectOf } from "../../support/project.ts";
import { startBlog } from "./blog.ts";

let copy: Project;
let url: URL;
let calls: string[];

/** The role in front of the blog, asked with a key that only the blog knows. */
beforeAll(async () => {
  copy = projectOf(join(import.meta.dirname, "spec"));
  await copy.codegen();
  const blog = await startBlog();
  calls = blog.calls;
  const program = startProgram([copy.main, "graphql"], { REST_BASE_URL: blog.url.href });
  url = await listens(program);
  return async () => {
    await program.stop();
    await blog.close();
    copy.remove();
  };
});
beforeEach(() => void calls.splice(0));

async function ask(query: string, variables = {}) {
  const headers = { "content-type": "application/json", "x-api-key": "blog-key" };
  const body = JSON.stringify({ query, variables });
  return (await fetch(new URL("/v1/graphql", url), { method: "POST", headers, body })).json();
}

test("nothing of the first API is left in what is generated", () => {
  for (const name of [
    "resolvers.ts",
    "schema.graphql",
    "operations.ts",
    "arguments.ts",
    "graphql.ts",
    "rest.ts",
  ])
    expect(copy.read(`generated/${name}`)).not.toMatch(/contact|conversation|sendMessage/i);
});

test("a link costs one call a chunk; lists, enums and missing values come out right", async () => {
  const author = (id: string, handle: string, plan: string | null) => ({ id, handle, plan });
  expect(await ask("{ posts(first: 4) { id author { id handle plan } comments { text } } }")).toEqual({
    data: {
      posts: [
        {
          id: "p0",
          author: author("1", "ada", "PAID_MONTHLY"),
          comments: [{ text: "first" }, { text: "second" }],
        },
        { id: "p1", author: author("2", "bob", "FREE"), comments: [] },
        { id: "p2", author: author("3", "cyd", null), comments: [{ text: "third" }] },
        { id: "p3", author: author("2", "bob", "FREE"), comments: [] },
      ],
    },
  });
  expect(calls.sort()).toEqual([
    "GET /api/comments?post_ids=p0,p1,p2,p3 blog-key",
    "GET /api/posts?per_page=4 blog-key",
    "GET /api/users?id=1&id=2 blog-key", // maxItems: 2
    "GET /api/users?id=3 blog-key",
  ]);
});

test("lookups, a mutation and refusals work as for the first API", async () => {
  expect(await ask('{ one: post(id: "p1") { title } none: post(id: "p9") { title } }')).toEqual({
    data: { one: { title: "Post 1" }, none: null },
  });
  const create =
    "mutation ($t: String!) { createPost(title: $t, authorId: 2) { id title author { handle } } }";
  expect(await ask(create, { t: "New" })).toEqual({
    data: { createPost: { id: "p4", title: "New", author: { handle: "bob" } } },
  });
  expect(await ask('mutation { editPost(id: "p4", title: "Newer") { title } }')).toEqual({
    data: { editPost: { title: "Newer" } },
  });
  expect(await ask('mutation { deletePost(id: "p4") }')).toEqual({ data: { deletePost: null } });
  calls.length = 0;
  expect(await ask(create, { t: "" })).toMatchObject({
    errors: [{ extensions: { code: "BAD_USER_INPUT", argument: "title" } }],
  });
  expect(await ask('{ post(id: "..") { id } }')).toMatchObject({
    errors: [{ extensions: { code: "BAD_USER_INPUT", argument: "id" } }],
  });
  expect(await ask("{ posts(first: 51) { id } }")).toMatchObject({
    errors: [{ extensions: { code: "BAD_USER_INPUT", argument: "first" } }],
  });
  expect(calls).toEqual([]);
});
