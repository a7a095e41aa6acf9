import { invalidRequest, isObject, type Item } from '../../../core/index.ts'
import { bodyValidator, itemSchema, withParam, type GatewayServices, wording } from '../../../core/kit.ts'
import { GatewayError } from '../../../core/index.ts'
import type { StoredConversation } from '../../../core/stores.ts'
import { normaliseInput } from '../responses/normalise.ts'

type Metadata = StoredConversation['metadata']

/** The public protocol has the same limit. */
export const maxItemsAtOnce = 20

const items = { type: 'array', maxItems: maxItemsAtOnce, items: itemSchema } as const
const metadata = {
  type: 'object',
  maxProperties: 16,
  propertyNames: { maxLength: 64 },
  additionalProperties: { type: 'string', maxLength: 512 },
} as const

export const createSchema = { type: 'object', properties: { items, metadata } } as const
export const changeSchema = { type: 'object', required: ['metadata'], properties: { metadata } } as const
export const addSchema = { type: 'object', required: ['items'], properties: { items: { ...items, minItems: 1 } } } as const

const validateCreate = bodyValidator(createSchema)
const validateChange = bodyValidator(changeSchema)
const validateAdd = bodyValidator(addSchema)

export function createBody(body: unknown, gateway: CheckMedia): { readonly items: readonly Item[]; readonly metadata: Metadata } {
  const { items = [], metadata = {} } = checked<{ items?: readonly Item[]; metadata?: Metadata }>(body, validateCreate)
  checkItems(items, gateway)
  return { items, metadata }
}

/** `null` empties the metadata. */
export function changeBody(body: unknown): Metadata {
  const emptied = isObject(body) && body['metadata'] === null ? { ...body, metadata: {} } : body
  return checked<{ metadata: Metadata }>(emptied, validateChange).metadata
}

export function addBody(body: unknown, gateway: CheckMedia): readonly Item[] {
  const { items } = checked<{ items: readonly Item[] }>(body, validateAdd)
  checkItems(items, gateway)
  return items
}

type CheckMedia = Pick<GatewayServices, 'checkMedia'>

/** Nulls count as absent. */
function checked<T>(body: unknown, validate: (body: object) => void): T {
  if (!isObject(body)) throw invalidRequest(wording`The body must be a JSON object.`)
  const given: Record<string, unknown> = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
  if (Array.isArray(given['items'])) given['items'] = normaliseInput(given['items'])
  validate(given)
  return given as T
}

/** Items that only mean something in a request. */
const fleeting: ReadonlySet<string> = new Set(['item_reference', 'compaction_trigger'])

function checkItems(items: readonly Item[], { checkMedia }: CheckMedia): void {
  const index = items.findIndex(({ type }) => fleeting.has(type))
  if (index >= 0)
    throw invalidRequest(
      wording`A conversation cannot keep an item of the type '${items[index]!.type}'. Send the item itself.`,
      `items[${index}].type`,
    )
  try {
    checkMedia(items)
  } catch (error) {
    const isAtItem = error instanceof GatewayError && error.param?.startsWith('input[')
    throw isAtItem ? withParam(error, error.param!.replace('input', 'items')) : error
  }
}
