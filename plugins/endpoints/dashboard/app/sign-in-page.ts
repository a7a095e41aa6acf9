import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { session } from './api.ts'
import { Loading, Notice, Problem } from './components/feedback.ts'
import { TextField } from './components/fields.ts'
import { Form, useForm } from './components/form.ts'
import { Button } from './components/page.ts'
import { html } from './html.ts'
import { go, here, hrefOf } from './place.ts'

/** The parameter of a link that signs in. */
const codeParameter = 'sign-in'

/** The parameter that says why the identity provider's user may not enter. */
const refusalParameter = 'refused'
const refusals: Readonly<Record<string, string>> = {
  'no-access': 'The identity provider knows you, but your account has no access here. Ask whoever runs this gateway to grant it.',
  expired: 'Signing in took too long, or this browser blocks cookies. Try again.',
  refused: 'The identity provider did not sign you in. Try again, or ask whoever runs it.',
  provider: 'The identity provider cannot be reached, or its answer is not valid. See the log of the gateway.',
}

/** By an admin token, or by a link that has a code for one. */
export function SignInPage({
  openId,
  hasEnded,
  onSignedIn,
}: {
  /** The identity provider, if there is one. */
  readonly openId: { readonly name: string } | null
  /** Somebody was signed in here. */
  readonly hasEnded: boolean
  readonly onSignedIn: () => Promise<void>
}): VNode {
  const [refusal] = useState(() => here().query.get(refusalParameter))
  const form = useForm({ token: '' })
  const [code, setCode] = useState(() => here().query.get(codeParameter))
  const [error, setError] = useState<unknown>()
  const signIn = async (token: string): Promise<void> => {
    await session.start(token)
    await onSignedIn()
  }
  useLayoutEffect(() => document.querySelector('input')?.focus(), [])
  useEffect(() => {
    const title = document.title
    document.title = 'Sign in · Turnpike'
    return () => {
      document.title = title
    }
  }, [])
  useEffect(() => {
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
      ${hasEnded && html`<${Notice} tone="warn">Your session has ended. Sign in to continue where you were. With another role or organization, you lose what you typed.<//>`}
      ${error !== undefined && html`<${Problem} error=${error} />`}
      ${refusal !== null && html`<${Notice} tone="bad">${refusals[refusal] ?? 'Signing in failed. Try again.'}<//>`}
      ${
        openId &&
        html`<${Button} tone="primary" href="openid" target="_self">Continue with ${openId.name}<//>
          <p class="or muted">or with a token</p>`
      }
      <${Form}
        form=${form}
        isFleeting
        action="Sign in"
        disabled=${form.values.token.trim() === ''}
        onSubmit=${() => signIn(form.values.token.trim())}
      >
        <${TextField}
          form=${form}
          name="token"
          label="Admin token"
          type="password"
          autocomplete="current-password"
          required
          hint=${html`The first start of the gateway printed one. More: <code>npx turnpike admin-tokens create</code>`}
        />
      <//>
    </div>
  </main>`
}
