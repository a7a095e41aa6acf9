import { readFileSync } from 'node:fs'
import { ConfigError } from './errors.ts'

/**
 * The text of the file that a variable such as `OPENAI_API_KEY_FILE` names, in place of `OPENAI_API_KEY`. `value`: that of the other
 * variable. Throws a `ConfigError` if both are set, and if the file has no text.
 */
export function secretIn(name: string, path: string, value: string | undefined): string {
  const variable = `${name}_FILE`
  if (value?.trim()) throw problem(`${name} and ${variable} are both set. Remove one of them.`)
  const text = read(variable, path).replace(/\r?\n$/, '')
  if (text.trim() === '') throw problem(`${variable} names ${path}, which is empty. Write the value of ${name} into it.`)
  return text
}

function read(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw problem(`${variable} names ${path}, which cannot be read (${code}). Make it a file that the user of the gateway may read.`)
  }
}

function problem(text: string): ConfigError {
  return new ConfigError(undefined, [text])
}
