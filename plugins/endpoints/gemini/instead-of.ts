const base = 'End the base URL of your client before /v1beta.'

/** Paths that clients of this API ask for, and what to do instead. */
export const insteadOf: Readonly<Record<string, string>> = {
  '/v1beta/v1beta': base,
  '/v1beta/openai': 'End the base URL of your client with /v1 to speak the OpenAI format.',
  '/v1beta/files': 'The gateway stores no files. Send them as inlineData or by their address.',
  '/v1beta/cachedContents': 'The gateway creates no cached contents.',
  '/v1beta/tunedModels': 'Name a tuned model as any other: /v1beta/models/{provider}/{model}.',
}
