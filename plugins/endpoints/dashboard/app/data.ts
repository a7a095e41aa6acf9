import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { api, ApiError, isSignedIn, signedIn, withQuery, type ListOf } from './api.ts'
import type { Parameters } from './place.ts'

export interface Loaded<T> {
  /** The last data. They stay while newer data load. */
  readonly data: T | undefined
  readonly error: ApiError | undefined
  readonly isLoading: boolean
  reload(): void
}

export interface LoadOptions {
  /** Asks again so often, but not while the tab is hidden, nor before the last answer is there. */
  readonly pollMs?: number | undefined
  /** Reads again whenever it changes. */
  readonly version?: unknown
  /** Of a list: reads all of its pages, as far as there are not too many. */
  readonly all?: boolean
}

/** Reads from the admin API, again whenever the path or the query changes. Nothing is read while the path is undefined. */
export function useData<T>(path: string | undefined, query?: Parameters, { pollMs, version, all = false }: LoadOptions = {}): Loaded<T> {
  const url = path === undefined ? undefined : withQuery(path, query)
  const [state, setState] = useState<State<T>>({})
  const [turn, setTurn] = useState(0)
  const isReading = useRef(false)

  useEffect(() => {
    if (url === undefined) return
    const abort = new AbortController()
    const reading = all ? allPages(url, abort.signal) : api.get<T>(url, undefined, abort.signal)
    isReading.current = true
    const finish = (next: (before: State<T>) => State<T>): void => {
      if (abort.signal.aborted) return
      isReading.current = false
      setState(next)
    }
    reading.then(
      data => finish(() => ({ data: data as T, url, path })),
      (error: unknown) => finish(before => ({ ...before, error: error instanceof ApiError ? error : new ApiError(0, String(error)), url })),
    )
    return () => abort.abort()
  }, [url, turn, version])

  useEffect(() => {
    if (pollMs === undefined || url === undefined) return
    const timer = setInterval(() => {
      if (!document.hidden && !isReading.current && isSignedIn()) setTurn(now => now + 1)
    }, pollMs)
    const shown = (): void => {
      if (!document.hidden && isSignedIn()) setTurn(now => now + 1)
    }
    document.addEventListener('visibilitychange', shown)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', shown)
    }
  }, [pollMs, url])

  const isRefused = state.error?.status === 401
  useEffect(() => {
    if (!isRefused) return
    const again = (): void => setTurn(now => now + 1)
    addEventListener(signedIn, again)
    return () => removeEventListener(signedIn, again)
  }, [isRefused])

  const reload = useCallback(() => setTurn(now => now + 1), [])
  return {
    data: state.path === path ? state.data : undefined,
    error: state.url === url ? state.error : undefined,
    isLoading: url !== undefined && state.url !== url,
    reload,
  }
}

interface State<T> {
  readonly data?: T
  readonly error?: ApiError
  /** The URL of the last answer. */
  readonly url?: string
  /** The path of the data. */
  readonly path?: string | undefined
}

const maxPages = 20

async function allPages(url: string, signal: AbortSignal): Promise<ListOf<unknown>> {
  let list = await api.get<ListOf<unknown>>(url, { limit: 100 }, signal)
  for (let pages = 1; list.next_cursor && pages < maxPages; pages++) {
    const next = await api.get<ListOf<unknown>>(url, { limit: 100, cursor: list.next_cursor }, signal)
    list = { ...next, data: [...list.data, ...next.data] }
  }
  return list
}
