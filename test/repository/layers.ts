/**
 * The layers of `src`, the lowest first. A folder imports only itself and the folders before it in its own list. Folders of
 * one row do not import each other. Build time and run time share only `shared`. `shared`, `build` and `runtime` are the files
 * directly in these folders. `.dependency-cruiser.mjs` enforces it.
 */
const shared = [["shared"], ["shared/manifests"]];

export const buildTime = [
  ...shared,
  ["shared/cli"],
  ["build"],
  ["build/openapi"],
  ["build/schema"],
  ["build/bind"],
  ["build/project"],
  ["build/propose", "build/explain", "build/validate", "build/bundle", "build/sources"],
  ["build/codegen"],
  ["build/check", "build/init", "client-package"],
  ["build/update", "build/lsp"],
  ["bin"],
  ["exports"],
];

export const runTime = [
  ...shared,
  ["runtime/settings"],
  ["runtime"],
  ["runtime/dns"],
  ["runtime/observe"],
  ["runtime/http"],
  ["runtime/governor"],
  ["runtime/rest"],
  ["runtime/graphql"],
  ["gateway", "mcp"],
  ["server"],
  ["bin"],
  ["exports"],
  ["platform"],
  ["main.ts"],
];
