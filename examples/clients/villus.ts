/** villus 3: a plugin sets the headers; it returns the error beside the rest of the response. This key may not read contacts. */

import { failedAt } from "messaging-graphql-client";
import { createClient, defaultPlugins, definePlugin } from "villus";

const withKey = definePlugin(({ opContext }) => {
  opContext.headers["X-API-Key"] = "sk_test_DemoHarborNoah00000000000010Rt4d";
});
const client = createClient({ url: "http://127.0.0.1:4000/v1/graphql", use: [withKey, ...defaultPlugins()] });
const { data, error } = await client.executeQuery({
  query: "query Start { me { email } contacts { name } }",
});
console.log(failedAt(error, ["contacts"])?.extensions.code);
console.log(data.me.email, data.contacts);

/* prints
FORBIDDEN
noah@harbor.example null
*/
