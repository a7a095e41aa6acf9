import { anyDecisionSchema } from '../contracts/decision.ts'
import { itemSchema } from '../contracts/items.ts'
import { GatewayError } from '../foundation/errors.ts'
import { isObject } from '../foundation/json.ts'
import { bodyValidator } from '../validation/body-validator.ts'

// Checks a guardrail's replacement of a request. A malformed one would fail later, and look like the fault of a provider or of the caller.

/** More than any request that the gateway accepts. */
const maxCharacters = 256 * 1024 * 1024
const maxValues = 2_000_000

const checkGeneration = bodyValidator({
  type: 'object',
  required: ['model', 'input'],
  properties: {
    model: { type: 'string', minLength: 1 },
    instructions: { type: 'string' },
    input: { type: 'array', minItems: 1, items: itemSchema },
    tools: { type: 'array', items: { type: 'object', required: ['type'], properties: { type: { type: 'string' } } } },
  },
})
const checkDecision = bodyValidator(anyDecisionSchema)

/** Completes the sentence "returned a request that …". Undefined if the request can be used. Names members, never values. */
export function requestProblem(value: unknown): string | undefined {
  return problemOf(value, checkGeneration)
}

export function decisionProblem(value: unknown): string | undefined {
  return problemOf(value, checkDecision)
}

function problemOf(value: unknown, check: (body: object) => void): string | undefined {
  if (!isObject(value)) return 'is not an object'
  if (isTooLarge(value)) return `has more than ${maxCharacters} characters or ${maxValues} values`
  try {
    check(value)
    return undefined
  } catch (error) {
    return `is malformed at ${(error instanceof GatewayError && error.param) || 'its top level'}`
  }
}

/** Also true for an object that contains itself. */
function isTooLarge(request: object): boolean {
  const left: unknown[] = [request]
  let characters = 0
  for (let values = 0; left.length > 0; values++) {
    const value = left.pop()
    if (typeof value === 'string') characters += value.length
    else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) left.push(member)
    if (characters > maxCharacters || values + left.length > maxValues) return true
  }
  return false
}
