import { requestSchema, type GenerationRequest } from '../contracts/request.ts'
import { parseDataUrl } from '../upstream/media/data-url.ts'
import { isTextFile } from '../upstream/media/text-file.ts'
import { readJson } from './json-reader.ts'
import { isProtocolName, isProtocolNumber, isProtocolWord } from './request-words.ts'
import { drained } from './steps.ts'

/** One text of a request. */
export interface RequestText {
  /** Such as `input[0].content[1].text`. Has no names that the caller chose. */
  readonly path: string
  /** Without the escapes of JSON around it. */
  readonly text: string
  /** `fixed`: a name or an address, which cannot be replaced. */
  readonly kind: 'text' | 'fixed'
  /** Changes the text in the copy. Not for `fixed`. */
  replace(text: string): void
}

/** The texts of a request, and the copy in which they can be replaced. */
export interface RequestTexts {
  /** A copy, which `replace` changes. */
  readonly request: GenerationRequest
  /** In the order in which they are read: those of `input` last. */
  readonly slots: readonly RequestText[]
  /** The paths of images and files that cannot be read. */
  readonly unreadable: readonly string[]
  /** True if something was left out of the copy. */
  readonly isCut: boolean
  /** Call after the last `replace`. */
  finish(): void
  /** Does the same in steps. */
  finishInSteps(): Generator<void, void>
}

/** Members that the gateway looks up: names of models and providers. */
const internal = new Set(['model', 'routing'])
/** `input` grows with a conversation, so it comes last: placeholders keep their numbers. */
const members = [...Object.keys(requestSchema.properties).filter(member => member !== 'input' && !internal.has(member)), 'input']

/** Members that a vendor or a tool must get unchanged. */
const fixedNames = /(?:^|_)(?:ids?|name|filename|namespace|label|authorization|headers|type)$/
const addresses = /(?:^|_)url$/
/** Members that hold any JSON: addresses in them are text, which nobody fetches. */
const freeForm = new Set(['parameters', 'schema', 'input_schema', 'metadata', 'action', 'arguments', 'results', 'variables'])
/** These repeat an answer in pieces that cannot be redacted, and vendors do not read them. */
const repeated = new Set(['logprobs', 'annotations'])
/** Credentials of a signed URL. */
const signature = /([?&](?:X-Amz-[\w-]+|X-Goog-[\w-]+|AWSAccessKeyId|GoogleAccessId|Signature|sig|sv|se|sp|Expires)=)[^&#]*/gi
const otherCharset = /charset=(?!"?(?:utf-?8|us-ascii)"?(?:;|$))/i
/** Ordinary text may begin with `data:`, too. */
const encodedData = /^data:[^\s,]*;base64,[\w+/=-]*$/i
/** Decoders disagree about any other characters, and about text after the padding. */
const notBase64 = /[^\w+/=\s-]|=\s*[^=\s]/
const shortestNumber = 4

type Holder = Record<string, unknown>

interface Place {
  /** Up to the last member that the protocol knows. */
  readonly path: string
  /** Inside free-form JSON, where names have no meaning. */
  readonly isFree: boolean
  /** Inside a value that must not change. */
  readonly isFixed: boolean
}

/** Every place of a request that goes to a vendor and may hold text: JSON inside strings and text files included. */
export function requestTexts(request: GenerationRequest): RequestTexts {
  return drained(readRequestTexts(request))
}

/** The same in short steps, so that the caller can let other work run in between. */
export function* readRequestTexts(request: GenerationRequest): Generator<void, RequestTexts> {
  const copy = { ...request } as Holder
  const collector = new Collector()
  for (const member of members) {
    if (copy[member] === undefined || copy[member] === null) continue
    copy[member] = yield* copied(copy[member])
    yield* collector.visit(copy, member, { path: member, isFree: freeForm.has(member), isFixed: fixedNames.test(member) })
  }
  return {
    request: copy as unknown as GenerationRequest,
    slots: collector.slots,
    unreadable: collector.unreadable,
    isCut: collector.isCut,
    finish: () => drained(collector.finish()),
    finishInSteps: () => collector.finish(),
  }
}

/** Long strings are shared. */
function* copied(value: unknown): Generator<void, unknown> {
  if (typeof value !== 'object' || value === null) return value
  yield
  if (Array.isArray(value)) {
    const list: unknown[] = []
    for (const inner of value) list.push(isLeaf(inner) ? inner : yield* copied(inner))
    return list
  }
  const entries: [string, unknown][] = []
  for (const [key, inner] of Object.entries(value)) entries.push([key, isLeaf(inner) ? inner : yield* copied(inner)])
  return Object.fromEntries(entries)
}

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

class Collector {
  readonly slots: RequestText[] = []
  readonly unreadable: string[] = []
  isCut = false
  readonly #finishing: (() => Generator<void, void>)[] = []

  #number(holder: Holder, key: string, member: string, { path, isFree, isFixed }: Place): void {
    const text = String(holder[key])
    if (text.length < shortestNumber || (!isFree && isProtocolNumber(member))) return
    this.slots.push({ path, text, kind: isFixed ? 'fixed' : 'text', replace: changed => void (holder[key] = changed) })
  }

  /** Innermost first: a document is rewritten after its strings were replaced. */
  *finish(): Generator<void, void> {
    for (const write of this.#finishing.toReversed()) {
      yield* write()
      yield
    }
  }

  /** `key` is the name of a member, or an index. `member` is the name of the member that a list belongs to. */
  *visit(holder: Holder, key: string, place: Place, member = key): Generator<void, void> {
    const value = holder[key]
    if (typeof value === 'string') yield* this.#string(holder, key, member, value, place)
    else if (typeof value === 'number') this.#number(holder, key, member, place)
    else if (Array.isArray(value))
      for (const index of value.keys())
        yield* this.visit(
          value as unknown as Holder,
          String(index),
          place.isFree ? place : { ...place, path: `${place.path}[${index}]` },
          member,
        )
    else if (typeof value === 'object' && value !== null) yield* this.#members(value as Holder, place)
    yield
  }

  *#members(holder: Holder, place: Place): Generator<void, void> {
    for (const key of Object.keys(holder)) {
      if (!place.isFree && repeated.has(key)) {
        this.isCut ||= (holder[key] as readonly unknown[] | undefined)?.length !== 0
        delete holder[key]
      } else if (!isProtocolName(key)) yield* this.#chosen(holder, key, place)
      else yield* this.visit(holder, key, place.isFree ? place : within(place, key))
    }
  }

  /** A member with a name that the caller chose. */
  *#chosen(holder: Holder, key: string, place: Place): Generator<void, void> {
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
    yield* this.visit(value, key, place.isFree ? place : { ...within(place, key), path: place.path })
    this.#finishing.push(function* () {
      if (current === key) return void (holder[key] = value[key])
      delete holder[key]
      holder[current] = value[key]
    })
  }

  *#string(holder: Holder, key: string, member: string, text: string, place: Place): Generator<void, void> {
    const { path, isFree, isFixed } = place
    if (isProtocolWord(member, text) || isSealed(member, path)) return
    const write = (changed: string): void => void (holder[key] = changed)
    if (!isFree && isFile(holder, member, text)) return yield* this.#file(holder, text, path, write)
    if (!isFree && member === 'file_id') this.unreadable.push(path)
    if (!isFree && addresses.test(member)) {
      if (member !== 'server_url') this.unreadable.push(path)
      this.slots.push({ path, text: decoded(text.replaceAll(signature, '$1')), kind: 'fixed', replace() {} })
    } else if (isFixed) this.slots.push({ path, text, kind: 'fixed', replace() {} })
    else yield* this.#text(text, path, write)
  }

  *#text(text: string, path: string, write: (text: string) => void): Generator<void, void> {
    if (!mayBeDocument(text) || !(yield* this.#document(text, path, write))) this.slots.push({ path, text, kind: 'text', replace: write })
  }

  /** Text files are read. Everything else cannot be. */
  *#file(holder: Holder, data: string, path: string, write: (data: string) => void): Generator<void, void> {
    const head = /^data:[^,]*/i.exec(data)?.[0]
    const { mediaType, base64 } = head === undefined ? { mediaType: '', base64: data } : (parseDataUrl(data) ?? unknownData)
    const name = holder['filename']
    const isText = isTextFile(mediaType, typeof name === 'string' ? name : undefined) && !otherCharset.test(head ?? '')
    const text = isText && !notBase64.test(base64) ? utf8Of(Buffer.from(base64, 'base64')) : undefined
    if (text === undefined) return void this.unreadable.push(path)
    const start = head === undefined ? '' : `${head.replace(/;\s*base64\s*(?=;|$)/i, '')};base64,`
    yield* this.#text(text, path, replaced => write(start + Buffer.from(replaced).toString('base64')))
  }

  /** Reads the strings of a JSON document without their escapes, and its numbers too. False if the text is not an object, an array or a string. */
  *#document(text: string, path: string, write: (text: string) => void): Generator<void, boolean> {
    const document = yield* readJson(text)
    if (!document) return false
    this.#finishing.push(function* () {
      if (document.isChanged) write(yield* document.written())
    })
    for (const [index, inner] of document.texts.entries()) {
      const change = (changed: string): void => document.replace(index, changed)
      if (mayBeDocument(inner)) yield* this.#text(inner, path, change)
      else this.slots.push({ path, text: inner, kind: 'text', replace: change })
      if (index % stepTexts === 0) yield
    }
    return true
  }
}

const stepTexts = 256

function mayBeDocument(text: string): boolean {
  return /^\s*[[{"]/.test(text)
}

function within({ path, isFree, isFixed }: Place, key: string): Place {
  return { path: `${path}.${key}`, isFree: isFree || freeForm.has(key), isFixed: isFixed || fixedNames.test(key) }
}

const unknownData = { mediaType: 'unknown', base64: '' }

function isFile(holder: Holder, member: string, text: string): boolean {
  if (member === 'file_data' || isResult(holder, member) || encodedData.test(text)) return true
  return addresses.test(member) && /^data:/i.test(text)
}

/** State sealed by the gateway. It drops other state. */
function isSealed(member: string, path: string): boolean {
  return member === 'encrypted_content' && /^input\[\d+\]\.encrypted_content$/.test(path)
}

/** An image from a vendor's tool. */
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

/** The text of bytes in UTF-8, if they are. */
function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
