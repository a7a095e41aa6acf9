import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

export type Role = 'owner' | 'editor' | 'viewer'
const roles: readonly Role[] = ['viewer', 'editor', 'owner']

/** Who is signed in. */
export interface SignedIn {
  readonly id: string
  readonly name: string
  readonly role: Role
  /** The only organization that they see. Null: all. */
  readonly org: string | null
}

export const SessionContext = createContext<SignedIn | undefined>(undefined)

/** Who is signed in, and what they may do. The admin API decides; this only hides what it would refuse. */
export function useSession(): SignedIn & { may(role: Role, reach?: 'org' | 'all'): boolean } {
  const admin = useContext(SessionContext)
  if (!admin) throw new Error('Nobody is signed in.')
  return { ...admin, may: (role, reach = 'org') => reaches(admin, role, reach) }
}

export function reaches({ role, org }: SignedIn, least: Role, reach: 'org' | 'all' = 'org'): boolean {
  return roles.includes(role) && roles.indexOf(role) >= roles.indexOf(least) && (reach === 'org' || org === null)
}
