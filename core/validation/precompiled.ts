import type { References } from './compiler.ts'
import type { Validator } from './schema-rules.ts'

/** Validators by the fingerprint of their schema. None in the sources: the build replaces this module by one that has them. */
export const precompiled: ReadonlyMap<string, (references: References) => Validator> = new Map()
