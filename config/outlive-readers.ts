/**
 * The reader of the output may go away: a pager, a terminal, a log shipper. The gateway continues. Without this, the failed write would be
 * an uncaught error, whose log line would fail as well, without end.
 */
export function outliveReaders(): void {
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {})
}
