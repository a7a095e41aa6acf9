import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const file = resolve(import.meta.dirname, '../../../../shared/wire-schemas/bedrock-runtime.converse.service-2.json')

/** Why requests cannot be held to the vendor's service model, as tap's `skip` takes it. */
export const serviceModelAbsent: string | false = existsSync(file) ? false : `no service model of the vendor's at ${file}`

interface Shape {
  readonly type: string
  readonly required?: readonly string[]
  readonly members?: Readonly<Record<string, { readonly shape: string; readonly location?: string }>>
  readonly member?: { readonly shape: string }
  readonly key?: { readonly shape: string }
  readonly value?: { readonly shape: string }
  readonly union?: boolean
  readonly document?: boolean
  readonly enum?: readonly string[]
  readonly min?: number
  readonly max?: number
  readonly pattern?: string
}

/** The vendor's description of its API, by which its own clients check their requests. */
export class ServiceModel {
  readonly #shapes: Readonly<Record<string, Shape>>

  constructor() {
    this.#shapes = (JSON.parse(readFileSync(file, 'utf8')) as { readonly shapes: Readonly<Record<string, Shape>> }).shapes
  }

  /** In what a value differs from a shape, a sentence each. */
  problems(name: string, value: unknown, path = name): string[] {
    const shape = this.#shapes[name]!
    if (shape.document) return []
    switch (shape.type) {
      case 'structure':
        return isObject(value) ? this.#structure(shape, value, path) : [`${path} is no object`]
      case 'list':
        if (!Array.isArray(value)) return [`${path} is no list`]
        return [
          ...sizes(shape, value.length, path),
          ...value.flatMap((each, i) => this.problems(shape.member!.shape, each, `${path}[${i}]`)),
        ]
      case 'map':
        if (!isObject(value)) return [`${path} is no map`]
        return Object.entries(value).flatMap(([key, each]) => [
          ...this.problems(shape.key!.shape, key, `${path} key`),
          ...this.problems(shape.value!.shape, each, `${path}.${key}`),
        ])
      case 'string':
        return typeof value === 'string' ? text(shape, value, path) : [`${path} is no string`]
      case 'blob':
        return typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value ? [] : [`${path} is no base64`]
      case 'boolean':
        return typeof value === 'boolean' ? [] : [`${path} is no boolean`]
      case 'integer':
        return Number.isInteger(value) ? sizes(shape, value as number, path) : [`${path} is no integer`]
      case 'float':
        return typeof value === 'number' ? sizes(shape, value, path) : [`${path} is no number`]
      default:
        return [`${path} has the type ${shape.type}, which this check does not know`]
    }
  }

  #structure({ members = {}, required = [], union }: Shape, value: Readonly<Record<string, unknown>>, path: string): string[] {
    const inBody = (name: string): boolean => members[name]?.location === undefined
    const given = Object.keys(value)
    return [
      ...given.filter(name => !(name in members) || !inBody(name)).map(name => `${path} has the unknown member ${name}`),
      ...required.filter(name => inBody(name) && !given.includes(name)).map(name => `${path} lacks ${name}`),
      ...(union && given.length !== 1 ? [`${path} is a union and has ${given.length} members`] : []),
      ...given.filter(name => name in members).flatMap(name => this.problems(members[name]!.shape, value[name], `${path}.${name}`)),
    ]
  }
}

function sizes({ min = -Infinity, max = Infinity }: Shape, size: number, path: string): string[] {
  return size < min || size > max ? [`${path} is ${size}, outside of ${min} to ${max}`] : []
}

function text(shape: Shape, value: string, path: string): string[] {
  return [
    ...sizes(shape, value.length, `the length of ${path}`),
    ...(shape.enum && !shape.enum.includes(value) ? [`${path} is ${value}, none of ${shape.enum.join(', ')}`] : []),
    ...(shape.pattern && !new RegExp(`^(?:${shape.pattern})$`).test(value) ? [`${path} is ${value}, unlike ${shape.pattern}`] : []),
  ]
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
