// Answers questions that lie in a folder: `one.json` with an API key, a model and a text gets `one.answer.json`.

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { definePlugin, GatewayError } from 'turnpike'
import { GatewayServices, type GenerationSink, type ItemEvent } from 'turnpike/kit'

interface Question {
  readonly apiKey: string
  readonly model: string
  readonly text: string
}

export default definePlugin({
  name: 'acme-inbox',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['folder'],
    properties: {
      folder: { type: 'string', minLength: 1, description: 'Where questions are put, and their answers.' },
      everyMs: { type: 'integer', minimum: 1, maximum: 2_147_483_647, default: 1_000, description: 'How often the gateway looks.' },
    },
  },
  needs: { gateway: GatewayServices },
  setup(registrar, { folder, everyMs }, { gateway }) {
    const path = registrar.resolvePath(folder)
    let round: Promise<void> = Promise.resolve()
    let timer: NodeJS.Timeout | undefined
    const look = async (): Promise<void> => {
      await mkdir(path, { recursive: true })
      for (const file of await readdir(path)) if (/^[^.]+\.json$/.test(file)) await answer(gateway, join(path, file))
      timer = setTimeout(next, everyMs)
    }
    const next = (): void => {
      round = look().catch((error: Error) => registrar.log.error('cannot read the folder', { reason: error.message }))
    }
    registrar.onStart(() => {
      if (registrar.serves) next()
    })
    registrar.onStop(async () => {
      await round
      clearTimeout(timer)
    })
  },
})

async function answer(gateway: GatewayServices, file: string): Promise<void> {
  const question = JSON.parse(await readFile(file, 'utf8')) as Question
  const reply = await replyTo(gateway, question).catch((error: unknown) => {
    if (error instanceof GatewayError) return { error: error.message }
    throw error
  })
  await writeFile(file.replace(/json$/, 'answer.json'), JSON.stringify(reply))
  await rm(file)
}

async function replyTo(gateway: GatewayServices, { apiKey, model, text }: Question): Promise<object> {
  const scope = await gateway.openScope({ authorization: `Bearer ${apiKey}`, method: 'FILE', path: 'inbox', surface: 'inbox' })
  const sink = new TextSink(scope.id)
  const request = { model, input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }] } as const
  const outcome = await gateway.generate(scope, request, sink).finished
  scope.close(outcome instanceof GatewayError ? outcome : 200)
  return outcome instanceof GatewayError ? { error: outcome.message } : { text: sink.text }
}

/** Keeps the text of an answer, and nothing else. */
class TextSink implements GenerationSink {
  readonly id: string
  readonly full = false
  text = ''

  constructor(id: string) {
    this.id = id
  }

  begin(): void {}

  write(event: ItemEvent): void {
    if (event.type === 'text') this.text += event.text
  }

  close() {
    return { id: this.id, body: { text: this.text } }
  }

  end(): void {}

  fail(): void {}

  async drained(): Promise<void> {}
}
