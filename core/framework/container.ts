// The one module that imports tsyringe: it refuses to load unless reflect-metadata has loaded first.
import 'reflect-metadata'
import { container, inject, injectable, type InjectionToken } from 'tsyringe'
import type { Token } from '../foundation/token.ts'

type Class<T> = new (...args: any[]) => T
/** A service by its token, or one of core's own classes by itself. */
type Key<T> = Token<T> | Class<T>
type Keys<P extends readonly unknown[]> = { readonly [K in keyof P]: Key<P[K]> }

/** Says what fills a class's constructor; the compiler checks it against the parameters, in order. */
export function wire<P extends readonly any[], T>(target: new (...args: P) => T, dependencies: Keys<P>): void {
  dependencies.forEach((dependency, index) => inject(dependency as InjectionToken<unknown>)(target, undefined, index))
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
    singleton: target => void own.registerSingleton(target),
    has: key => own.isRegistered(key as InjectionToken<unknown>),
    get: key => own.resolve(key as InjectionToken<never>),
  }
}
