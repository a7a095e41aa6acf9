import { setFlagsFromString } from 'node:v8'

// Loading and compiling creates a lot of garbage, and V8 keeps the memory that its young generation grew to: 20 MB for the life of an
// idle gateway. So growth is limited until the gateway listens, and normal afterwards.

export function holdHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

export function letHeapGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
}
