import { isObject, type GenerationRequest, type JsonObject } from '../../../core/index.ts'
import { nearest, type Warning } from '../../../core/kit.ts'
import { counterparts, routingMembers, toolMembers, vendorMembers, type KnownMembers } from './known-members.ts'

interface Unknown {
  readonly path: string
  readonly name: string
}

/** A routing or a tool, and what it may have. */
interface Root {
  readonly path: string
  readonly known: KnownMembers
  /** The effect of an unknown member. */
  readonly effect: string
}

const maxTold = 20
/** Others are not repeated in a header. */
const plainName = /^[\w.-]{1,64}$/

/**
 * A warning for each unknown member inside `routing` and the entries of `tools`: misspelled or misplaced, it would be a restriction or a
 * fallback that silently does not apply.
 */
export function unknownMembers({ routing, tools }: GenerationRequest): readonly Warning[] {
  const warnings: Warning[] = []
  if (routing) tell({ path: 'routing', known: routingMembers, effect: 'unknown, so it has no effect' }, routing, warnings)
  if (tools) tellTools('tools', tools, warnings)
  return warnings.length === 0 ? none : warnings.slice(0, maxTold)
}

const none: readonly Warning[] = []

function tellTools(path: string, tools: readonly JsonObject[], warnings: Warning[]): void {
  for (let index = 0; index < tools.length && warnings.length < maxTold; index++) {
    const tool = tools[index]!
    const known = toolMembers.get(tool['type'] as string)
    if (!known) continue
    tell({ path: `${path}[${index}]`, known, effect: 'unknown, so it may have no effect' }, tool, warnings)
    if (tool['type'] === 'namespace') tellTools(`${path}[${index}].tools`, tool['tools'] as readonly JsonObject[], warnings)
  }
}

function tell(root: Root, value: JsonObject, warnings: Warning[]): void {
  for (const { path, name } of unknownIn(value, root.known, root.path)) {
    const meant = meantBy(name, path, root)
    warnings.push({
      param: `${path}.${plainName.test(name) ? name : '*'}`,
      message: meant === undefined ? root.effect : `${root.effect}: did you mean ${meant}?`,
    })
  }
}

/** Most objects have known members only. */
function unknownIn(value: JsonObject, known: KnownMembers, path: string): readonly Unknown[] {
  let unknown: Unknown[] | undefined
  for (const name in value) {
    const member = value[name]
    if (member === undefined) continue
    const inside = known.get(name)
    if (inside && isObject(member)) {
      const found = unknownIn(member, inside, `${path}.${name}`)
      if (found.length > 0) (unknown ??= []).push(...found)
    } else if (!inside && !known.has(name) && !vendorMembers.has(name)) (unknown ??= []).push({ path, name })
  }
  return unknown ?? nothing
}

const nothing: readonly Unknown[] = []

/** The path of the nearest known member: in the same object if one is there, otherwise anywhere in the routing or the tool. */
function meantBy(name: string, path: string, { path: root, known }: Root): string | undefined {
  if (!plainName.test(name)) return undefined
  const places = placesIn(known, root)
  const counterpart = places.find(place => place.path === `${root}.${counterparts.get(name)}`)
  if (counterpart) return counterpart.path
  const [near] = nearest(
    name,
    places.map(place => place.name),
  )
  const named = places.filter(place => place.name === near)
  return (named.find(place => place.path === `${path}.${near}`) ?? named[0])?.path
}

function placesIn(known: KnownMembers, path: string): readonly Unknown[] {
  return [...known].flatMap(([name, inside]) => [{ name, path: `${path}.${name}` }, ...(inside ? placesIn(inside, `${path}.${name}`) : [])])
}
