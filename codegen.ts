/** The configuration of `npm run codegen`, as graphql-codegen's own command and editors read it. */
import { configFor } from "restbound/codegen";

export default configFor(import.meta.dirname);
