import { ConfigError } from '../errors.ts'

/** Throws unless the text may be an id of a request or an answer. Quotes nothing but an id that it finds: somebody may have pasted a key. */
export function checkRequestId(text: string): void {
  if (/^t[pa]_/.test(text)) throw wrong('This is a key or a token, not the id of a request. Give the one in the header x-request-id.')
  if (/^\w[\w.-]{0,199}$/.test(text)) return
  const [found] = /\b(?:req|resp)_\w+/.exec(text) ?? []
  const advice = found === undefined ? '' : ` Did you mean ${found}?`
  throw wrong(`This is not the id of a request. Expected one such as req_0123456789, from the header x-request-id.${advice}`)
}

function wrong(problem: string): ConfigError {
  return new ConfigError(undefined, [problem])
}
