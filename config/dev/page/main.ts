import { clear, inspected, listed } from './api.ts'
import { element } from './element.ts'
import type { Inspected, Summary } from './inspected.ts'
import { factList, stepView } from './step-view.ts'
import { clockTime, factsOf, milliseconds } from './words.ts'

const pollMs = 700

const status = element('p', { role: 'status' }, 'Loading…')
const list = element('ol', { class: 'requests' })
const shown = element('div', { class: 'request' }, element('p', { class: 'quiet' }, 'Send a request to the gateway, and choose it here.'))
const wipe = element('button', { type: 'button', click: () => void clear().then(refresh, tell) }, 'Forget all')
const app = document.querySelector('#app')!
app.append(
  element('header', {}, element('h1', {}, 'Inspector'), status, wipe),
  element('nav', { 'aria-label': 'Requests' }, list),
  element('main', { tabindex: '-1' }, shown),
)

let version = -1
let requests: readonly Summary[] = []
let chosen: string | undefined
let chosenVersion = -1
/** The steps that are open, of the chosen request. */
let open = new Set<number>()

async function refresh(): Promise<void> {
  const now = await listed()
  status.textContent = `${now.requests.length} ${now.requests.length === 1 ? 'request' : 'requests'} in memory, none on disk`
  if (now.version === version) return
  version = now.version
  requests = now.requests
  showList()
  const summary = requests.find(({ id }) => id === chosen)
  if (summary && summary.version !== chosenVersion) await showRequest(summary.id)
  else if (!summary && chosen !== undefined) forget()
}

function showList(): void {
  const hadFocus = list.contains(document.activeElement)
  list.replaceChildren(...requests.map(request => element('li', {}, listButton(request))))
  if (hadFocus) list.querySelector<HTMLElement>('[aria-current]')?.focus()
}

function listButton(request: Summary): HTMLElement {
  const { id, at, method, path, model, elapsedMs, isOpen } = request
  const state = request.status === undefined ? 'open' : request.status < 400 ? 'fine' : 'bad'
  return element(
    'button',
    { type: 'button', 'data-id': id, 'aria-current': id === chosen ? 'true' : undefined, click: () => choose(id) },
    element('span', { class: `status ${state}` }, isOpen ? '…' : String(request.status)),
    element('span', { class: 'what' }, model ?? (method ? `${method} ${path}` : id)),
    element('small', {}, `${clockTime(at)}${elapsedMs === undefined ? '' : `, ${milliseconds(elapsedMs)}`}`),
  )
}

function choose(id: string): void {
  if (chosen !== id) open = new Set()
  chosen = id
  chosenVersion = -1
  for (const button of list.querySelectorAll('button')) {
    if (button.dataset['id'] === id) button.setAttribute('aria-current', 'true')
    else button.removeAttribute('aria-current')
  }
  showRequest(id).catch(tell)
}

async function showRequest(id: string): Promise<void> {
  const request = await inspected(id)
  if (id !== chosen) return
  if (!request) return forget()
  chosenVersion = request.version
  const focused = document.activeElement?.closest<HTMLElement>('[data-step]')?.dataset['step']
  shown.replaceChildren(...requestView(request))
  if (focused !== undefined) shown.querySelector<HTMLElement>(`[data-step="${CSS.escape(focused)}"] > summary`)?.focus()
}

function requestView(request: Inspected): readonly HTMLElement[] {
  const { steps, contentProblem, leftOut, isFull } = request
  const top = steps.filter(({ parent }) => parent === null)
  return [
    element('h2', {}, element('code', {}, request.id)),
    factList(factsOf(request)),
    ...(contentProblem === null
      ? []
      : [element('p', { class: 'notice' }, `Only facts are shown, and no content was kept. ${contentProblem}`)]),
    ...(isFull ? [element('p', { class: 'notice' }, 'The request is too large: not all of its content was kept.')] : []),
    element('h3', {}, 'What plugins did'),
    ...(top.length === 0
      ? [element('p', { class: 'quiet' }, 'No plugin has seen this request.')]
      : top.map(step => stepView(step, steps, open))),
    ...(leftOut > 0 ? [element('p', { class: 'notice' }, `${leftOut} more steps were not kept.`)] : []),
  ]
}

function forget(): void {
  chosen = undefined
  shown.replaceChildren(element('p', { class: 'quiet' }, 'This request is no longer in memory.'))
}

const moves: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

/** Arrows, and j and k, go through the list and through the steps. */
document.addEventListener('keydown', event => {
  if (event.altKey || event.ctrlKey || event.metaKey) return
  const step = moves[event.key]
  const focused = document.activeElement
  if (step === undefined || focused?.closest('pre, .events')) return
  const among = Array.from((shown.contains(focused) ? shown : list).querySelectorAll<HTMLElement>('summary, button'))
  const next = among[Math.min(among.length - 1, Math.max(0, among.indexOf(focused as HTMLElement) + step))]
  if (!next) return
  event.preventDefault()
  next.focus()
  const { id } = next.dataset
  if (id !== undefined) choose(id)
})

function tell(error: unknown): void {
  status.textContent = error instanceof Error ? error.message : String(error)
}

async function poll(): Promise<void> {
  try {
    if (!document.hidden) await refresh()
  } catch (error) {
    tell(error)
  }
  setTimeout(() => void poll(), pollMs)
}

void poll()
