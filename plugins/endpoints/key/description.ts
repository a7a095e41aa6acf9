import type { JsonObject } from '../../../core/index.ts'
import type { ReplyDescription, RouteDescription } from '../../../core/kit.ts'
import { policyFields } from '../../../core/admin.ts'

// The OpenAPI descriptions of the two routes.

const usd = (description: string): JsonObject => ({ type: 'number', minimum: 0, description: `US dollars. ${description}` })
const usdOrNull = (description: string): JsonObject => ({ ...usd(`${description} Null if nothing limits it.`), type: ['number', 'null'] })
const secondsOrNull = (description: string): JsonObject => ({ type: ['integer', 'null'], description: `Unix seconds. ${description}` })
const namesOrNull = (description: string): JsonObject => ({ type: ['array', 'null'], items: { type: 'string' }, description })

function object(properties: Readonly<Record<string, JsonObject>>): JsonObject {
  return { type: 'object', required: Object.keys(properties), properties }
}

const remaining = usdOrNull('The least that the cap of the key, the caps above it and the credit leave.')
const setting = object({
  value: { type: 'boolean' },
  source: { enum: ['org', 'team', 'user', 'key'], description: 'The level that set it.' },
})
const limit: JsonObject = {
  type: 'object',
  required: ['window_s', 'remaining', 'refills_at'],
  properties: {
    requests: { type: 'integer', minimum: 1 },
    tokens: { type: 'integer', minimum: 1 },
    window_s: { type: 'number' },
    remaining: { type: ['number', 'null'], minimum: 0, description: 'Neither used nor held by requests under way. Null: unknown.' },
    refills_at: secondsOrNull('Null if the window has not begun: it begins with the next request.'),
  },
}

const schemas: Readonly<Record<string, JsonObject>> = {
  Key: object({
    object: { const: 'key' },
    id: { type: 'string' },
    name: { type: 'string' },
    created_at: { type: 'integer' },
    expires_at: secondsOrNull('When it stops working. Null: never.'),
    models: namesOrNull('The models it may use. Null: all.'),
    providers: namesOrNull('The providers it may use. Null: all.'),
    policy: object(Object.fromEntries(policyFields.map(field => [field, setting]))),
    spend: object({
      cap_usd: usdOrNull('The spend cap of the key.'),
      period: { enum: ['day', 'week', 'month', null], description: 'The period of the cap. Null: all time.' },
      spent_usd: usd('In the period of the cap; without a cap, in all.'),
      held_usd: usdOrNull('What requests under way hold of the cap of the key.'),
      remaining_usd: usdOrNull('What the cap of the key leaves.'),
      resets_at: secondsOrNull('When the next period begins.'),
    }),
    credit: object({ remaining_usd: usdOrNull('The least that the user, the team and the organization leave.') }),
    remaining_usd: remaining,
    limits: { type: 'array', items: limit },
    max_concurrency: { type: ['integer', 'null'], description: 'The most requests to models in progress at once.' },
  }),
  Credits: object({
    object: { const: 'credits' },
    spent_usd: usd('What the key has spent.'),
    remaining_usd: remaining,
    data: object({ total_credits: usdOrNull('Spent and remaining.'), total_usage: usd('Spent.') }),
  }),
}

export function describeKey(): RouteDescription {
  return { summary: 'Show what the API key may still do', replies: replies('What is left of the limits of the key.', 'Key'), schemas }
}

export function describeCredits(): RouteDescription {
  return { summary: 'Show what the API key may still spend', replies: replies('The amounts.', 'Credits'), schemas }
}

function replies(description: string, schema: string): Readonly<Record<number, ReplyDescription>> {
  return {
    200: reply(description, schema),
    401: reply('The API key is missing or unknown.', 'Error'),
    503: reply('The spending or the limits cannot be looked up.', 'Error'),
  }
}

function reply(description: string, schema: string): ReplyDescription {
  return { description, content: { 'application/json': { $ref: `#/components/schemas/${schema}` } } }
}
