/** Longer deadlines for tests that do not test deadlines: a busy machine can miss the default of one second. */
export const patient: NodeJS.ProcessEnv = {
  CONNECT_TIMEOUT_MS: "10000",
  KEY_INTROSPECTION_TIMEOUT_MS: "20000",
};
