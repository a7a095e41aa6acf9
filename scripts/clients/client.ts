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

const openaiAndAnthropic = ['openai', 'anthropic']
const three = [...openaiAndAnthropic, 'google']

export const clients: readonly Client[] = [
  client('javascript', 'openai'),
  client('javascript', 'agents'),
  client('python', 'openai'),
  client('python', 'agents'),
  client('go', 'openai'),
  client('java', 'openai'),
  client('rust', 'async-openai'),
  client('javascript', 'anthropic'),
  client('python', 'anthropic'),
  client('javascript', 'genai'),
  client('python', 'google-genai'),
  ...['openai', 'openai-compatible', 'anthropic', 'google'].map(surface => client('javascript', 'ai', surface)),
  ...three.map(surface => client('javascript', 'langchain', surface)),
  ...three.map(surface => client('python', 'langchain', surface)),
  ...three.map(surface => client('python', 'pydantic-ai', surface)),
  ...openaiAndAnthropic.map(surface => client('python', 'llama-index', surface)),
  ...openaiAndAnthropic.map(surface => client('python', 'instructor', surface)),
  ...openaiAndAnthropic.map(surface => client('python', 'litellm', surface)),
  client('python', 'dspy'),
  client('python', 'llm'),
  // They take long to start.
  client('python', 'aider', undefined, ['by-chat', 'by-messages']),
  client('javascript', 'claude-code', undefined, ['by-messages', 'by-chat']),
  client('javascript', 'opencode', undefined, ['by-chat', 'by-messages']),
  client('javascript', 'gemini-cli', undefined, ['by-gemini', 'by-chat']),
]

function client(language: LanguageName, folder: string, part?: string, vendors: readonly string[] = every): Client {
  const args = part === undefined ? [] : [part]
  return { name: [language, folder, ...args].join('/'), language, folder, args, vendors }
}
