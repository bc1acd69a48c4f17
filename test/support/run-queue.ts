import fs from 'node:fs'
import { test } from 'node:test'
import { noteTimes, takeItems } from './queue.ts'
import { closeShared } from './shared.ts'

/** A process of `npm test`: runs the files that it takes from the queue, each as a test with its tests inside. */

/** Only a file that hangs takes longer, on any machine. */
const timeout = 600_000
const end_within_ms = 30_000

/** A test may wait for a timer that doesn't keep the process alive. */
const alive = setInterval(() => {}, end_within_ms)
for (const files of takeItems()) for (const file of files) await runFile(file)
await closeShared()
clearInterval(alive)
setTimeout(reportOpen, end_within_ms).unref()

async function runFile(file: string): Promise<void> {
  const before = { processor: processorTime(), time: performance.now() }
  await test(file, { timeout }, async () => {
    await import(`../../${file}`)
  })
  noteTimes({
    file,
    processor_ms: processorTime() - before.processor,
    took_ms: performance.now() - before.time,
  })
}

/**
 * Returns the processor time of this process and, on Linux, of those that it has started and that have ended, in
 * milliseconds.
 */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000 + childrenTime()
}

function childrenTime(): number {
  if (!fs.existsSync('/proc/self/stat')) return 0
  const stat = fs.readFileSync('/proc/self/stat', 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
  // Linux counts in hundredths of a second.
  return (Number(user) + Number(system)) * 10
}

/** Something that a test has left open would keep the process from ending. */
function reportOpen(): void {
  console.error(`Still open after the last test: ${process.getActiveResourcesInfo().join(', ')}`)
  process.exit(1)
}
