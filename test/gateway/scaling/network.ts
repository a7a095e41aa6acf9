import { execFileSync } from 'node:child_process'

/** Why no network can be made here; false if one can. Use it as `skip`. */
export const noNetwork: string | false = canMake() ? false : 'needs the right to make network namespaces: ip netns'

function canMake(): boolean {
  try {
    ip('netns', 'add', 'tp-try')
    ip('netns', 'delete', 'tp-try')
    return true
  } catch {
    return false
  }
}

/**
 * Network namespaces: one for Valkey, and one for each replica, which is connected to Valkey by a cable that can be pulled, and to the host by
 * another.
 */
export class Network {
  readonly #name = `tp${process.pid}`
  readonly #replicas: number

  constructor(replicas: number) {
    this.#replicas = replicas
    ip('netns', 'add', this.#redis)
    ip('-n', this.#redis, 'link', 'set', 'lo', 'up')
    for (let index = 0; index < replicas; index++) {
      const name = this.#replica(index)
      ip('netns', 'add', name)
      ip('-n', name, 'link', 'set', 'lo', 'up')
      this.#cable(`${name}r`, this.#redis, name, 'redis', `10.77.${index}`)
      this.#cable(`${name}h`, undefined, name, 'host', `10.78.${index}`)
    }
    // From the host, to ask what Valkey has.
    this.#cable(`${this.#name}m`, undefined, this.#redis, 'host', '10.79.0')
  }

  get #redis(): string {
    return `${this.#name}-redis`
  }

  #replica(index: number): string {
    return `${this.#name}-${index}`
  }

  /** The prefix that runs a command next to Valkey. */
  get besideValkey(): readonly string[] {
    return ['ip', 'netns', 'exec', this.#redis]
  }

  /** The prefix that runs a command as a replica. */
  in(index: number): readonly string[] {
    return ['ip', 'netns', 'exec', this.#replica(index)]
  }

  /** The address of Valkey for a replica. */
  valkeyFor(index: number): string {
    return `10.77.${index}.1`
  }

  /** The address of Valkey for the host. */
  readonly valkeyForHost = '10.79.0.2'

  /** The addresses of the two ends of the cable between the host and a replica. */
  hostFor(index: number): string {
    return `10.78.${index}.1`
  }

  replica(index: number): string {
    return `10.78.${index}.2`
  }

  /** Packets between Valkey and this replica vanish. */
  cut(index: number): void {
    ip('-n', this.#redis, 'link', 'set', `${this.#replica(index)}r`, 'down')
  }

  heal(index: number): void {
    ip('-n', this.#redis, 'link', 'set', `${this.#replica(index)}r`, 'up')
  }

  remove(): void {
    for (let index = 0; index < this.#replicas; index++) ip('netns', 'delete', this.#replica(index))
    ip('netns', 'delete', this.#redis)
  }

  /** `prefix`.1 is the near end, in `near` or on the host, and `prefix`.2 the far one. */
  #cable(name: string, near: string | undefined, far: string, farName: string, prefix: string): void {
    ip('link', 'add', name, 'type', 'veth', 'peer', 'name', farName, 'netns', far)
    if (near !== undefined) ip('link', 'set', name, 'netns', near)
    const nearIp = near === undefined ? ip : (...rest: readonly string[]): void => ip('-n', near, ...rest)
    nearIp('address', 'add', `${prefix}.1/24`, 'dev', name)
    nearIp('link', 'set', name, 'up')
    ip('-n', far, 'address', 'add', `${prefix}.2/24`, 'dev', farName)
    ip('-n', far, 'link', 'set', farName, 'up')
  }
}

function ip(...rest: readonly string[]): void {
  execFileSync('ip', rest, { stdio: 'pipe' })
}
