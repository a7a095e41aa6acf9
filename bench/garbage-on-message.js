import { GCProfiler } from 'node:v8'

// Preloaded into servers that run on Node.js: reports heap allocations and collection time between two messages.
// JavaScript, because stripping types would take memory that is not the server's.

let profiler
let usedBytes = 0

process.on('message', message => {
  if (message === 'watch garbage') {
    profiler = new GCProfiler()
    usedBytes = process.memoryUsage().heapUsed
    profiler.start()
    process.send('watching')
  } else if (message === 'report garbage') {
    let allocatedBytes = 0
    let collectingUs = 0
    for (const { beforeGC, afterGC, cost } of profiler.stop().statistics) {
      allocatedBytes += beforeGC.heapStatistics.usedHeapSize - usedBytes
      usedBytes = afterGC.heapStatistics.usedHeapSize
      collectingUs += cost
    }
    allocatedBytes += process.memoryUsage().heapUsed - usedBytes
    process.send({ allocatedBytes, collectingUs })
  }
})
process.channel.unref()
