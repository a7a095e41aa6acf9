import type { FunctionComponent } from 'preact'
import type { kit as Kit } from './kit.ts'
import type { PageEntry } from './page-list.ts'
import type { Role } from './session.ts'

/** A page of a plugin, as the gateway lists it. */
export interface AddedPage {
  readonly id: string
  readonly title: string
  readonly role: Role
}

type Module = { readonly default: (parts: typeof Kit) => FunctionComponent }

export function addedPages(pages: readonly AddedPage[]): readonly PageEntry[] {
  return pages.map(({ id, title, role }) => ({
    id,
    title,
    role,
    icon: 'page',
    load: async () => {
      const address = new URL(`modules/${id}.js`, location.href).href
      const [{ kit }, module] = await Promise.all([import('./kit.ts'), import(address) as Promise<Module>])
      return { default: module.default(kit) }
    },
  }))
}
