import type { Maybe } from '../runtime/pending.ts'
import { contract } from '../foundation/token.ts'

/** From the most to the least powerful: `owner` also manages admin tokens, `editor` changes accounts and keys, `viewer` is read-only. */
export const adminRoles = ['owner', 'editor', 'viewer'] as const
/** One of `adminRoles`. */
export type AdminRole = (typeof adminRoles)[number]

const powers: ReadonlyMap<string, number> = new Map([
  ['viewer', 1],
  ['editor', 2],
  ['owner', 3],
] satisfies [AdminRole, number][])

/** True if the admin has this role or a more powerful one. An unknown role has no rights. */
export function hasRole({ role }: { readonly role: AdminRole }, least: AdminRole): boolean {
  const has = powers.get(role)
  const needs = powers.get(least)
  return has !== undefined && needs !== undefined && has >= needs
}

/** A stored admin token: everything but the secret. */
export interface AdminToken {
  /** The middle part of `ta_<id>_<secret>`. */
  readonly id: string
  /** HMAC-SHA-256 of the whole token under the server's pepper, base64url. */
  readonly hash: string
  /** For people. */
  readonly name: string
  /** Decides which routes it may call. */
  readonly role: AdminRole
  /** The only organization that it may see and change. Default: all. */
  readonly org?: string | undefined
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/**
 * Stores admin tokens. Every process that shares the store must see a removal within a second. A token without a known role, or whose `org` is
 * neither a non-empty string nor undefined, is refused with a 503, and so is any other answer of `find` that is not a token. No function has a
 * time limit. `adminTokenStoreSuite` of `turnpike/testing` checks an implementation.
 */
export interface AdminTokenStore {
  /** Called whenever a token is checked, except the gateway's own. */
  find(id: string): Maybe<AdminToken | undefined>
  /** Adds a token with a new id. */
  add(token: AdminToken): Maybe<void>
  /** False if it does not exist. */
  remove(id: string): Maybe<boolean>
  /** All tokens, oldest first. */
  list(): Maybe<readonly AdminToken[]>
}
export const AdminTokenStore = contract<AdminTokenStore>('admin-token-store', { version: 1, stability: 'stable' })
