import { requestSchema, type GenerationRequest } from '../contracts/request.ts'
import { parseDataUrl } from '../upstream/media/data-url.ts'
import { isTextFile } from '../upstream/media/text-file.ts'
import { jsonTexts } from './json-texts.ts'
import { isProtocolName, isProtocolNumber, isProtocolWord } from './request-words.ts'

/** One text of a request. */
export interface RequestText {
  /** Such as `input[0].content[1].text`. Has no names that the caller chose. */
  readonly path: string
  readonly text: string
  /** `fixed`: a name or an address, which cannot be replaced. */
  readonly kind: 'text' | 'fixed'
  replace(text: string): void
}

export interface RequestTexts {
  /** A copy, which `replace` changes. */
  readonly request: GenerationRequest
  readonly slots: readonly RequestText[]
  /** The paths of images and files that cannot be read. */
  readonly unreadable: readonly string[]
  /** Whether something was left out of the copy. */
  readonly isCut: boolean
  /** Call after the last `replace`. */
  finish(): void
}

/** What the gateway looks up: names of models and providers, and ids of what it stores. */
const internal = new Set(['model', 'routing', 'previous_response_id', 'conversation'])
/** `input` grows with a conversation, so it comes last: placeholders keep their numbers. */
const members = [...Object.keys(requestSchema.properties).filter(member => member !== 'input' && !internal.has(member)), 'input']

/** What a vendor or a tool must get as it is. */
const fixedNames = /(?:^|_)(?:ids?|name|filename|namespace|label|authorization|headers|type)$/
const addresses = /(?:^|_)url$/
/** Members that hold any JSON: addresses in them are text, which nobody fetches. */
const freeForm = new Set(['parameters', 'schema', 'input_schema', 'metadata', 'action', 'results', 'variables'])
/** They repeat an answer in pieces that cannot be redacted, and vendors do not read them. */
const repeated = new Set(['logprobs', 'annotations'])
/** Credentials of a signed URL. */
const signature = /([?&](?:X-Amz-[\w-]+|X-Goog-[\w-]+|AWSAccessKeyId|GoogleAccessId|Signature|sig|sv|se|sp|Expires)=)[^&#]*/gi
const otherCharset = /charset=(?!"?(?:utf-?8|us-ascii)"?(?:;|$))/i
/** What a caller may write begins with `data:` too. */
const encodedData = /^data:[^\s,]*;base64,[\w+/=-]*$/i
/** Decoders disagree about anything else, and about what follows the padding. */
const notBase64 = /[^\w+/=\s-]|=\s*[^=\s]/
const shortestNumber = 4

type Holder = Record<string, unknown>

interface Place {
  /** Up to the last member that the protocol knows. */
  readonly path: string
  /** Inside any JSON, where names mean nothing. */
  readonly isFree: boolean
  /** Inside a value that must stay as it is. */
  readonly isFixed: boolean
}

/** Every place of a request that goes to a vendor and may hold text: JSON inside strings and text files included. */
export function requestTexts(request: GenerationRequest): RequestTexts {
  const copy = { ...request } as Holder
  const collector = new Collector()
  for (const member of members) {
    if (copy[member] === undefined || copy[member] === null) continue
    copy[member] = copied(copy[member])
    collector.visit(copy, member, { path: member, isFree: freeForm.has(member), isFixed: fixedNames.test(member) })
  }
  return {
    request: copy as unknown as GenerationRequest,
    slots: collector.slots,
    unreadable: collector.unreadable,
    isCut: collector.isCut,
    finish: () => collector.finish(),
  }
}

/** Long strings are shared. */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copied(inner)]))
}

class Collector {
  readonly slots: RequestText[] = []
  readonly unreadable: string[] = []
  isCut = false
  readonly #finishing: (() => void)[] = []

  /** Innermost first: a document is written again after its strings were replaced. */
  finish(): void {
    for (const write of this.#finishing.toReversed()) write()
  }

  /** `key` is the name of a member, or an index. `member` is the name of the member that a list belongs to. */
  visit(holder: Holder, key: string, place: Place, member = key): void {
    const value = holder[key]
    if (typeof value === 'string') this.#string(holder, key, member, value, place)
    else if (typeof value === 'number') this.#number(holder, key, member, place)
    else if (Array.isArray(value))
      for (const index of value.keys())
        this.visit(value as unknown as Holder, String(index), place.isFree ? place : { ...place, path: `${place.path}[${index}]` }, member)
    else if (typeof value === 'object' && value !== null) this.#members(value as Holder, place)
  }

  #members(holder: Holder, place: Place): void {
    for (const key of Object.keys(holder)) {
      if (!place.isFree && repeated.has(key)) {
        this.isCut ||= (holder[key] as readonly unknown[] | undefined)?.length !== 0
        delete holder[key]
      } else if (!isProtocolName(key)) this.#chosen(holder, key, place)
      else this.visit(holder, key, place.isFree ? place : within(place, key))
    }
  }

  /** A member with a name that the caller chose. */
  #chosen(holder: Holder, key: string, place: Place): void {
    let current = key
    this.slots.push({
      path: place.path,
      text: key,
      kind: place.isFixed ? 'fixed' : 'text',
      replace: text => {
        current = text
      },
    })
    const value = { [key]: holder[key] }
    this.visit(value, key, place.isFree ? place : { ...within(place, key), path: place.path })
    this.#finishing.push(() => {
      if (current === key) return void (holder[key] = value[key])
      delete holder[key]
      holder[current] = value[key]
    })
  }

  #number(holder: Holder, key: string, member: string, { path, isFree, isFixed }: Place): void {
    const text = String(holder[key])
    if (text.length < shortestNumber || (!isFree && isProtocolNumber(member))) return
    this.slots.push({ path, text, kind: isFixed ? 'fixed' : 'text', replace: changed => void (holder[key] = changed) })
  }

  #string(holder: Holder, key: string, member: string, text: string, place: Place): void {
    const { path, isFree, isFixed } = place
    if (isProtocolWord(member, text) || isSealed(member, path)) return
    const write = (changed: string): void => void (holder[key] = changed)
    if (!isFree && isFile(holder, member, text)) return this.#file(holder, text, path, write)
    if (!isFree && member === 'file_id') this.unreadable.push(path)
    if (!isFree && addresses.test(member)) {
      if (member !== 'server_url') this.unreadable.push(path)
      this.slots.push({ path, text: decoded(text.replaceAll(signature, '$1')), kind: 'fixed', replace() {} })
    } else if (isFixed) this.slots.push({ path, text, kind: 'fixed', replace() {} })
    else this.#text(text, path, write)
  }

  #text(text: string, path: string, write: (text: string) => void): void {
    if (!this.#document(text, path, write)) this.slots.push({ path, text, kind: 'text', replace: write })
  }

  /** Text files are read. Everything else cannot be. */
  #file(holder: Holder, data: string, path: string, write: (data: string) => void): void {
    const head = /^data:[^,]*/i.exec(data)?.[0]
    const { mediaType, base64 } = head === undefined ? { mediaType: '', base64: data } : (parseDataUrl(data) ?? unknownData)
    const name = holder['filename']
    const isText = isTextFile(mediaType, typeof name === 'string' ? name : undefined) && !otherCharset.test(head ?? '')
    const text = isText && !notBase64.test(base64) ? utf8Of(Buffer.from(base64, 'base64')) : undefined
    if (text === undefined) return void this.unreadable.push(path)
    const start = head === undefined ? '' : `${head.replace(/;\s*base64\s*(?=;|$)/i, '')};base64,`
    this.#text(text, path, replaced => write(start + Buffer.from(replaced).toString('base64')))
  }

  /** Reads the strings of a JSON document without their escapes, and its numbers too. False if the text is not an object or an array. */
  #document(text: string, path: string, write: (text: string) => void): boolean {
    const json = jsonTexts(text)
    if (!json) return false
    let isChanged = false
    this.#finishing.push(() => {
      if (isChanged) write(json.written())
    })
    for (const { text: inner, replace } of json.texts) {
      const change = (changed: string): void => {
        isChanged = true
        replace(changed)
      }
      this.#text(inner, path, change)
    }
    return true
  }
}

function within({ path, isFree, isFixed }: Place, key: string): Place {
  return { path: `${path}.${key}`, isFree: isFree || freeForm.has(key), isFixed: isFixed || fixedNames.test(key) }
}

const unknownData = { mediaType: 'unknown', base64: '' }

function isFile(holder: Holder, member: string, text: string): boolean {
  if (member === 'file_data' || isResult(holder, member) || encodedData.test(text)) return true
  return addresses.test(member) && /^data:/i.test(text)
}

/** State that the gateway sealed, and that it drops if it did not. */
function isSealed(member: string, path: string): boolean {
  return member === 'encrypted_content' && /^input\[\d+\]\.encrypted_content$/.test(path)
}

/** An image that a tool of the vendor made. */
function isResult(holder: Holder, member: string): boolean {
  return member === 'result' && holder['type'] === 'image_generation_call'
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}

/** Undefined for bytes in another encoding. */
function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
