import { parseMasterKey, readKeyFile, type KeyRing } from './master-key.ts'

/** The options of local-sealer that lead to keys. */
export interface KeyOptions {
  readonly masterKey?: string
  readonly keyFile: string
  readonly previousKeys: readonly string[]
  readonly macKey?: string
}

/** The keys that a sealer with these options has. Undefined if there is no key file yet. */
export function keyRingOf({ masterKey, keyFile, previousKeys, macKey }: KeyOptions): KeyRing | undefined {
  const given = masterKey === undefined ? undefined : parseMasterKey(masterKey, 'masterKey')
  const ring = given ? { current: given, previous: [], mac: undefined } : readKeyFile(keyFile)
  if (!ring) return undefined
  return {
    current: ring.current,
    previous: [...ring.previous, ...previousKeys.map((text, index) => parseMasterKey(text, `previousKeys[${index}]`))],
    mac: macKey === undefined ? ring.mac : parseMasterKey(macKey, 'macKey'),
  }
}

/** The lines of an environment file that give `defaults()` these keys. */
export function environmentOf({ current, previous, mac }: KeyRing): string {
  const lines = {
    GATEWAY_MASTER_KEY: base64(current),
    ...(previous.length > 0 && { GATEWAY_PREVIOUS_MASTER_KEYS: previous.map(base64).join() }),
    ...(mac && { GATEWAY_MAC_KEY: base64(mac) }),
  }
  return Object.entries(lines)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

function base64(key: Uint8Array): string {
  return Buffer.from(key).toString('base64')
}
