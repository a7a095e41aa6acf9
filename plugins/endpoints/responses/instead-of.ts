const create = 'send it to POST /v1/responses'

/** Paths that clients of other APIs ask for, and what to use instead. */
const paths: Readonly<Record<string, string>> = {
  '/chat/completions': `This gateway does not speak Chat Completions. Use your client's Responses API: ${create}, with "input" in place of "messages".`,
  '/completions': `This gateway does not speak Completions. Use your client's Responses API: ${create}, with "input" in place of "prompt".`,
  '/messages': `This gateway does not speak Messages. Use a client of the Responses API: ${create}, with "input" in place of "messages".`,
  '/responses/responses': 'Did you mean /v1/responses? Then end the base URL of your client with /v1.',
  '/embeddings': 'This gateway does not serve embeddings, only models that generate text: POST /v1/responses.',
  '/conversations':
    'This gateway does not store conversations. To continue a response, send its id as "previous_response_id" to POST /v1/responses.',
}

/** With `/v1` and without, since a wrong base URL leaves it out. */
export const insteadOf: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(paths).flatMap(([path, text]) => [
    [`/v1${path}`, text],
    [path, text],
  ]),
)
