/** Scalar Galaxy: a small real document of an npm package, and what `npm run propose` makes of it. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Proposals, proposalsOf } from "./proposals.ts";

export const galaxy = readFileSync(createRequire(import.meta.url).resolve("@scalar/galaxy/3.1.yaml"), "utf8");

export const galaxyProposals = (): Proposals =>
  proposalsOf((name) => (name === "openapi.yaml" ? galaxy : undefined), 100);
