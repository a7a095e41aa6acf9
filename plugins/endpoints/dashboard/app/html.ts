import htm from 'htm'
import { h, type ComponentChildren, type VNode } from 'preact'

/** The children and results of components. */
export type Children = ComponentChildren

/** Markup as a template: html`<p class="lead">${text}</p>`. A component is used as <${Name} />, with any closing tag as <//>. */
export const html = htm.bind(h as (type: unknown, props: unknown, ...children: unknown[]) => VNode) as (
  strings: TemplateStringsArray,
  ...values: unknown[]
) => VNode
