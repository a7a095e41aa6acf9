import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { check } from '../../core/framework/checked-plugins.ts'
import { EnvelopeSealer } from '../../plugins/sealers/local/envelope.ts'
import { environmentOf, keyRingOf, type KeyOptions } from '../../plugins/sealers/local/key-ring.ts'
import { readKeyFile, writeKeyFile, type KeyRing } from '../../plugins/sealers/local/master-key.ts'
import type { Place } from '../../plugins/stores/sql/database.ts'
import { ConfigError } from '../errors.ts'
import type { LoadedConfig } from '../load.ts'

/** The master key of a config: it opens what is copied, and the gateway on the copy needs the same one. */
export class CopiedKeys {
  readonly sealer: EnvelopeSealer
  readonly #ring: KeyRing | undefined
  readonly #file: string
  readonly #isInFile: boolean

  private constructor(ring: KeyRing | undefined, file: string, isInFile: boolean) {
    this.#ring = ring
    this.#file = file
    this.#isInFile = isInFile
    const source = isInFile ? `key file ${file}` : 'option masterKey of local-sealer (GATEWAY_MASTER_KEY with defaults())'
    this.sealer = new EnvelopeSealer({ source, current: ring?.current, previous: ring?.previous ?? [], mac: ring?.mac })
  }

  /** Throws a `ConfigError` for a config whose sealer keeps its keys elsewhere. */
  static of({ plugins, folder, file: config }: LoadedConfig): CopiedKeys {
    const sealer = check(plugins).find(({ plugin }) => plugin.name === 'local-sealer')
    if (!sealer)
      throw new ConfigError(config, ['It has no plugin local-sealer, so copy cannot check that the copy will have the same master key.'])
    const options = sealer.options as KeyOptions
    const file = resolve(folder, options.keyFile)
    try {
      return new CopiedKeys(keyRingOf({ ...options, keyFile: file }), file, options.masterKey === undefined)
    } catch (error) {
      throw new ConfigError(config, [(error as Error).message])
    }
  }

  /** Puts the keys where a gateway on `place` finds them. Returns sentences for the operator, without a key. */
  handOver(place: Place): string {
    if (!this.#ring) return 'There is no master key yet.'
    return 'url' in place ? this.#toEnvironment(this.#ring) : this.#toFile(this.#ring)
  }

  #toEnvironment(ring: KeyRing): string {
    if (!this.#isInFile) return 'The master key is in the environment or the config already: give every gateway the same one.'
    const path = newFile(`${this.#file}.env`, environmentOf(ring))
    return `The master key of ${this.#file} is in ${path}, as variables: put them into the environment of every gateway, then delete the file.`
  }

  #toFile(ring: KeyRing): string {
    if (this.#isInFile) return `The master key stays in ${this.#file}.`
    if (writeKeyFile(this.#file, ring))
      return `The master key is in ${this.#file}, too: the gateway finds it there once GATEWAY_MASTER_KEY is not set.`
    if (isSame(ring, readKeyFile(this.#file))) return `The master key is in ${this.#file}, too, as it was before.`
    return `The file ${this.#file} has another master key, so keep GATEWAY_MASTER_KEY set (and GATEWAY_MAC_KEY and GATEWAY_PREVIOUS_MASTER_KEYS).`
  }
}

/** A name that is free, or that of an earlier run with the same text. */
function newFile(wanted: string, text: string): string {
  for (let number = 1; ; number++) {
    const path = number === 1 ? wanted : `${wanted}.${number}`
    try {
      writeFileSync(path, text, { flag: 'wx', mode: 0o600, flush: true })
      return path
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EEXIST')
        throw new ConfigError(undefined, [
          `${path} cannot be written (${code}). Make its folder writable, so that the master key can be put there.`,
        ])
      if (readFileSync(path, 'utf8') === text) return path
    }
  }
}

function isSame(a: KeyRing, b: KeyRing | undefined): boolean {
  return b !== undefined && environmentOf(a) === environmentOf(b)
}
