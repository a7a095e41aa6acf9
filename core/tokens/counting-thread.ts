import { setImmediate } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import type { Tokenizer } from '../contracts/catalog.ts'
import type { TokenCount } from '../contracts/token-counter.ts'
import { tally } from './tally.ts'

// Runs in a separate thread. A vocabulary is loaded on first use, which takes 0.2 s and 75 MB.

export interface CountingTask {
  readonly id: number
  readonly texts: readonly string[]
  readonly tokenizer: Tokenizer
  readonly limit: number
}

/** To the thread: a task, or the id of a task to cancel. */
export type CountingMessage = CountingTask | { readonly stop: number }

export interface CountingAnswer {
  readonly id: number
  readonly count: TokenCount
}

/** The next task gets its turn after this many slices. */
const slicesPerTurn = 16
/** Entries in the encoder's merge cache. */
const mergeCacheSize = 4_096
/** `<|endoftext|>` in a caller's text counts as plain text. */
const asText = { disallowedSpecial: new Set<string>() }

const wanted = new Set<number>()

parentPort!.on('message', (message: CountingMessage) => {
  if ('stop' in message) wanted.delete(message.stop)
  else void run(message)
})

async function run({ id, texts, tokenizer, limit }: CountingTask): Promise<void> {
  wanted.add(id)
  const encoding = await load(tokenizer)
  encoding.setMergeCacheSize(mergeCacheSize)
  const counting = tally(texts, slice => encoding.countTokens(slice, asText), limit)
  for (let step = 1; wanted.has(id); step++) {
    const { done, value } = counting.next()
    if (done) {
      parentPort!.postMessage({ id, count: value } satisfies CountingAnswer)
      break
    }
    if (step % slicesPerTurn === 0) await setImmediate()
  }
  wanted.delete(id)
  // The cache holds slices of texts, and each keeps its whole text alive.
  encoding.clearMergeCache()
}

function load(tokenizer: Tokenizer) {
  return tokenizer === 'cl100k_base' ? import('gpt-tokenizer/encoding/cl100k_base') : import('gpt-tokenizer/encoding/o200k_base')
}
