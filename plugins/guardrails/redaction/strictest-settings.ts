import { isDeepStrictEqual } from 'node:util'
import { isWellFormed } from './settings-problem.ts'
import { detectorNames, usualDetectors, type Settings } from './settings.ts'

/** Settings that find everything that any of these find, and reveal nothing that any of these hide. */
export function strictestSettings(all: readonly Settings[]): Settings {
  const malformed = all.find(settings => !isWellFormed(settings))
  if (malformed) return malformed
  const wanted = new Set(all.flatMap(({ detectors = usualDetectors }) => detectors))
  const custom = all.flatMap(settings => settings.custom ?? [])
  return {
    detectors: detectorNames.filter(name => wanted.has(name)),
    custom: custom.filter((pattern, index) => custom.findIndex(other => isDeepStrictEqual(other, pattern)) === index),
    deny: [...new Set(all.flatMap(({ deny = [] }) => deny))],
    allow: (all[0]!.allow ?? []).filter(value => all.every(({ allow }) => allow?.includes(value))),
    replacement: replacements.findLast(way => all.some(({ replacement = 'placeholder' }) => replacement === way))!,
    restore: all.every(({ restore = true }) => restore),
    unreadable: all.some(({ unreadable = 'refuse' }) => unreadable === 'refuse') ? 'refuse' : 'pass',
  }
}

/** The strictest one last. */
const replacements = ['placeholder', 'mask', 'refuse'] as const
