import type { Capabilities } from '../contracts/catalog.ts'
import { agentToolTypes, efforts } from '../contracts/request.ts'
import { isObject } from '../foundation/json.ts'
import { isPending } from '../runtime/pending.ts'
import { kindOf } from '../foundation/kind-of.ts'
import { flag, oneOf, optional, shapeProblem, type Member } from './shape.ts'

const members: { readonly [N in keyof Capabilities]-?: Member } = {
  tools: optional(flag),
  parallelTools: optional(flag),
  customTools: optional(flag),
  namespaceTools: optional(flag),
  allowedTools: optional(flag),
  builtInTools: optional(flag),
  agentTools: optional(listOf(agentToolTypes)),
  grammars: optional(flag),
  structuredOutput: optional(oneOf('json_schema', 'json_object', 'none')),
  jsonModeReadsInput: optional(flag),
  efforts: optional(listOf(efforts)),
  hiddenReasoning: optional({ expected: 'true, false or "asked"', accepts: value => typeof value === 'boolean' || value === 'asked' }),
  streaming: optional(flag),
  verbosity: optional(flag),
  temperature: optional(flag),
  images: optional(flag),
  files: optional(flag),
  logprobs: optional(flag),
  contextManagement: optional(flag),
  webSearch: optional(flag),
  searchAlone: optional(flag),
  choices: optional(flag),
}

function listOf(values: readonly unknown[]): Member {
  return {
    expected: `an array of ${values.join(', ')}`,
    accepts: value => Array.isArray(value) && value.every(each => values.includes(each)),
  }
}

/** The first problem of capabilities, as the end of a sentence. Undefined if they are valid, or absent. */
export function capabilitiesProblem(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (isPending(value)) {
    // Nothing awaits the promise, so its rejection must not end the process.
    Promise.resolve(value).catch(() => {})
    return ': expected an object, got a promise (leave out `async`)'
  }
  if (!isObject(value)) return `: expected an object, got ${kindOf(value)}`
  for (const name in value)
    if (!(name in members)) return ` with the unknown member \`${name}\`: expected ${Object.keys(members).join(', ')}`
  return shapeProblem(value, members)
}
