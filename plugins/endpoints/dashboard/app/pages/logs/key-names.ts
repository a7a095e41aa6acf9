import { useMemo } from 'preact/hooks'
import type { ListOf } from '../../api.ts'
import { useData } from '../../data.ts'

interface Key {
  readonly id: string
  readonly name: string
}

/** The keys, to choose from and to call by their names. */
export function useKeys(): readonly Key[] {
  const { data } = useData<ListOf<Key>>('/keys', undefined, { all: true })
  return data?.data ?? noKeys
}

const noKeys: readonly Key[] = []

/** The name of a key, or its id. */
export function useKeyNames(): (id: string) => string {
  const keys = useKeys()
  return useMemo(() => {
    const names = new Map(keys.map(({ id, name }) => [id, name]))
    return id => names.get(id) ?? id
  }, [keys])
}
