import { isObject, type JsonObject } from '../../../core/index.ts'
import { plainState, type DecisionRequest, type Description, type ImagePart } from '../../../core/kit.ts'

/** The state of a decision, as a model reads it. */
export interface Judged {
  readonly state: Description
  /** The images of the state, which refers to them by number. */
  readonly images: readonly ImagePart[]
  /** Instructions of questions may be a list of parts. */
  readonly hasParts: boolean
  readonly cacheKey?: string | undefined
}

export function judgedIn({ state, form, prompt_cache_key: cacheKey }: DecisionRequest): Judged {
  if (form !== 'items') return { state, images: [], hasParts: false }
  const images = new Images(0)
  const told = Array.isArray(state) ? plainState(state.map(item => (isObject(item) ? withoutImages(item, images) : item))) : state
  return { state: told, images: images.taken, hasParts: true, cacheKey }
}

function withoutImages(item: JsonObject, images: Images): JsonObject {
  const member = 'content' in item ? 'content' : 'output'
  return member in item ? { ...item, [member]: images.takenFrom(item[member] as Description) } : item
}

/** Takes the images out of lists of parts, and leaves their numbers there. */
export class Images {
  readonly taken: ImagePart[] = []
  readonly #before: number

  constructor(before: number) {
    this.#before = before
  }

  takenFrom(parts: Description): Description {
    if (!Array.isArray(parts)) return parts
    return parts.map(part =>
      isObject(part) && part['type'] === 'input_image'
        ? { type: 'input_json', data: { image: this.#before + this.taken.push(imagePart(part)) } }
        : (part as unknown),
    )
  }
}

function imagePart({ image_url, detail }: JsonObject): ImagePart {
  return {
    type: 'input_image',
    image_url: image_url as string,
    ...(detail !== undefined && detail !== null && { detail: detail as NonNullable<ImagePart['detail']> }),
  }
}
