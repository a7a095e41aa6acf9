import { element } from './element.ts'
import type { Step, StepError, Text } from './inspected.ts'
import { milliseconds, readable } from './words.ts'

/** One step, open or closed, with the steps within it. */
export function stepView(step: Step, all: readonly Step[], open: Set<number>): HTMLElement {
  const details: HTMLDetailsElement = element(
    'details',
    { open: open.has(step.id), 'data-step': String(step.id), toggle: () => void (details.open ? open.add(step.id) : open.delete(step.id)) },
    element(
      'summary',
      {},
      element('span', { class: `outcome ${step.outcome}` }, step.outcome),
      element('span', { class: 'kind' }, step.kind),
      element('strong', {}, step.name),
      element('code', {}, step.hook),
      element('span', { class: 'plugin' }, step.plugin),
      element(
        'span',
        { class: 'time' },
        step.elapsedMs === null ? 'running' : milliseconds(step.elapsedMs),
        element('small', {}, ` at ${milliseconds(step.atMs)}`),
      ),
    ),
    element('div', { class: 'body' }, ...bodyOf(step)),
  )
  const inner = all.filter(({ parent }) => parent === step.id)
  if (inner.length === 0) return details
  return element('div', { class: 'branch' }, details, element('div', { class: 'inner' }, ...inner.map(each => stepView(each, all, open))))
}

function bodyOf(step: Step): readonly HTMLElement[] {
  const { facts, error, changes, contents, events, eventCounts } = step
  const counts = Object.entries(eventCounts)
  const told = [
    ...(error ? [errorView(error)] : []),
    ...(Object.keys(facts).length > 0 ? [factList(Object.entries(facts).map(([name, value]) => [name, String(value)]))] : []),
    ...(changes.length > 0 ? [changeTable(changes)] : []),
    ...contents.map(content => section(content.label, content)),
    ...(counts.length > 0 ? [element('h4', {}, `Events: ${counts.map(([type, count]) => `${count} × ${type}`).join(', ')}`)] : []),
    ...(events.length > 0 ? [eventList(events)] : []),
  ]
  return told.length > 0 ? told : [element('p', { class: 'quiet' }, 'It returned, and nothing more is known of it.')]
}

export function factList(facts: readonly (readonly [string, string])[]): HTMLElement {
  return element('dl', {}, ...facts.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]))
}

function errorView({ class: kindOf, status, code, kind, message, frames = [], ownFrames = 0 }: StepError): HTMLElement {
  const words = [kindOf, kind, code, status === null || status === undefined ? undefined : `status ${status}`]
  return element(
    'div',
    { class: 'error' },
    element('p', {}, element('strong', {}, words.filter(word => word !== undefined).join(', '))),
    message && element('p', {}, readable(message)),
    frames.length > 0 &&
      element(
        'ol',
        { class: 'frames', 'aria-label': 'Stack' },
        ...frames.map((frame, index) => element('li', { class: index < ownFrames ? 'own' : 'foreign' }, frame)),
      ),
  )
}

function changeTable(changes: Step['changes']): HTMLElement {
  const head = ['changed', 'before', 'after'].map(name => element('th', { scope: 'col' }, name))
  const rows = changes.map(({ path, before, after }) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, element('code', {}, path || '(all)')),
      element('td', {}, element('pre', { class: 'before' }, readable(before))),
      element('td', {}, element('pre', { class: 'after' }, readable(after))),
    ),
  )
  return element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows))
}

function section(label: string, content: Text): HTMLElement {
  return element(
    'section',
    {},
    element('h4', {}, label),
    element('pre', { tabindex: '0', role: 'group', 'aria-label': label }, readable(content)),
  )
}

function eventList(events: Step['events']): HTMLElement {
  const rows = events.map(event => element('li', {}, element('small', {}, milliseconds(event.atMs)), ' ', element('code', {}, event.text)))
  return element('ol', { class: 'events', tabindex: '0', 'aria-label': 'Events' }, ...rows)
}
