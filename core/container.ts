// The one module that imports tsyringe: it refuses to load unless reflect-metadata has loaded first.
import 'reflect-metadata'
import { container, inject, injectable, type InjectionToken } from 'tsyringe'
import type { Token } from './token.ts'

type Tokens<P extends readonly unknown[]> = { readonly [K in keyof P]: Token<P[K]> }

/** Says which tokens fill a class's constructor; the compiler checks them against its parameters, in order. */
export function wire<P extends readonly any[], T>(target: new (...args: P) => T, dependencies: Tokens<P>): void {
  dependencies.forEach((dependency, index) => inject(dependency as InjectionToken<unknown>)(target, undefined, index))
  injectable()(target)
}

/** Holds one gateway's objects. Filled at boot, and never asked again after it. */
export interface Container {
  value<T>(token: Token<T>, value: T): void
  /** Made at the first `get`, once, its constructor filled as `wire` says. */
  singleton<T>(token: Token<T>, target: new (...args: any[]) => T): void
  has(token: Token<unknown>): boolean
  get<T>(token: Token<T>): T
}

/** A container of its own for each gateway, so that two gateways in one process share nothing. */
export function createContainer(): Container {
  const own = container.createChildContainer()
  return {
    value: (token, value) => void own.register(token as InjectionToken<unknown>, { useValue: value }),
    singleton: (token, target) => void own.registerSingleton(token as InjectionToken<never>, target as never),
    has: token => own.isRegistered(token as InjectionToken<unknown>),
    get: token => own.resolve(token as InjectionToken<never>),
  }
}
