/** Runs every operation of this process on graphql-js. */
import { Plans } from "../../../src/graphql/plan/plans.ts";

Plans.prototype.get = () => undefined;
