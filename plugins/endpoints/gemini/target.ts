import { GatewayError, invalidRequest } from '../../../core/index.ts'
import { wording, own } from '../../../core/kit.ts'

export const methods = ['generateContent', 'streamGenerateContent', 'countTokens', 'embedContent', 'batchEmbedContents'] as const
export type Method = (typeof methods)[number]

/** What a path asks for, after `/models/`. */
export interface Target {
  readonly model: string
  readonly method: Method
}

/** The longest name of a model. */
const maxLength = 256
const shownLength = 100

/** The last colon separates the method: names of models have colons, too. Slashes may be encoded. */
export function targetOf(path: string): Target {
  const text = decoded(path)
  const colon = text.lastIndexOf(':')
  const method = colon < 0 ? undefined : methods.find(each => each === text.slice(colon + 1))
  if (!method)
    throw new GatewayError({
      status: 404,
      type: 'invalid_request_error',
      code: 'not_found',
      message: wording`The path must end in a model and a method, such as gemini-2.5-flash:generateContent, got ${shown(text)}. The methods are ${own(methods.join(', '))}.`,
    })
  const model = modelNamed(text.slice(0, colon))
  if (model === '')
    throw invalidRequest(wording`The path has no model before its method. Put one there, such as gemini-2.5-flash.`, 'model')
  if (model.length > maxLength)
    throw invalidRequest(
      wording`The model in the path is ${own(model.length)} characters long. The longest name has ${own(maxLength)}.`,
      'model',
    )
  return { model, method }
}

/** Bodies name a model as a resource. */
export function modelNamed(name: string): string {
  return name.replace(/^models\//, '')
}

/** Clients percent-encode the slashes in a name. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, shownLength))
}
