import type { LanguageName } from './language.ts'

/** A program in `scripts/clients/<language>/<folder>`. */
export interface Client {
  readonly name: string
  readonly language: LanguageName
  readonly folder: string
  /** For a folder that holds several clients. */
  readonly args: readonly string[]
  /** The providers that it is run against, one after another. */
  readonly vendors: readonly string[]
}

const every = ['by-responses', 'by-chat', 'by-messages', 'by-gemini']

export const clients: readonly Client[] = [
  client('javascript', 'openai'),
  client('python', 'openai'),
  client('go', 'openai'),
  client('java', 'openai'),
  client('rust', 'async-openai'),
  client('javascript', 'anthropic'),
  client('python', 'anthropic'),
  client('javascript', 'claude-code', undefined, ['by-messages', 'by-chat']),
  client('javascript', 'opencode', undefined, ['by-chat', 'by-messages']),
  ...['openai', 'openai-compatible', 'anthropic'].map(surface => client('javascript', 'ai', surface)),
  ...['openai', 'anthropic'].map(surface => client('javascript', 'langchain', surface)),
  ...['openai', 'anthropic'].map(surface => client('python', 'langchain', surface)),
  ...['openai', 'anthropic'].map(surface => client('python', 'pydantic-ai', surface)),
  ...['openai', 'anthropic'].map(surface => client('python', 'llama-index', surface)),
  ...['openai', 'anthropic'].map(surface => client('python', 'instructor', surface)),
  ...['openai', 'anthropic'].map(surface => client('python', 'litellm', surface)),
  client('python', 'dspy'),
  client('python', 'llm'),
  client('python', 'aider', undefined, ['by-chat', 'by-messages']),
]

function client(language: LanguageName, folder: string, part?: string, vendors: readonly string[] = every): Client {
  const args = part === undefined ? [] : [part]
  return { name: [language, folder, ...args].join('/'), language, folder, args, vendors }
}
