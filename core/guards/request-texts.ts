import type { GenerationRequest } from '../contracts/request.ts'
import { isTextFile } from '../upstream/media/text-file.ts'
import { jsonTexts } from './json-texts.ts'

/** One text of a request. */
export interface RequestText {
  /** Such as `input[0].content[1].text`. */
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
  /** Call after the last `replace`. */
  finish(): void
}

/** Every member that goes to a vendor and may hold text of the caller. */
const members = ['input', 'instructions', 'tools', 'text', 'user', 'safety_identifier', 'metadata'] as const

/** Members with words of the protocol, ids, or state that the gateway sealed itself. */
const structural = new Set(['type', 'role', 'status', 'detail', 'encrypted_content', 'phase', 'namespace'])
const names = new Set(['name', 'filename', 'id', 'call_id'])
const addresses = new Set(['image_url', 'file_url'])
/** Texts that often are JSON documents. Their strings are read without the escapes, and their numbers too. */
const documents = new Set(['arguments', 'output', 'input'])
const otherCharset = /charset=(?!"?(?:utf-?8|us-ascii)"?(?:;|$))/i
const shortestNumber = 4
const plainKey = /^[A-Za-z_$][\w$ -]{0,60}$/

type Holder = Record<string, unknown>

/** Every place of a request that goes to a vendor and may hold text: JSON inside strings and text files included. */
export function requestTexts(request: GenerationRequest): RequestTexts {
  const copy = { ...request } as Holder
  const collector = new Collector()
  for (const member of members) {
    if (copy[member] === undefined || copy[member] === null) continue
    copy[member] = structuredClone(copy[member])
    collector.visit(copy, member, member)
  }
  return {
    request: copy as unknown as GenerationRequest,
    slots: collector.slots,
    unreadable: collector.unreadable,
    finish: () => collector.finish(),
  }
}

class Collector {
  readonly slots: RequestText[] = []
  readonly unreadable: string[] = []
  readonly #finishing: (() => void)[] = []

  /** Innermost first: a document is written again after its strings were replaced. */
  finish(): void {
    for (const write of this.#finishing.toReversed()) write()
  }

  visit(holder: Holder, key: string, path: string): void {
    const value = holder[key]
    if (typeof value === 'string') this.#text(holder, key, value, path)
    else if (Array.isArray(value))
      for (const index of value.keys()) this.visit(value as unknown as Holder, String(index), `${path}[${index}]`)
    else if (typeof value === 'object' && value !== null) this.#members(value as Holder, path)
  }

  #members(holder: Holder, path: string): void {
    for (const key of Object.keys(holder)) {
      const inner = `${path}.${key.slice(0, 60)}`
      if (!plainKey.test(key)) this.#key(holder, key, path)
      else if (typeof holder[key] === 'number') this.#number(holder, key, path)
      else if (!structural.has(key) || typeof holder[key] !== 'string') this.visit(holder, key, inner)
    }
  }

  #number(holder: Holder, key: string, path: string): void {
    const text = String(holder[key])
    if (text.length >= shortestNumber)
      this.slots.push({ path: `${path}.${key}`, text, kind: 'text', replace: changed => void (holder[key] = changed) })
  }

  /** The name of a member may be text of the caller too, in free-form JSON. */
  #key(holder: Holder, key: string, path: string): void {
    let current = key
    this.slots.push({
      path,
      text: key,
      kind: 'text',
      replace(text) {
        holder[text] = holder[current]
        delete holder[current]
        current = text
      },
    })
    const value = { value: holder[key] }
    this.visit(value, 'value', path)
    this.#finishing.push(() => {
      holder[current] = value.value
    })
  }

  #text(holder: Holder, key: string, text: string, path: string): void {
    if (addresses.has(key)) return this.#address(text, path)
    if (key === 'file_data') return this.#file(holder, text, path)
    if (documents.has(key) && this.#document(text, path, changed => void (holder[key] = changed))) return
    const kind = names.has(key) ? 'fixed' : 'text'
    this.slots.push({ path, text, kind, replace: replaced => void (holder[key] = replaced) })
  }

  #address(url: string, path: string): void {
    this.unreadable.push(path)
    if (!/^data:/i.test(url)) this.slots.push({ path, text: decoded(url), kind: 'fixed', replace() {} })
  }

  /** Text files are read. Everything else cannot be. */
  #file(holder: Holder, data: string, path: string): void {
    const [, type = '', parameters = '', base64 = ''] = /^data:([^;,]*)([^,]*);base64,(.*)$/s.exec(data) ?? []
    const text = isTextFile(type) && !otherCharset.test(parameters) ? utf8Of(Buffer.from(base64, 'base64')) : undefined
    if (text === undefined) return void this.unreadable.push(path)
    const head = data.slice(0, data.length - base64.length)
    this.slots.push({
      path,
      text,
      kind: 'text',
      replace: replaced => void (holder['file_data'] = head + Buffer.from(replaced).toString('base64')),
    })
  }

  /** False if the text is not a JSON object or array. */
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
      if (!this.#document(inner, path, change)) this.slots.push({ path, text: inner, kind: 'text', replace: change })
    }
    return true
  }
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
