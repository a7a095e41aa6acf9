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

export interface DecodingTask {
  readonly id: number
  readonly lists: readonly (readonly number[])[]
  readonly tokenizer: Tokenizer
}

/** To the thread: a task, or the id of a task to cancel. */
export type CountingMessage = CountingTask | DecodingTask | { readonly stop: number }

export interface CountingAnswer {
  readonly id: number
  readonly count?: TokenCount
  /** Undefined for a list with unknown tokens. */
  readonly texts?: readonly (string | undefined)[]
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
  else if ('lists' in message) void decode(message)
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

async function decode({ id, lists, tokenizer }: DecodingTask): Promise<void> {
  wanted.add(id)
  const encoding = await load(tokenizer)
  const texts: (string | undefined)[] = []
  for (const list of lists) {
    if (!wanted.has(id)) return
    texts.push(decoded(list, encoding.vocabularySize, tokens => encoding.decode(tokens)))
    if (texts.length % slicesPerTurn === 0) await setImmediate()
  }
  parentPort!.postMessage({ id, texts } satisfies CountingAnswer)
  wanted.delete(id)
}

function decoded(list: readonly number[], size: number, decodeAll: (tokens: readonly number[]) => string): string | undefined {
  if (list.some(token => !(token >= 0 && token < size))) return undefined
  try {
    return decodeAll(list)
  } catch {
    return undefined
  }
}

function load(tokenizer: Tokenizer) {
  return tokenizer === 'cl100k_base' ? import('gpt-tokenizer/encoding/cl100k_base') : import('gpt-tokenizer/encoding/o200k_base')
}
