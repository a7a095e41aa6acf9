import type { VNode } from 'preact'
import { api } from '../../api.ts'
import { Dialog } from '../../components/dialog.ts'
import { TextField } from '../../components/fields.ts'
import { Form, useForm } from '../../components/form.ts'
import { useData } from '../../data.ts'
import type { ListOf } from '../../api.ts'
import { html } from '../../html.ts'
import { go, hrefOf } from '../../place.ts'
import { useSession } from '../../session.ts'
import { words, type Account, type AccountLevel } from './account.ts'

interface Values {
  readonly name: string
  readonly id: string
  readonly org: string
  readonly team: string
}

export function NewAccount({
  level,
  org,
  team,
  onClose,
}: {
  readonly level: AccountLevel
  readonly org?: string | undefined
  readonly team?: string | undefined
  readonly onClose: () => void
}): VNode {
  const session = useSession()
  const form = useForm<Values>({ name: '', id: '', org: session.org ?? org ?? '', team: team ?? '' })
  const orgs = useData<ListOf<Account>>(level === 'org' ? undefined : '/orgs', undefined, { all: true })
  const teams = useData<ListOf<Account>>(
    level === 'user' && form.values.org ? '/teams' : undefined,
    { org: form.values.org },
    { all: true },
  )
  const { one, list } = words[level]
  const create = async ({ name, id, org: ofOrg, team: ofTeam }: Values): Promise<void> => {
    const made = await api.post<Account>(`/${list}`, {
      name,
      ...(id && { id }),
      ...(level !== 'org' && { org: ofOrg }),
      ...(level === 'user' && ofTeam && { team: ofTeam }),
    })
    go(hrefOf('accounts', { level, id: made.id, org: made.org }))
  }
  return html`<${Dialog} title=${`New ${one}`} onClose=${onClose}>
    <${Form} form=${form} action=${`Create ${one}`} onSubmit=${create} onCancel=${onClose}>
      <${TextField} form=${form} name="name" label="Name" required />
      <${TextField}
        form=${form}
        name="id"
        label="Id"
        placeholder="generated"
        hint="Letters, digits and . _ - @. It cannot be changed or reused."
      />
      ${
        level !== 'org' &&
        html`<${TextField}
          form=${form}
          name="org"
          label="Organization"
          required
          disabled=${session.org !== null}
          suggestions=${orgs.data?.data.map(each => each.id) ?? []}
        />`
      }
      ${level === 'user' && html`<${TextField} form=${form} name="team" label="Team" suggestions=${teams.data?.data.map(each => each.id) ?? []} />`}
    <//>
  <//>`
}
