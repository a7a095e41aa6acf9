import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { api, type ListOf } from '../../api.ts'
import { bodyOf } from '../../components/field-values.ts'
import { TextField } from '../../components/fields.ts'
import { Form, useForm } from '../../components/form.ts'
import { Page, Panel } from '../../components/page.ts'
import { useData } from '../../data.ts'
import { keyFields } from '../../fields.ts'
import { html } from '../../html.ts'
import { go, useParameters } from '../../place.ts'
import { locksOf, type PolicyLayer } from '../../policy.ts'
import { useSession } from '../../session.ts'
import { KeyFields, newKeyValues, type KeyValues } from './key-form.ts'
import type { ShownKey } from './key.ts'
import { KeyText } from './key-text.ts'

type NewValues = KeyValues & { readonly org: string; readonly team: string; readonly user: string }

interface Account {
  readonly id: string
  readonly team?: string | null
  readonly policy: PolicyLayer
}

export function NewKey(): VNode {
  const [parameters] = useParameters()
  const session = useSession()
  const form = useForm<NewValues>({
    ...newKeyValues,
    org: session.org ?? parameters['org'] ?? '',
    team: parameters['team'] ?? '',
    user: parameters['user'] ?? '',
  })
  const [made, setMade] = useState<ShownKey>()
  const { org, team, user } = form.values
  const orgs = useData<ListOf<Account>>('/orgs', undefined, { all: true })
  const teams = useData<ListOf<Account>>(org ? '/teams' : undefined, { org }, { all: true })
  const users = useData<ListOf<Account>>(org ? '/users' : undefined, { org }, { all: true })
  const of = (list: typeof orgs, id: string): Account | undefined => list.data?.data.find(account => account.id === id)
  const locks = locksOf([
    { level: 'org', policy: of(orgs, org || 'default')?.policy },
    { level: 'team', policy: of(teams, team || of(users, user)?.team || '')?.policy },
    { level: 'user', policy: of(users, user)?.policy },
  ])
  const ids = (list: typeof orgs): readonly string[] => list.data?.data.map(({ id }) => id) ?? []

  const create = async ({ org: ofOrg, team: ofTeam, user: ofUser, ...values }: NewValues): Promise<void> => {
    const policy = Object.fromEntries(Object.entries(values.policy).filter(([field]) => !(field in locks)))
    setMade(
      await api.post<ShownKey>('/keys', {
        ...bodyOf(keyFields, { ...values, policy }),
        ...(ofOrg && { org: ofOrg }),
        ...(ofTeam && { team: ofTeam }),
        ...(ofUser && { user: ofUser }),
      }),
    )
  }

  if (made) return html`<${KeyText} shown=${made} title="The key is created" />`
  return html`<${Page} title="New key" above=${{ title: 'Keys', href: 'keys' }}>
    <${Panel}>
      <${Form} form=${form} action="Create key" onSubmit=${create} onCancel=${() => go('keys')}>
        <${TextField} form=${form} name="name" label="Name" required placeholder="checkout service" hint="To recognize it by." />
        <div class="form-row">
          <${TextField}
            form=${form}
            name="org"
            label="Organization"
            suggestions=${ids(orgs)}
            placeholder="default"
            disabled=${session.org !== null}
          />
          <${TextField} form=${form} name="team" label="Team" suggestions=${ids(teams)} />
          <${TextField} form=${form} name="user" label="User" suggestions=${ids(users)} hint="The key belongs to the user's team, too." />
        </div>
        <${KeyFields} form=${form} locks=${locks} />
      <//>
    <//>
  <//>`
}
