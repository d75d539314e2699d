/** A small REST server of the other API: posts, users and comments, and a list of the calls it got. */
import { text } from "node:stream/consumers";
import { listen } from "../gateway/fakes.ts";

const users = [
  { id: 1, handle: "ada", plan: "paid-monthly" },
  { id: 2, handle: "bob", plan: "free" },
  { id: 3, handle: "cyd" },
];

/** Starts it; every call and the key it came with is in `calls`. */
export async function startBlog() {
  const posts = [1, 2, 3, 2].map((author_id, index) => ({
    id: `p${index}`,
    title: `Post ${index}`,
    author_id,
  }));
  const comments = [
    { post_id: "p0", text: "first" },
    { post_id: "p0", text: "second" },
    { post_id: "p2", text: "third" },
  ];
  const calls: string[] = [];
  const blog = await listen(async (request, response) => {
    const { method, url = "" } = request;
    calls.push(`${method} ${url} ${request.headers["x-api-key"]}`);
    const { pathname, searchParams } = new URL(url, "http://blog");
    const id = /^\/api\/posts\/([^/]+)$/.exec(pathname)?.[1];
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (method === "POST") {
      const post = {
        id: `p${posts.length}`,
        ...(JSON.parse(await text(request)) as { title: string; author_id: number }),
      };
      posts.push(post);
      return reply(201, post);
    }
    if (method === "PATCH") {
      if (request.headers["content-type"] !== "application/merge-patch+json") return reply(415, {});
      return reply(
        200,
        Object.assign(posts.find((one) => one.id === id) ?? {}, JSON.parse(await text(request))),
      );
    }
    if (method === "DELETE") return void response.writeHead(204).end();
    if (pathname === "/api/posts")
      return reply(200, { data: posts.slice(0, Number(searchParams.get("per_page"))) });
    if (pathname === "/api/users")
      return reply(
        200,
        users.filter((user) => searchParams.getAll("id").includes(`${user.id}`)),
      );
    if (pathname === "/api/comments") {
      const wanted = searchParams.get("post_ids")?.split(",") ?? [];
      return reply(
        200,
        comments.filter(({ post_id }) => wanted.includes(post_id)),
      );
    }
    const post = posts.find((one) => one.id === id);
    return reply(post ? 200 : 404, post ?? {});
  });
  return { url: new URL("/api/", blog.url), close: blog.close, calls };
}
