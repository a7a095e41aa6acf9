import { GatewayError, parseJson } from '../../../core/index.ts'
import { bodyValidator, type Wire } from '../../../core/kit.ts'

/** The service's answer. Other members are ignored. */
const verdictSchema = {
  type: 'object',
  required: ['verdict'],
  discriminator: { propertyName: 'verdict' },
  oneOf: [
    { type: 'object', required: ['verdict'], properties: { verdict: { const: 'allow' } } },
    { type: 'object', required: ['verdict'], properties: { verdict: { const: 'refuse' }, message: { type: 'string' } } },
    {
      type: 'object',
      required: ['verdict', 'texts'],
      properties: {
        verdict: { const: 'replace' },
        texts: {
          type: 'array',
          items: { type: 'object', required: ['id', 'text'], properties: { id: { type: 'integer' }, text: { type: 'string' } } },
        },
      },
    },
  ],
} as const

export type Verdict = Wire<typeof verdictSchema>

const check = bodyValidator(verdictSchema)

/** Throws an `Error` whose message completes the sentence "the service …". It names members, never values. */
export function verdictIn(body: Uint8Array): Verdict {
  const text = utf8Of(body)
  if (text === undefined) throw new Error('sent a reply that is not UTF-8')
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null) throw new Error('sent a reply that is not a JSON object')
  try {
    check(value)
  } catch (error) {
    throw new Error(`sent a reply that is malformed at "${(error instanceof GatewayError && error.param) || 'verdict'}"`)
  }
  return value as Verdict
}

function utf8Of(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}
