import fs from 'node:fs'
import path from 'node:path'

/** The test files that are left to run, in a folder that all processes of a run share. */

const folder = path.resolve(import.meta.dirname, '../../.cache/test-queue')
const items_file = path.join(folder, 'items.json')
const times_file = path.join(folder, 'times.jsonl')

/** An item is a list of files that one process runs one after the other. */
export function createQueue(items: string[][]): void {
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(items_file, JSON.stringify(items))
}

/** Takes one item after the other, until no process has left any. */
export function* takeItems(): Generator<string[]> {
  const items: string[][] = JSON.parse(fs.readFileSync(items_file, 'utf8'))
  for (const [index, item] of items.entries()) if (take(index)) yield item
}

/** Only one process can make the folder. */
function take(index: number): boolean {
  try {
    fs.mkdirSync(path.join(folder, String(index)))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

export interface FileTimes {
  file: string
  processor_ms: number
  took_ms: number
}

export const noteTimes = (times: FileTimes): void => fs.appendFileSync(times_file, `${JSON.stringify(times)}\n`)

/** Returns the times of all files, those that used most of the processor first. */
export function readTimes(): FileTimes[] {
  const lines = fs.readFileSync(times_file, 'utf8').trim().split('\n')
  const times: FileTimes[] = lines.map((line) => JSON.parse(line))
  return times.sort((left, right) => right.processor_ms - left.processor_ms)
}
