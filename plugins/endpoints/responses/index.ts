import { definePlugin, Routes } from '../../../core/index.ts'
import { createResponse } from './create.ts'

/** `POST /v1/responses`: spec.md, "Response request body" to "Events". */
export default definePlugin({
  name: 'responses',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      events: {
        type: 'string',
        enum: ['all', 'documented'],
        default: 'all',
        description:
          '"documented" leaves out the refusal and annotation events, which the public protocols have beyond the documented table.',
      },
    },
  },
  setup(gateway, { events }) {
    gateway.add(Routes, {
      method: 'POST',
      path: '/v1/responses',
      auth: 'key',
      handle: (exchange, services) => createResponse(exchange, services, events),
    })
  },
})
