import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { session } from './api.ts'
import { Loading, Problem } from './components/feedback.ts'
import { TextField } from './components/fields.ts'
import { Form, useForm } from './components/form.ts'
import { html } from './html.ts'
import { go, here, hrefOf } from './place.ts'

/** The parameter of a link that signs in. */
const codeParameter = 'sign-in'

/** By an admin token, or by a link that has a code for one. */
export function SignInPage({ onSignedIn }: { readonly onSignedIn: () => Promise<void> }): VNode {
  const form = useForm({ token: '' })
  const [code, setCode] = useState(() => here().query.get(codeParameter))
  const [error, setError] = useState<unknown>()
  const signIn = async (token: string): Promise<void> => {
    await session.start(token)
    await onSignedIn()
  }
  useEffect(() => {
    document.title = 'Sign in · Turnpike'
    if (code === null) return
    // A code must not stay in the address, which may be shared.
    go(hrefOf(here().page), { replace: true })
    signIn(code).catch((thrown: unknown) => {
      setError(thrown)
      setCode(null)
    })
  }, [])
  if (code !== null) return html`<main class="alone"><${Loading} label="Signing in" /></main>`
  return html`<main class="alone">
    <div class="sign-in">
      <p class="brand"><img src="app/icon.svg" width="34" height="34" alt="" />Turnpike</p>
      <h1>Sign in</h1>
      ${error !== undefined && html`<${Problem} error=${error} />`}
      <${Form} form=${form} action="Sign in" disabled=${form.values.token.trim() === ''} onSubmit=${() => signIn(form.values.token.trim())}>
        <${TextField}
          form=${form}
          name="token"
          label="Admin token"
          type="password"
          autocomplete="current-password"
          required
          hint=${html`The first start of the gateway printed one. More: <code>turnpike admin-tokens create</code>`}
        />
      <//>
    </div>
  </main>`
}
