import { resolve } from 'node:path'
import type { Place } from '../../plugins/stores/sql/database.ts'
import { ConfigError } from '../errors.ts'
import { processMasks } from '../process-output.ts'

const expected = 'sqlite: with a path, such as sqlite:./data/turnpike.db, or postgres://user@db.example.com/turnpike'

/** Reads `--from` or `--to`. Throws a `ConfigError`, which never quotes the text: there may be a password in it. */
export function placeOf(option: '--from' | '--to', text: string): Place {
  const [, path] = /^sqlite:(.+)$/s.exec(text) ?? []
  if (path !== undefined) return { file: resolve(path.replace(/^\/\/(?=\/)/, '')) }
  if (!/^postgres(ql)?:\/\//.test(text)) throw new ConfigError(undefined, [`${option}: expected ${expected}`])
  const password = passwordIn(text)
  if (password === undefined)
    throw new ConfigError(undefined, [`${option}: expected a valid URL. Percent-encode special characters in user and password`])
  if (password) processMasks.add(password)
  return { url: text, maxConnections: 1 }
}

/** Undefined if the URL is not valid. */
function passwordIn(url: string): string | undefined {
  try {
    const { password, searchParams } = new URL(url)
    return decodeURIComponent(password) || (searchParams.get('password') ?? '')
  } catch {
    return undefined
  }
}
