import { readFileSync } from 'node:fs'
import t from 'tap'
import { placeIn } from '../../core/framework/plugin-origin.ts'
import type { PluginUse } from '../../core/index.ts'
import { testGateway } from '../../core/testing/index.ts'
import {
  chatAdapter,
  chatProvider,
  chatProviders,
  messagesAdapter,
  messagesProvider,
  responsesAdapter,
  responsesProvider,
  retrievalAdapter,
  type ChatHost,
  type ResponsesHost,
} from '../../dialects/index.ts'
import { chatExtensions, chatUnsupported } from '../../dialects/chat/chat-host.ts'
import { chatShape } from '../../dialects/chat/chat-shape.ts'
import { searchForms } from '../../dialects/chat/search.ts'
import { messagesUnsupported } from '../../dialects/messages/messages-host.ts'
import { messagesShape } from '../../dialects/messages/messages-shape.ts'
import { responsesUnsupported } from '../../dialects/responses/responses-host.ts'
import { responsesShape } from '../../dialects/responses/responses-shape.ts'
import { embeddingShape, rerankShape } from '../../dialects/retrieval/form-shapes.ts'
import { retrievalShape } from '../../dialects/retrieval/retrieval-shape.ts'
import { hosts, type Host } from '../../plugins/providers/openai-chat/hosts.ts'
import localSealer from '../../plugins/sealers/local/index.ts'
import memory from '../../plugins/stores/memory/index.ts'

const baseUrl = 'https://llm.globex.example.com'

function problemOf(table: object, adapter: (table: never) => unknown = chatAdapter): string {
  try {
    adapter(table as never)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

/** A mistake, and its message. */
const mistakes: readonly (readonly [table: object, told: string])[] = [
  [{ toolChoise: 'auto' }, 'unknown member toolChoise; did you mean toolChoice?'],
  [{ toolChoice: 'none' }, 'toolChoice must be one of all, modes, auto, got "none"'],
  [{ baseUrl: 'llm.example.com' }, 'baseUrl must be an http or https URL, which may contain {account}, got "llm.example.com"'],
  [{ path: 'chat' }, 'path must be a path such as /chat/completions, got "chat"'],
  [{ keyHeader: 'X-Key' }, 'keyHeader must be a lower-case header name, got "X-Key"'],
  [{ headers: { 'X-Version': '1' } }, 'headers.X-Version must be a lower-case header name'],
  [{ headers: { 'x-version': 1 } }, 'headers.x-version must be a text without line breaks, got 1'],
  [{ renamed: { max_token: 'max' } }, 'unknown member renamed.max_token; did you mean max_tokens?'],
  [{ renamed: { max_tokens: 5 } }, 'renamed.max_tokens must be a text that is not empty, got 5'],
  [{ without: ['logprob'] }, 'got "logprob"; did you mean logprobs?'],
  [{ without: 'logprobs' }, 'without must be an array, got "logprobs"'],
  [{ added: [] }, 'added must be an object, got an array'],
  [{ thinkTags: false }, 'thinkTags must be true, or left out, got false'],
  [{ callIds: '^a' }, 'callIds must be a regular expression without the flags g and y, got "^a"'],
  [{ callIds: /a/g }, 'callIds must be a regular expression without the flags g and y, got /a/g'],
  [{ search: { models: /x/ } }, 'search.form is missing'],
  [{ finishReasons: { done: 'end' } }, 'finishReasons.done must be one of stop, length, content-filter, tool-calls, got "end"'],
  [{ finishReasons: { done: { failure: 'busy' } } }, 'finishReasons.done.failure must be one of invalid-request'],
  [{ usage: { input: 'in' } }, 'usage.output is missing'],
  [{ usage: { input: 'in', output: 'out', total: 'all' } }, 'unknown member usage.total (expected at, input, output'],
  [{ usage: { input: 'in.', output: 'out' } }, 'usage.input must be a dotted path such as meta.tokens, got "in."'],
  [{ errors: { codes: { X: 'busy' } } }, 'errors.codes.X must be one of'],
  [{ errors: { wordings: [['x', 'quota']] } }, 'errors.wordings[0][0] must be a regular expression'],
  [{ errors: { statuses: { 99: 'quota' } } }, 'errors.statuses.99 must be a status from 400 to 599'],
  [{ modelList: { at: 'data' } }, 'modelList.path is missing'],
  [{ models: { a: { contextSize: 1 } } }, 'unknown member models.a.contextSize'],
  [{ changeReply: 'x' }, 'changeReply must be a function, got "x"'],
  [{ framing: 'ndjson' }, 'framing must be one of sse, json-lines, got "ndjson"'],
  [{ id: 'a/b' }, 'id must be a text without slashes or white space, got "a/b"'],
  [{ options: { apiKey: { description: 'Mine.' } } }, 'options.apiKey has the name of an option that every provider has'],
  [{ options: { region: { type: 'string' } } }, 'options.region must be a JSON Schema with a description'],
  [{ embeddings: { maxInput: 1 } }, 'unknown member embeddings.maxInput; did you mean maxInputs?'],
  [{ reranking: { top: '' } }, 'reranking.top must be a text that is not empty, got ""'],
]

t.test('each mistake in a table is told with its path, what was expected, and what came', async t => {
  for (const [table, told] of mistakes) {
    const message = problemOf(table)
    t.ok(message.startsWith('chatAdapter got a table with a mistake: '), message)
    t.ok(message.includes(told), `${told} in: ${message}`)
  }
  t.match(problemOf({ toolChoise: 1, thinkTags: 2 }), /2 mistakes:\n- unknown member toolChoise.*\n- thinkTags must be true/)
  t.match(problemOf([]), /the table must be an object/)
})

t.test('the other dialects check theirs', async t => {
  t.match(problemOf({ withuot: [] }, responsesAdapter), /unknown member withuot; did you mean without\?/)
  t.match(problemOf({ embeddings: true }, responsesAdapter), /embeddings must be an object of path/)
  t.match(
    problemOf({ traits: [[/x/, { thinking: 'yes' }]] }, messagesAdapter),
    /traits\[0\]\[1\]\.thinking must be one of none, budget, adaptive, got "yes"/,
  )
  t.match(problemOf({ systemTurns: true }, messagesAdapter), /systemTurns must be false, or left out/)
  t.match(problemOf({ vendor: 'Acme', path: '/x' }, retrievalAdapter), /unknown member path/)
})

t.test('docs/dialects.md explains every member', async t => {
  const page = readFileSync(new URL('../../docs/dialects.md', import.meta.url), 'utf8')
  const shapes = { chatShape, messagesShape, responsesShape, retrievalShape, embeddingShape, rerankShape }
  for (const [name, shape] of Object.entries(shapes))
    for (const member of Object.keys(shape)) t.ok(page.includes(`\`${member}\``), `${member} of ${name}`)
  const values = [...chatUnsupported, ...chatExtensions, ...responsesUnsupported, ...messagesUnsupported, ...searchForms]
  for (const value of values) t.ok(page.includes(`\`${value}\``), value)
})

t.test('the tables of this package have no mistakes', async t => {
  for (const [name, { explicit: _, ...host }] of Object.entries<Host>(hosts)) t.equal(problemOf(host), '', name)
})

t.test('what is no table is refused where the plugin is made', async t => {
  t.throws(() => chatProvider(baseUrl as never), { name: 'TypeError', message: /chatProvider needs a table, such as \{ name: 'acme-chat'/ })
  t.throws(() => messagesProvider(undefined as never), { message: /messagesProvider needs a table/ })
  const hosts = { eu: { baseUrl } }
  t.throws(() => chatProviders({ name: 'acme-chat', hosts, host: 'us' as 'eu' }), { message: /the name of one of them, got us/ })
  t.equal(await startProblem(chatProviders({ name: 'acme-chat', hosts, host: 'eu' })({})), '')
})

t.test('an error is blamed on the plugin in the file of its table', async t => {
  const { plugin } = chatProvider({ name: 'acme-chat', id: 'acme', baseUrl })({})
  t.match(placeIn(new Error('in this file'), plugin)?.file, /tables\.test\.ts$/)
})

async function startProblem(use: PluginUse): Promise<string> {
  try {
    await (await testGateway({ plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), use] })).stop()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

t.test('a plugin with a mistaken table does not start, and its error names the plugin', async t => {
  const table = { name: 'acme-chat', id: 'acme', baseUrl }
  t.equal(await startProblem(chatProvider(table)({ apiKey: 'sk-demo-1' })), '')
  const mistaken = chatProvider({ ...table, ...({ thinkTag: true } as ChatHost) })
  t.match(
    await startProblem(mistaken({})),
    /plugin acme-chat\(acme\) has a table with a mistake: unknown member thinkTag; did you mean thinkTags\?/,
  )
  const { id: _id, ...nameless } = table
  t.match(await startProblem(chatProvider(nameless as typeof table)({})), /has a table with a mistake: id is missing/)
  const late = chatProvider({ ...table, departures: (async () => ({ thinkTags: true })) as never })
  t.match(await startProblem(late({})), /`departures` must return members of it, got a promise \(leave out `async`\)/)
  const byOptions = responsesProvider({
    ...table,
    options: { region: { type: 'string', description: 'Where to.' } },
    departures: ({ region }) => ({ headers: { 'x-region': region }, withou: [] }) as ResponsesHost,
  })
  t.match(await startProblem(byOptions({ region: 'eu' })), /unknown member withou; did you mean without\?/)
  const keyed = messagesProvider({ ...table, keyVariable: 'ACME_KEY' })
  t.match(await startProblem(keyed({})), /plugin acme-chat\(acme\) needs the option apiKey, such as apiKey: env\('ACME_KEY'\)\./)
  const required = chatProvider({ ...table, required: ['apiKey'] })
  t.match(await startProblem(required({} as never)), /apiKey is missing/)
  const placed = chatProvider({
    ...table,
    baseUrl: 'https://{account}.example.com',
    account: { what: 'the region', variable: 'ACME_REGION' },
  })
  t.match(await startProblem(placed({})), /needs the option account, the region\./)
  t.equal(await startProblem(placed({ account: 'eu' })), '')
  // @ts-expect-error: the address of this host has no place for it.
  t.match(await startProblem(chatProvider(table)({ account: 'eu' })), /account/)
  const ownTable: ChatHost = { baseUrl: 'https://{account}.example.com', account: { what: 'the region', variable: 'ACME_REGION' } }
  const spread = chatProvider({
    ...ownTable,
    name: 'acme',
    id: 'acme',
    departures: ({ account }) => ({ headers: { 'x-account': account ?? '' } }),
  })
  t.equal(await startProblem(spread({ account: 'eu' })), '', 'a table of the type of all tables may have one')
  const { baseUrl: _, ...homeless } = table
  t.match(await startProblem(chatProvider(homeless)({})), /needs the option baseUrl, because its host has no default address/)
})
