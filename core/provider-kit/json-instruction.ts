import type { JsonObject } from '../foundation/json.ts'

/** Instructs a model to answer in JSON, for requests in which the vendor does not enforce it. */
export function jsonInstruction(schema?: JsonObject): string {
  const nothingElse = 'and nothing else: no other text, no code fence.'
  if (!schema) return `Answer with one JSON object ${nothingElse}`
  return `Answer with one JSON value that matches this JSON Schema ${nothingElse}\n${JSON.stringify(schema)}`
}
