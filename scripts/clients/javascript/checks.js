// What the programs of JavaScript clients share. No packages: each client brings its own.

export const url = process.env.TURNPIKE_URL
export const key = process.env.TURNPIKE_KEY
export const vendor = process.env.TURNPIKE_VENDOR
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

export const hello = 'Say hello'
export const greeting = 'Hello to you'
export const weatherQuestion = 'How is the weather in Oslo and in Rome?'
export const weatherSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
export const weatherIn = city => `${city} is sunny`
export const weatherAnswer = 'It said: Oslo is sunny and Rome is sunny'
export const extraction = 'Extract the city and the degrees: it has 21 degrees in Oslo.'
export const extractionSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
}
export const secret = 'Remember the word cobalt.'
export const secretQuestion = 'Which word?'
export const secretAnswer = 'The word is cobalt.'
export const passOn = 'Pass me on to the clerk.'
export const imageQuestion = 'What is in the picture?'
export const imageAnswer = 'I see image/png of 70 bytes.'

/** A model of the scripted vendor, named after what it does: scripts/clients/vendor/vendor.ts. */
export function model(what = 'plain') {
  return `${vendor}/${what}-${process.env.TURNPIKE_RUN}`
}

/** Runs a check and prints how it went. */
export async function check(name, run) {
  try {
    await run()
    report({ check: name })
  } catch (error) {
    report({ check: name, failure: told(error) })
  }
}

/** For a check that the client has no way to do. */
export function absent(name, why) {
  report({ check: name, absent: why })
}

function report(line) {
  console.log(JSON.stringify(line))
}

function told(error) {
  const cause = error?.cause ? `\ncaused by ${told(error.cause)}` : ''
  return `${error?.stack ?? JSON.stringify(error)}${cause}`.slice(0, 2_000)
}

export function equal(seen, expected, what = 'the answer') {
  const [one, other] = [seen, expected].map(value => JSON.stringify(value))
  if (one !== other) throw new Error(`Expected ${what} to be ${other}, got ${one}`)
}

export function holds(condition, what, seen) {
  if (!condition) throw new Error(`Expected ${what}, got ${JSON.stringify(seen)}`)
}

/** The error with which a promise is rejected. */
export async function failure(promise) {
  const seen = await promise.then(
    value => ({ value }),
    error => ({ error }),
  )
  if (!('error' in seen)) throw new Error(`Expected a failure, got ${JSON.stringify(seen.value)}`)
  return seen.error
}

export async function texts(stream, textOf) {
  const pieces = []
  for await (const each of stream) {
    const text = textOf(each)
    if (text) pieces.push(text)
  }
  return pieces
}
