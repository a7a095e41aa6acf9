import type { VNode } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { ApiError } from '../api.ts'
import { html, type Children } from '../html.ts'
import { useUnsaved } from '../leaving.ts'
import { Problem } from './feedback.ts'
import { Button } from './page.ts'

/** The values of a form while somebody edits them, and the errors of the last submission. */
export interface FormState<V extends object> {
  readonly values: V
  /** The initial values. A save sends only differences from them, so that it undoes no change that somebody else made meanwhile. */
  readonly start: V
  readonly error: unknown
  readonly isBusy: boolean
  /** True if a value differs from what the form began with. */
  readonly isChanged: boolean
  set<N extends keyof V>(name: N, value: V[N]): void
  /** The gateway's error about this member, or one below it. */
  errorOf(name: string): string | undefined
  /** Sends. A failure is kept as `error`. */
  submit(send: (values: V) => Promise<void>): Promise<void>
  reset(values: V): void
}

export function useForm<V extends object>(start: V): FormState<V> {
  const [values, setValues] = useState(start)
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const first = useRef(start)
  return {
    values,
    start: first.current,
    error,
    isBusy,
    isChanged: JSON.stringify(values) !== JSON.stringify(first.current),
    set: (name, value) => setValues(before => ({ ...before, [name]: value })),
    errorOf(name) {
      if (!(error instanceof ApiError) || error.param === undefined) return undefined
      const { param } = error
      return param === name || param.startsWith(`${name}.`) || param.startsWith(`${name}[`) ? error.message : undefined
    },
    async submit(send) {
      setBusy(true)
      setError(undefined)
      try {
        await send(values)
      } catch (thrown) {
        setError(thrown)
      } finally {
        setBusy(false)
      }
    },
    reset(next) {
      first.current = next
      setValues(next)
      setError(undefined)
    },
  }
}

/** A form with its buttons. The failure of `onSubmit` is shown above them. Whoever leaves it with changes is asked first. */
export function Form<V extends object>({
  form,
  action,
  onSubmit,
  onCancel,
  disabled,
  isReadOnly = false,
  isFleeting = false,
  children,
}: {
  readonly form: FormState<V>
  /** The text of the button. */
  readonly action: string
  readonly onSubmit: (values: V) => Promise<void>
  readonly onCancel?: (() => void) | undefined
  readonly disabled?: boolean
  /** Shows the values to somebody who may not change them. */
  readonly isReadOnly?: boolean
  /** Nothing in it is worth keeping. */
  readonly isFleeting?: boolean
  readonly children?: Children
}): VNode {
  useUnsaved(form.isChanged && !form.isBusy && !isFleeting)
  const submit = (event: Event): void => {
    event.preventDefault()
    void form.submit(onSubmit)
  }
  return html`<form class="form" onSubmit=${submit}>
    <fieldset disabled=${isReadOnly}>${children}</fieldset>
    ${form.error !== undefined && html`<${Problem} error=${form.error} />`}
    ${
      !isReadOnly &&
      html`<div class="form-actions">
        ${onCancel && html`<${Button} onClick=${onCancel}>Cancel<//>`}
        <${Button} tone="primary" type="submit" disabled=${form.isBusy || disabled}>${form.isBusy ? 'One moment…' : action}<//>
      </div>`
    }
  </form>`
}
