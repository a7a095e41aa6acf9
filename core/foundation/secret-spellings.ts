import { inspect } from 'node:util'

/** Shorter lines of a secret are not recognizable as parts of it. */
const shortestLine = 16

/** The secret in every form in which a message is likely to show it: as it is, escaped, encoded for a URL, in base64, and line by line. */
export function spellingsOf(secret: string): ReadonlySet<string> {
  const json = escaped(secret)
  const text = secret.toWellFormed()
  const twice = escaped(json)
  return new Set([
    secret,
    json,
    // A message may quote JSON, and a log line is JSON itself.
    twice,
    escaped(twice),
    inspect(secret).slice(1, -1),
    ...bothCases(encodeURIComponent(text)),
    ...bothCases(new URLSearchParams({ '': text }).toString().slice(1)),
    ...base64Of(text),
    ...(json === secret ? [] : base64Of(json.toWellFormed())),
    ...linesOf(secret),
    ...passwordIn(secret),
  ])
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** A percent-encoded text with the digits of its codes in upper case, as given, and in lower case. */
function bothCases(encoded: string): readonly string[] {
  return [encoded, encoded.replace(/%[0-9A-F]{2}/g, code => code.toLowerCase())]
}

/** The secret's part of a base64 text at each offset, such as after the user name of a basic authorization. */
function base64Of(text: string): readonly string[] {
  return [0, 1, 2].flatMap(offset => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)])
    const core = bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6))
    return [core, core.replaceAll('+', '-').replaceAll('/', '_'), ...bothCases(encodeURIComponent(core))]
  })
}

/** Inspected texts are broken at their line ends. The frame of a PEM file is no secret. */
function linesOf(secret: string): readonly string[] {
  if (!secret.includes('\n')) return []
  return secret.split(/\r?\n/).filter(line => line.length >= shortestLine && !line.startsWith('-----'))
}

/** The password in the URL of a database or a proxy. */
function passwordIn(secret: string): readonly string[] {
  const password = secret.includes('://') ? (URL.parse(secret)?.password ?? '') : ''
  if (password === '') return []
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}
