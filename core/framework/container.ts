// The one module that imports tsyringe: it refuses to load unless reflect-metadata has loaded first.
import 'reflect-metadata'
import { container, inject, injectable, type InjectionToken } from 'tsyringe'
import type { Token } from '../foundation/token.ts'

type Class<T> = new (...args: any[]) => T
/** A service by its token, or one of core's own classes by itself. */
type Key<T> = Token<T> | Class<T>
type Keys<P extends readonly unknown[]> = { readonly [K in keyof P]: Key<P[K]> }

/** A map of dependencies: what a class needs, by the names under which it gets them. */
type KeyMap = Readonly<Record<string, Key<any>>>
export type Dependencies<M extends KeyMap> = { readonly [N in keyof M]: M[N] extends Key<infer T> ? T : never }

/** The map that fills a class's constructor, by the token under which the container resolves it. */
const maps = new Map<Class<unknown>, { readonly token: symbol; readonly keys: KeyMap }>()

/** Says what fills a class's constructor: a list in the order of its parameters, or a map for its only one. The compiler checks it. */
export function wire<P extends readonly any[], T>(target: new (...args: P) => T, dependencies: Keys<P>): void
export function wire<M extends KeyMap, T>(target: new (dependencies: Dependencies<M>) => T, dependencies: M): void
export function wire(target: Class<unknown>, dependencies: readonly Key<unknown>[] | KeyMap): void {
  let keys: readonly unknown[]
  if (Array.isArray(dependencies)) keys = dependencies
  else {
    const token = Symbol(target.name)
    maps.set(target, { token, keys: dependencies as KeyMap })
    keys = [token]
  }
  keys.forEach((key, index) => inject(key as InjectionToken<unknown>)(target, undefined, index))
  injectable()(target)
}

/** Holds one gateway's objects. Filled at boot, and never asked again after it. */
export interface Container {
  value<T>(token: Token<T>, value: T): void
  /** Made at the first `get`, once, its constructor filled as `wire` says. */
  singleton(target: Class<unknown>): void
  has(key: Key<unknown>): boolean
  get<T>(key: Key<T>): T
}

/** A container of its own for each gateway, so that two gateways in one process share nothing. */
export function createContainer(): Container {
  const own = container.createChildContainer()
  return {
    value: (token, value) => void own.register(token as InjectionToken<unknown>, { useValue: value }),
    singleton(target) {
      const map = maps.get(target)
      if (map)
        own.register(map.token, {
          useFactory: container =>
            Object.fromEntries(Object.entries(map.keys).map(([name, key]) => [name, container.resolve(key as InjectionToken<unknown>)])),
        })
      own.registerSingleton(target)
    },
    has: key => own.isRegistered(key as InjectionToken<unknown>),
    get: key => own.resolve(key as InjectionToken<never>),
  }
}
