/** The configuration of `npm run codegen`, as graphql-codegen's own command and editors read it. */
import { configFor } from "./src/engine/codegen/generate.ts";

export default configFor(import.meta.dirname);
