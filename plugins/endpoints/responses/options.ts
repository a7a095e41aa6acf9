/** The options of both ways to create a response, by HTTP and by WebSocket. */
export const createOptions = {
  events: {
    type: 'string',
    enum: ['all', 'documented'],
    default: 'all',
    description: '"documented" leaves out the refusal and annotation events, which are not in the documented protocol.',
  },
  unsupported: {
    type: 'string',
    enum: ['warn', 'refuse'],
    default: 'warn',
    description:
      'How to treat requests with `background`, `prompt` or a `conversation` that is not kept: answer with a warning, or refuse with a 400.',
  },
  upstreamFailureStatus: {
    type: 'integer',
    minimum: 400,
    maximum: 599,
    default: 424,
    description: 'The status of the error when every provider failed. Some SDKs retry only 408, 409, 429 and 5xx.',
  },
} as const
