/**
 * Serves the example dashboard (`examples/dashboard`) on `/`. It is served only outside production, and only if this process runs
 * the demo platform and GraphQL. The dashboard's files are a fixed list. They need no key, because they contain no tenant data.
 * The dashboard's requests contain the key that the user enters on the page.
 */
import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import type { Config } from "restbound";

type Dashboard = {
  /** The API key in the page's input field when the page opens. */
  readonly key?: string;
  /** The origin of the GraphQL endpoint. The default is the page's origin. */
  readonly api?: string;
};

const project = new URL("../../../", import.meta.url);
const inFolder = (name: string): [string, string] => [
  `/examples/dashboard/${name}`,
  fileURLToPath(new URL(`examples/dashboard/${name}`, project)),
];
const inPackage = (path: string, name: string): [string, string] => [
  path,
  fileURLToPath(import.meta.resolve(name)),
];

const page = new URL("examples/dashboard/index.html", project);
const manifest = "generated/operations-manifest.json";
const types: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
  }),
);

/** Whether the dashboard is served: it needs GraphQL and the demo platform's API, and an installation may omit its files. */
export const hasDashboard = ({ production, roles }: Config): boolean =>
  !production && roles.has("platform") && roles.has("graphql") && existsSync(page);

/** Adds GET routes for the dashboard's files to the server. */
export function serveDashboard(server: FastifyInstance, { key = "", api = "" }: Dashboard): void {
  const files = [
    ...["main.js", "client.js", "start-page.js", "incremental.js"].map(inFolder),
    ...["views.js", "charts.js", "elements.js", "dashboard.css"].map(inFolder),
    inPackage("/uplot/uPlot.esm.js", "uplot/dist/uPlot.esm.js"),
    inPackage("/uplot/uPlot.min.css", "uplot/dist/uPlot.min.css"),
    inPackage("/meros/index.mjs", "meros/browser"),
    [`/${manifest}`, fileURLToPath(new URL(manifest, project))],
  ] as const;
  const headers = { "cache-control": "no-cache" };
  for (const [path, file] of files)
    server.get(path, (_request, reply) =>
      reply
        .headers(headers)
        .type(types.get(extname(file)) as string)
        .send(readFileSync(file)),
    );
  const html = readFileSync(page, "utf8")
    .replace('data-api=""', () => `data-api="${api}"`)
    .replace('data-key=""', () => `data-key="${key}"`);
  const [, importMap = ""] = /<script type="importmap">([^<]*)</.exec(html) ?? [];
  const scripts = `'self' 'sha256-${hash("sha256", importMap, "base64")}'`;
  const policy = `default-src 'none'; script-src ${scripts}; style-src 'self'; img-src data:; connect-src 'self' ${api}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;
  server.get("/", (_request, reply) =>
    reply
      .headers({ ...headers, "content-security-policy": policy })
      .type("text/html; charset=utf-8")
      .send(html),
  );
}
