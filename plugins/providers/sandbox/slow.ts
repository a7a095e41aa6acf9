import { setTimeout as delay } from 'node:timers/promises'
import type { GenerationEvent, JsonObject, ProviderCall } from '../../../core/index.ts'
import { obey } from './echo.ts'
import { misunderstood, readInstruction, wholeNumber, type Instruction } from './instruction.ts'

interface Timing {
  readonly firstMs: number
  readonly betweenMs: number
  readonly pieces: number
}

const maxMs = 600_000
const maxPieces = 10_000
const names = ['firstMs', 'betweenMs', 'pieces'] as const

/** Answers as `echo` does, but with its own text and at the pace in the last user message. */
export async function* slow(call: ProviderCall): AsyncGenerator<GenerationEvent> {
  const timing = readTiming(readInstruction(call))
  const text = Array.from({ length: timing.pieces }, (_, index) => `${index === 0 ? '' : ' '}Piece ${index + 1} of ${timing.pieces}.`)
  const events = await obey(call.request, text)
  await wait(timing.firstMs, call.signal)
  let isFirst = true
  for (const event of events) {
    if (!isFirst && event.type !== 'finish') await wait(timing.betweenMs, call.signal)
    isFirst = false
    yield event
  }
}

async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (milliseconds === 0) return
  try {
    await delay(milliseconds, undefined, { signal })
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  }
}

function readTiming({ object, text }: Instruction): Timing {
  const asked = object ?? readWords(text)
  const unknown = Object.keys(asked).find(name => !names.some(each => each === name))
  if (unknown !== undefined)
    throw misunderstood(`sandbox/slow does not know ${JSON.stringify(unknown)}. It knows firstMs, betweenMs and pieces.`)
  return {
    firstMs: wholeNumber(asked, 'firstMs', maxMs) ?? 1000,
    betweenMs: wholeNumber(asked, 'betweenMs', maxMs) ?? 200,
    pieces: wholeNumber(asked, 'pieces', maxPieces) ?? 5,
  }
}

/** Reads text such as `first 200 between 50 pieces 5`. Otherwise, the defaults apply. */
function readWords(text: string): JsonObject {
  const found = text.matchAll(/\b(first|between|pieces)[ =:]{1,3}(\d{1,9})\b/gi)
  return Object.fromEntries(
    Array.from(found, ([, word, digits]) => {
      const name = word!.toLowerCase()
      return [name === 'pieces' ? name : `${name}Ms`, Number(digits)]
    }),
  )
}
