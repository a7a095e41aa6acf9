// The only module that imports tsyringe, which requires reflect-metadata to be loaded first.
import 'reflect-metadata'
import { container, inject, injectable, type InjectionToken } from 'tsyringe'
import type { Token } from '../foundation/token.ts'

type Class<T> = new (...args: any[]) => T
/** The token of a service, or one of core's classes. */
type Key<T> = Token<T> | Class<T>
type Keys<P extends readonly unknown[]> = { readonly [K in keyof P]: Key<P[K]> }

/** The dependencies of a class, by the names under which its constructor gets them. */
type KeyMap = Readonly<Record<string, Key<any>>>
export type Dependencies<M extends KeyMap> = { readonly [N in keyof M]: M[N] extends Key<infer T> ? T : never }

/** The dependency map of each class that has one, with the token that stands for the whole map. */
const maps = new Map<Class<unknown>, { readonly token: symbol; readonly keys: KeyMap }>()

/** Declares the dependencies of a class: an array in the order of the parameters, or a map for a single parameter. The compiler checks it. */
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

/** Holds the objects of one gateway. Used only at boot. */
export interface Container {
  value<T>(token: Token<T>, value: T): void
  /** Created once, at the first `get`, with the dependencies declared by `wire`. */
  singleton(target: Class<unknown>): void
  has(key: Key<unknown>): boolean
  get<T>(key: Key<T>): T
}

/** Each gateway has its own container, so that two gateways in one process share nothing. */
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
