import { createOpenResponses } from '@ai-sdk/open-responses'
import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, jsonSchema, Output, stepCountIs, streamText, tool, type LanguageModel, type ToolSet } from 'ai'
import t, { type Test } from 'tap'
import { z } from 'zod'
import { compareRecorded, type ClientReading, type Question } from './recorded-models.ts'
import { departure, silentStage, stage, type Stage } from './stage.ts'

type Model = (name: string) => LanguageModel

interface Kind {
  readonly create: (baseURL: string, apiKey: string) => Model
  /** The provider's view of a refusal: if it shows the text, why it stopped, and if it fails without streaming. */
  readonly refusal: { readonly shown: boolean; readonly finish: string; readonly failsUnstreamed: boolean }
  /** How often the client reports a failure in mid-stream: it reads `error`, `response.failed`, or both. */
  readonly tells: number
  /** True if it can ask for the state of reasoning, and so send it back. */
  readonly asksForState: boolean
  /** True if it reads the message of an error that names no field. */
  readonly readsMessages: boolean
}

const kinds: Readonly<Record<string, Kind>> = {
  '@ai-sdk/openai': {
    create: (baseURL, apiKey) => createOpenAI({ baseURL, apiKey }).responses,
    refusal: { shown: true, finish: 'content-filter', failsUnstreamed: false },
    tells: 1,
    asksForState: true,
    readsMessages: true,
  },
  '@ai-sdk/open-responses': {
    create: (baseURL, apiKey) => createOpenResponses({ name: 'turnpike', url: `${baseURL}/responses`, apiKey }),
    // It knows no parts but text.
    refusal: { shown: false, finish: 'stop', failsUnstreamed: true },
    tells: 2,
    asksForState: false,
    // It wants a text where the error's `param` is null, and falls back to the status.
    readsMessages: false,
  },
}

type Options = Parameters<typeof generateText>[0]

/** Everything that a text generation says, streamed or not; throws what went wrong. */
async function generate(stream: boolean, options: Options) {
  const errors: unknown[] = []
  const all = { maxRetries: 0, ...options } as Options
  const result = stream ? streamText({ ...all, onError: ({ error }) => void errors.push(error) }) : await generateText(all)
  const finish = await Promise.resolve(result.finishReason).catch((error: unknown) => error)
  if (errors.length > 0) throw new AggregateError(errors)
  return {
    text: await result.text,
    reasoning: await result.reasoningText,
    finish: finish as ClientReading['finish'],
    steps: await result.steps,
    calls: await result.toolCalls,
    output: options.output && (await result.output),
    messages: (await result.response).messages,
    usage: await result.totalUsage,
  }
}

async function read(model: Model, { model: name, stream, functions }: Question): Promise<ClientReading> {
  const tools: ToolSet = Object.fromEntries(functions.map(name => [name, tool({ inputSchema: jsonSchema({ type: 'object' }) })]))
  const { text, finish, calls, usage } = await generate(stream, { model: model(name), prompt: 'hi', tools })
  return {
    text,
    refusal: '',
    calls: calls.filter(({ providerExecuted }) => !providerExecuted).map(({ toolName, input }) => ({ name: toolName, input })),
    finish,
    tokens: {
      input: usage.inputTokens!,
      cached: usage.inputTokenDetails.cacheReadTokens!,
      output: usage.outputTokens!,
      reasoning: usage.outputTokenDetails.reasoningTokens!,
    },
  }
}

const getWeather = tool({
  description: 'The weather in a city',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `Sunny in ${city}`,
})
const png = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

async function everyWay(t: Test, model: Model, stream: boolean, { wires }: Stage): Promise<void> {
  for (const name of ['sandbox/echo', ...wires]) {
    const { text, finish, usage } = await generate(stream, { model: model(name), instructions: 'Be kind.', prompt: 'Say hello' })
    t.ok(text.length > 0, `${name}: ${text}`)
    t.equal(finish, 'stop')
    t.equal(usage.totalTokens, usage.inputTokens! + usage.outputTokens!)
  }
  for (const name of ['sandbox/tools', ...wires]) {
    const { text, steps } = await generate(stream, {
      model: model(name),
      prompt: 'How is the weather in Oslo?',
      tools: { get_weather: getWeather },
      stopWhen: stepCountIs(3),
    })
    t.match(text, /Sunny/, `${name}: tool loop`)
    t.same(
      steps.map(({ finishReason }) => finishReason),
      ['tool-calls', 'stop'],
    )
  }

  const schema = z.object({ city: z.string(), celsius: z.number() })
  const { output } = await generate(stream, { model: model('sandbox/echo'), prompt: 'Oslo', output: Output.object({ schema }) })
  t.ok(schema.safeParse(output).success, 'structured output')

  const seen = await generate(stream, {
    model: model('sandbox/echo'),
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:' },
          { type: 'file', mediaType: 'image/png', data: png },
        ],
      },
    ],
  })
  t.equal(seen.text, 'Look:\n[image]', 'image')
}

async function reasons(t: Test, model: Model, stream: boolean, { asksForState }: Kind): Promise<void> {
  const question = { role: 'user', content: 'Why?' } as const
  const openai = { store: false, include: ['reasoning.encrypted_content'] }
  const options = { model: model('sandbox/reasoning'), providerOptions: { openai } }
  const first = await generate(stream, { ...options, messages: [question] })
  t.match(first.reasoning, /the question/, `reasoning: ${first.reasoning}`)
  t.ok(first.usage.outputTokenDetails.reasoningTokens! > 0)
  const again = await generate(stream, { ...options, messages: [question, ...first.messages, { role: 'user', content: 'And now?' }] })
  t.equal(again.text, asksForState ? 'I remember turn 1. And now?' : 'And now?')
}

async function ends(t: Test, model: Model, stream: boolean, { refusal }: Kind): Promise<void> {
  const short = await generate(stream, { model: model('sandbox/echo'), prompt: 'one two three four five six', maxOutputTokens: 3 })
  t.equal(short.finish, 'length')
  t.equal((await generate(stream, { model: model('sandbox/fail'), prompt: 'content-filter' })).finish, 'content-filter')
  const refused = generate(stream, { model: model('sandbox/fail'), prompt: 'refusal' })
  if (refusal.failsUnstreamed && !stream) return void (await t.rejects(refused))
  const { text, finish } = await refused
  t.same({ text, finish }, { text: refusal.shown ? 'I cannot help with that.' : '', finish: refusal.finish })
}

async function fails(t: Test, model: Model, { tells, readsMessages }: Kind): Promise<void> {
  for (const [prompt, statusCode, isRetryable] of [
    ['400', 400, false],
    ['context-length', 400, false],
    ['503', 424, false],
    ['429', 429, true],
    ['504', 504, true],
  ] as const) {
    const options = {
      model: model('sandbox/fail'),
      prompt: JSON.stringify(prompt.length === 3 ? { status: Number(prompt) } : { kind: prompt }),
    }
    const told = /The sandbox failed as requested/
    const expected = { statusCode, isRetryable, responseBody: told, ...(readsMessages && { message: told }) }
    const whole = await generate(false, options).catch((error: unknown) => error)
    t.ok(APICallError.isInstance(whole))
    t.match(whole, expected, prompt)
    const streamed = await generate(true, options).catch((error: unknown) => error)
    t.match(streamed, { errors: [expected] }, `${prompt} before a stream`)
  }

  const unknown = await generate(false, { model: model('none-such-model'), prompt: 'hi' }).catch((error: unknown) => error)
  t.match(unknown, { statusCode: 400, message: /none-such-model/ }, 'the message of an error that names the field')

  for (const prompt of ['{"status":503,"after":2,"message":"Gone for lunch."}', '{"cut":true,"after":2}']) {
    const result = streamText({ model: model('sandbox/fail'), prompt, maxRetries: 0, onError() {} })
    let text = ''
    const errors: unknown[] = []
    let finish: string | undefined
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') text += part.text
      if (part.type === 'error') errors.push(part.error)
      if (part.type === 'finish') finish = part.finishReason
    }
    t.equal(text, 'Piece 1. Piece 2.', 'what came before the failure')
    t.equal(errors.length, tells, JSON.stringify(errors))
    t.notOk(errors.some(error => error instanceof TypeError))
    if (prompt.includes('lunch')) t.match(JSON.stringify(errors.map(error => [String(error), error])), /Gone for lunch/)
    t.equal(finish, 'error', 'the end is told as a failure')
  }
}

async function callsCustomTools(t: Test, under: Stage): Promise<void> {
  const openai = createOpenAI({ baseURL: under.baseURL, apiKey: under.apiKey })
  const tools = { shell: openai.tools.customTool({ description: 'Runs a command' }) }
  for (const stream of [false, true]) {
    const { calls, finish } = await generate(stream, { model: openai.responses('sandbox/tools'), prompt: 'List the files', tools })
    t.match(calls, [{ toolName: 'shell', input: 'input for shell' }])
    t.equal(finish, 'tool-calls')
  }
}

async function aborts(t: Test, model: Model, under: Stage): Promise<void> {
  const leaving = new AbortController()
  const prompt = 'first 0 between 60000 pieces 2'
  const result = streamText({ model: model('sandbox/slow'), prompt, abortSignal: leaving.signal, onError() {} })
  const parts: string[] = []
  for await (const { type } of result.fullStream) {
    parts.push(type)
    if (type === 'text-delta') leaving.abort()
  }
  t.equal(parts.at(-1), 'abort')
  t.match(await departure(under), { model: 'slow' })
}

globalThis.AI_SDK_LOG_WARNINGS = false

t.test('the AI SDK', async t => {
  const under = await stage(t)
  await t.test('custom tools', t => callsCustomTools(t, under))
  for (const [name, kind] of Object.entries(kinds)) {
    await t.test(name, async t => {
      const model = kind.create(under.baseURL, under.apiKey)
      for (const stream of [false, true]) {
        await t.test(stream ? 'streamed' : 'whole', async t => {
          await everyWay(t, model, stream, under)
          await reasons(t, model, stream, kind)
          await ends(t, model, stream, kind)
        })
      }
      await t.test('failures', t => fails(t, model, kind))
      await t.test('a client that leaves', t => aborts(t, model, under))
      const { shown, finish, failsUnstreamed } = kind.refusal
      await t.test('silence is broken without harm', async t => {
        const { apiKey, baseURL, question } = await silentStage(t)
        t.equal((await read(kind.create(baseURL, apiKey), question)).text, 'Here I am.')
      })
      await compareRecorded(
        t,
        under.recordedModels.filter(({ hasOtherTools }) => !hasOtherTools),
        each => read(model, each),
        {
          rejects: ({ expected, stream }) => failsUnstreamed && !stream && expected.refusal !== '',
          shows: expected =>
            expected.refusal === ''
              ? expected
              : { ...expected, refusal: '', text: shown ? expected.refusal : '', finish: finish as ClientReading['finish'] },
        },
      )
    })
  }
})
