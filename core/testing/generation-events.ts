import { isSemantic, type GenerationEvent, type TokenUsage } from '../contracts/events.ts'
import { fail } from './shape.ts'

/** Checks the rules for every provider's events: contracts/events.ts. Throws a `ContractError`. */
export function checkGenerationEvents(events: readonly GenerationEvent[]): void {
  const calls = new Set<string>()
  let finished = false
  for (const [index, event] of events.entries()) {
    const where = `event ${index} (${event.type})`
    if (finished && isSemantic(event)) fail(`${where} comes after the finish`)
    if (event.type === 'finish') finished = true
    if (event.type === 'choice') calls.clear()
    if (event.type === 'warning' && events.slice(0, index).some(({ type }) => type !== 'warning'))
      fail(`${where} must come before all other events`)
    if (event.type === 'tool-call' && calls.has(event.key)) fail(`${where} repeats the key ${event.key}`)
    if (event.type === 'tool-call') calls.add(event.key)
    if (event.type === 'tool-input' && !calls.has(event.key)) fail(`${where} belongs to no call: ${event.key}`)
    if (event.type === 'usage') checkUsage(event.usage, where)
  }
}

function checkUsage(usage: TokenUsage, where: string): void {
  const counts = Object.entries({ ...usage, ...usage.toolCalls }).filter(([name]) => name !== 'estimated' && name !== 'toolCalls')
  for (const [name, count] of counts) if (!Number.isInteger(count) || Number(count) < 0) fail(`${where} counts ${count} as ${name}`)
  if (usage.reasoning > usage.output) fail(`${where} counts more reasoning than output`)
}
