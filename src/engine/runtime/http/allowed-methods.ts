/**
 * Responds with 405 and `Allow` to a method that a known path does not support (RFC 9110 §15.5.6), even to a method such as
 * PROPFIND that no route supports. Fastify alone would respond with 404.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { own } from "../../shared/own.ts";

declare module "fastify" {
  interface FastifyInstance {
    /**
     * The value of `Allow` by path, if it differs from the methods of the routes. If the value is empty, the response is a 404.
     */
    allow: Map<string, string>;
  }
}

type KnownPath = { readonly route: string; readonly allow: string };

/** Collects the routes added to `server` afterwards. Returns a function that finds the route of a request by its path. */
export function collectMethods(server: FastifyInstance): (request: FastifyRequest) => KnownPath | undefined {
  const allow = new Map<string, string>();
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  server.decorate("allow", allow);
  server.addHook("onRoute", ({ url, method }) => {
    if (url === "*") return; // the CORS plugin's route for preflights of any path
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const each of [method].flat()) route.methods.add(each);
    routes.set(url, route);
  });
  return (request) => {
    const path = pathOf(request.url);
    const explicit = allow.get(path);
    if (explicit !== undefined) return explicit === "" ? undefined : { route: path, allow: explicit };
    const found = [...routes].find(([url, { pattern }]) => url === path || pattern.test(path));
    return found && { route: found[0], allow: inOrder([...found[1].methods]) };
  };
}

/** Converts the path of a route to a pattern: `:id` matches one segment, `*` any rest of the path. */
const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
      .replace(/:\w+/g, "[^/]+")
      .replace("*", ".*")}$`,
    "s",
  );

/** Returns the decoded path without the query, the form that Fastify matches. */
function pathOf(url: string): string {
  const [path = ""] = url.split("?", 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const order = { GET: 1, HEAD: 2, QUERY: 3, POST: 4, PUT: 5, PATCH: 6, DELETE: 7, OPTIONS: 8 };
const inOrder = (methods: string[]): string =>
  methods.sort((left, right) => (own(order, left) ?? 0) - (own(order, right) ?? 0)).join(", ");
