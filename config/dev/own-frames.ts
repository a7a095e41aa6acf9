import { fileURLToPath } from 'node:url'

/** Where the code of the gateway itself is. In the published package, most of it is in chunks. */
export const gatewayFolders = ['../../core/', '../../plugins/', '../../config/', '../../chunks/', '../../packages/', '../../bin/'].map(
  folder => new URL(folder, import.meta.url),
)
const paths = gatewayFolders.map(folder => fileURLToPath(folder))

/** In the published package, it is in the chunk of this command. */
const inspectorCode = ['./inspector/', '../../chunks/dev.js'].map(place => fileURLToPath(new URL(place, import.meta.url)))

/** The frames of a stack, each beginning with `at`: first those of plugins, then those of packages, the gateway and Node.js. */
export interface Frames {
  readonly own: readonly string[]
  readonly others: readonly string[]
}

export function sortedFrames(frames: readonly string[]): Frames {
  const told = frames.map(frame => plain(frame)).filter(frame => !isOfInspector(frame))
  return { own: told.filter(isOfPlugin), others: told.filter(frame => !isOfPlugin(frame)) }
}

/** The frames of an error. */
export function framesOf(error: unknown): Frames {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return sortedFrames([])
  // The message comes first, and a line of it may look like a frame.
  const { stack, message } = error
  const frames = stack.slice(stack.includes(message) ? stack.indexOf(message) + message.length : 0)
  return sortedFrames(frames.split('\n').filter(line => /^\s+at .*:\d+:\d+\)?$/.test(line)))
}

/** Without the mark by which a reload reads a module anew. */
function plain(frame: string): string {
  return frame
    .trim()
    .replace(/\?turnpike-reload=\d+/, '')
    .replace('file://', '')
}

/** It stands between the gateway and every plugin. */
function isOfInspector(frame: string): boolean {
  return inspectorCode.some(path => frame.includes(path)) || frame.includes('AsyncLocalStorage.run (node:')
}

function isOfPlugin(frame: string): boolean {
  return !/\(?node:/.test(frame) && !frame.includes('<anonymous>') && frame.includes('/') && !paths.some(path => frame.includes(path))
}
