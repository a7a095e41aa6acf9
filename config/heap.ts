import { setFlagsFromString } from 'node:v8'

// Loading and compiling leaves much garbage behind, and V8 keeps the memory that its young generation grew to meanwhile: 20 MB for the
// life of an idle gateway. Growth is held back until there is something to serve; afterwards V8 does as it always does.

export function holdHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

export function letHeapGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
}
