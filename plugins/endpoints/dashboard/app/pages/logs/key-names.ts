import { useMemo } from 'preact/hooks'
import type { ListOf } from '../../api.ts'
import { useData, type Loaded } from '../../data.ts'

interface Key {
  readonly id: string
  readonly name: string
}

export interface Keys {
  readonly loaded: Loaded<ListOf<Key>>
  readonly all: readonly Key[]
  /** The name of a key, or its id. */
  nameOf(id: string): string
}

/** The keys, to choose from and to call by their names. */
export function useKeys(): Keys {
  const loaded = useData<ListOf<Key>>('/keys', undefined, { all: true })
  const all = loaded.data?.data ?? noKeys
  const names = useMemo(() => new Map(all.map(({ id, name }) => [id, name])), [all])
  return { loaded, all, nameOf: id => names.get(id) ?? id }
}

const noKeys: readonly Key[] = []
