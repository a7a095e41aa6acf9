// A gateway in a separate process: the modules that its main thread loads for a plain request, and for one whose tokens are counted.
import { registerHooks } from 'node:module'

const loaded: string[] = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})

const { gateway, hello, saying } = await import('../../kit/gateway.ts')
const { ask, listing } = await import('../../kit/stage.ts')
const { ThreadedTokenCounter } = await import('../../../core/tokens/threaded-token-counter.ts')

const endpoint = { provider: 'acme', contextWindow: 1_000, tokenizer: 'o200k_base' } as const
const under = await gateway({
  plugins: [saying('acme', hello), listing({ model: 'm', endpoints: [endpoint] })],
  settings: { logLevel: 'silent' },
})
const vocabularies = (): number => loaded.filter(url => url.includes('gpt-tokenizer')).length

const plain = await ask(under, { model: 'm' })
const afterPlain = { status: plain.status, vocabularies: vocabularies() }
const long = await ask(under, { model: 'm', input: 'word '.repeat(2_000) })
const afterLong = { status: long.status, vocabularies: vocabularies() }

console.log(JSON.stringify({ modules: loaded.length, afterPlain, afterLong }))
await under.stop()

// A thread that nobody stops keeps no process alive.
await new ThreadedTokenCounter(under.gateway.log).count(['one'])
