/** Memory that a surface holds between requests, such as the conversations of a connection. It counts with that of live answers. */
export interface HeldMemory {
  /** Sets its size in bytes, estimated (`memoryOf`). When memory runs out, core evicts held memory before it ends an answer. */
  resize(bytes: number): void
  /** Call when it is let go. Only the first call counts. */
  release(): void
}
