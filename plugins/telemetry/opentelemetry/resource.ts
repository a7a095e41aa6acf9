import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { Attribute, type AttributeValue } from './wire/attribute.ts'

export interface ResourceOptions {
  readonly serviceName: string
  readonly version: string
  readonly attributes: Readonly<Record<string, AttributeValue>>
}

/** This process, which sends. Each worker is an instance, so that its counts are its own. */
export function resourceOf({ serviceName, version, attributes }: ResourceOptions): readonly (readonly [Attribute, AttributeValue])[] {
  const all: Record<string, AttributeValue> = {
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
    'process.pid': process.pid,
    'telemetry.sdk.name': 'turnpike',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': version,
    ...attributes,
  }
  return Object.entries(all).map(([name, value]) => [new Attribute(name), value])
}
