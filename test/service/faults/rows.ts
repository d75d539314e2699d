/**
 * Faults of an upstream, row by row, for the `graphql` role: what is done to the upstream, what is measured, and whether
 * that meets the criterion.
 */
import {
  broken,
  flapping,
  flappingAlways,
  hangs,
  limited,
  redirected,
  refused,
  violated,
} from "./answers.ts";
import { left, mutations, terminated } from "./clients.ts";
import type { Row } from "./row.ts";
import { bomb, costly, tooLarge } from "./sizes.ts";

/** Rows that share one `graphql` role: none of them needs a fresh process or leaves one behind that others cannot use. */
export const groups: readonly (readonly Row[])[] = [
  [refused],
  [hangs],
  [broken, violated, limited, redirected, left, costly, mutations],
  [flapping],
  [flappingAlways],
  [tooLarge],
  [bomb],
  [{ ...terminated, environment: { NODE_ENV: "production", LOG_LEVEL: "info" } }],
];
