const create = 'send it to POST /v1/responses'

/** What clients of other APIs ask for, and what is served in its place. */
const paths: Readonly<Record<string, string>> = {
  '/chat/completions': `This gateway does not speak Chat Completions. Use your client's Responses API: ${create}, with "input" in place of "messages".`,
  '/completions': `This gateway does not speak Completions. Use your client's Responses API: ${create}, with "input" in place of "prompt".`,
  '/messages': `This gateway does not speak Messages. Use a client of the Responses API: ${create}, with "input" in place of "messages".`,
  '/embeddings': 'This gateway makes no embeddings: it serves models that generate text, at POST /v1/responses.',
  '/conversations':
    'This gateway keeps no conversations. To continue a response, send its id as "previous_response_id" to POST /v1/responses.',
}

/** With `/v1` and without it, as a base URL that is wrong makes it. */
export const insteadOf: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(paths).flatMap(([path, text]) => [
    [`/v1${path}`, text],
    [path, text],
  ]),
)
