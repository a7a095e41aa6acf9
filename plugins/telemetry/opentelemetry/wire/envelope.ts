import { encoded, type Attribute, type AttributeValue } from './attribute.ts'
import { sizeOf, Writer } from './writer.ts'

// The messages around spans, metrics and log records have the same fields in all three requests of OTLP.
const resourceItems = 1
const resource = 1
const scopeItems = 2
const scope = 1
const items = 2
const attributes = 1
const name = 1
const version = 2

/** The field number of a span, a metric or a log record in what surrounds it. */
export const itemField = items

/** Makes requests of encoded items: one resource, one scope. */
export class Envelope {
  readonly #resource: Uint8Array
  readonly #scope: Uint8Array

  constructor(of: readonly (readonly [Attribute, AttributeValue])[], scopeName: string, scopeVersion: string) {
    const resourceWriter = new Writer()
    const start = resourceWriter.open(resource)
    resourceWriter.raw(encoded(attributes, of))
    resourceWriter.close(start)
    this.#resource = resourceWriter.take()
    const scopeWriter = new Writer()
    const scopeStart = scopeWriter.open(scope)
    scopeWriter.text(name, scopeName)
    scopeWriter.text(version, scopeVersion)
    scopeWriter.close(scopeStart)
    this.#scope = scopeWriter.take()
  }

  around(encodedItems: Uint8Array): Buffer<ArrayBuffer> {
    const inner = this.#scope.length + encodedItems.length
    const outer = this.#resource.length + 1 + sizeOf(inner) + inner
    const head = new Writer()
    head.varint(resourceItems * 8 + 2)
    head.varint(outer)
    head.raw(this.#resource)
    head.varint(scopeItems * 8 + 2)
    head.varint(inner)
    head.raw(this.#scope)
    return Buffer.concat([head.take(), encodedItems])
  }
}
