/** The graphql-codegen configuration; `npm run codegen` writes what it says, and removes what it no longer says. */
import { configFor } from "./src/codegen/generate.ts";

export default configFor(import.meta.dirname);
