/** Paths that clients of this API ask for, and what to do instead. */
export const insteadOf: Readonly<Record<string, string>> = {
  '/conversations': 'Did you mean /v1/conversations? Then end the base URL of your client with /v1.',
  '/v1/conversations':
    'The gateway serves POST /v1/conversations, and below it /{id}, /{id}/items and /{id}/items/{item}. It does not list conversations.',
}
