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

const generating = ['responses', 'chat', 'messages', 'gemini'] as const

export const clients: readonly Client[] = [
  client('javascript', 'anthropic'),
  client('javascript', 'openai'),
  client('javascript', 'ai', 'openai'),
  client('javascript', 'ai', 'openai-compatible'),
  client('javascript', 'ai', 'anthropic'),
  client('javascript', 'langchain', 'openai'),
  client('javascript', 'langchain', 'anthropic'),
  client('python', 'anthropic'),
  client('python', 'openai'),
  client('python', 'langchain', 'openai'),
  client('python', 'langchain', 'anthropic'),
  client('python', 'pydantic-ai', 'openai'),
  client('python', 'pydantic-ai', 'anthropic'),
  client('python', 'llama-index', 'openai'),
  client('python', 'llama-index', 'anthropic'),
  client('python', 'instructor', 'openai'),
  client('python', 'instructor', 'anthropic'),
  client('python', 'litellm', 'openai'),
  client('python', 'litellm', 'anthropic'),
  client('python', 'dspy'),
  client('go', 'openai'),
  client('java', 'openai'),
]

function client(language: LanguageName, folder: string, part?: string, vendors: readonly string[] = generating): Client {
  const args = part === undefined ? [] : [part]
  return { name: [language, folder, ...args].join('/'), language, folder, args, vendors }
}
