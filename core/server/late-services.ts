import type { GatewayServices } from '../contracts/route.ts'

/** Takes the place of the services of a gateway that is not assembled yet: plugins name them in `needs`, and use them from `onStart`. */
export class LateServices {
  #live: GatewayServices | undefined

  readonly services: GatewayServices = new Proxy({} as GatewayServices, {
    get: (_, name) => {
      if (!this.#live) throw new Error('the gateway is not assembled yet: use GatewayServices from `onStart`, not in `setup`')
      return Reflect.get(this.#live, name)
    },
  })

  arrive(live: GatewayServices): void {
    this.#live = live
  }
}
