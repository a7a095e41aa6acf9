const base = 'End the base URL of your client before /v1.'

/** Paths that clients of this API ask for, and what to do instead. */
export const insteadOf: Readonly<Record<string, string>> = {
  '/v1/v1/messages': base,
  '/messages': 'Did you mean /v1/messages?',
  '/v1/messages': 'The gateway serves POST /v1/messages and POST /v1/messages/count_tokens.',
  '/v1/messages/batches': 'The gateway serves no batches. Send each request to POST /v1/messages.',
  '/v1/complete': 'This gateway does not speak Text Completions. Send messages to POST /v1/messages.',
}
