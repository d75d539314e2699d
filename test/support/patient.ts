/** Deadlines of a second by default, which a busy machine can miss: for tests that they are not the point of. */
export const patient: NodeJS.ProcessEnv = {
  CONNECT_TIMEOUT_MS: "10000",
  KEY_INTROSPECTION_TIMEOUT_MS: "20000",
};
