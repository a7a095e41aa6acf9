import { ProviderFailure, type JsonObject, type ProviderCall } from '../../../core/index.ts'
import { lastText } from './conversation.ts'

/** The last user message as an instruction to a model: its text, and the JSON object that it is or contains. */
export interface Instruction {
  readonly text: string
  readonly object: JsonObject | undefined
}

export function readInstruction({ request }: ProviderCall): Instruction {
  const text = lastText(request).trim()
  return { text, object: parseObject(text) ?? parseObject(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) }
}

function parseObject(text: string): JsonObject | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return undefined
  }
}

/** A member that must be a whole number within bounds. Undefined if it is absent. */
export function wholeNumber(object: JsonObject, name: string, most: number): number | undefined {
  const value = object[name]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) return value
  throw misunderstood(`${name} must be a whole number from 0 to ${most}, not ${JSON.stringify(value)}.`)
}

export function misunderstood(message: string): ProviderFailure {
  return new ProviderFailure({ kind: 'invalid-request', status: 400, message })
}
