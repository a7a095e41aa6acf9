const base = 'End the base URL of your client with /v1.'

/** Paths that clients of this API ask for, and what to do instead. */
export const insteadOf: Readonly<Record<string, string>> = {
  '/v1/v1/chat/completions': base,
  '/v1/chat/completions/chat/completions': base,
  '/chat/completions': 'Did you mean /v1/chat/completions? Then end the base URL of your client with /v1.',
  '/v1/chat': 'The gateway serves POST /v1/chat/completions. It keeps no completions, so there is none to read or list.',
  '/v1/completions': 'This gateway does not speak Text Completions. Send messages to POST /v1/chat/completions.',
}
