import type { LanguageName } from './language.ts'

const generating = ['responses', 'chat', 'messages', 'gemini'] as const

/** A program of `scripts/clients/<language>/<folder>`. */
export interface Client {
  readonly name: string
  readonly language: LanguageName
  readonly folder: string
  /** For a folder that holds several clients. */
  readonly args: readonly string[]
  /** The providers that it is run against, one after another. */
  readonly vendors: readonly string[]
}

function client(language: LanguageName, folder: string, arg?: string, vendors: readonly string[] = generating): Client {
  return {
    name: [language, folder, ...(arg === undefined ? [] : [arg])].join('/'),
    language,
    folder,
    args: arg === undefined ? [] : [arg],
    vendors,
  }
}

export const clients: readonly Client[] = [client('javascript', 'anthropic'), client('python', 'anthropic')]
