/** The handler of the product identity. It returns the profile of the caller. */
import { CodedError } from "restbound";
import type { Handler } from "../handler.ts";
import { text } from "../store/row.ts";

export const getMe: Handler = ({ caller, tenant }) => {
  const user = tenant.get("userById", { id: caller.userId });
  if (!user) throw new CodedError("UNAUTHENTICATED", "the API key is not valid");
  const { tenantId, roles, permissions, features } = caller;
  return { id: text(user.id), email: text(user.email), tenantId, roles, permissions, features };
};
