import fs from 'node:fs'
import { parse } from '../../server/documents/parse/parser.ts'
import { newId } from '../../server/kit/id.ts'
import { openLog } from '../../server/kit/log.ts'
import { isShortage } from '../../server/kit/work/shortage.ts'
import { pdfOf, wordOf } from '../support/documents.ts'

/** Started as a process of its own with few handles. Prints what comes of files that are read with even fewer, and with all. */

const files = [
  { kind: 'pdf', file: pdfOf([['Open at nine.']]) },
  { kind: 'word', file: wordOf(['Open at nine.']) },
  { kind: 'text', file: Buffer.from('Open at nine.') },
] as const
/** A reader opens one file after the other, so that it fails at each of its steps for some of these. */
const handles = [0, 5, 6, 7, 8, 10]

const used: number[] = []

function takeAll(): void {
  try {
    for (;;) used.push(fs.openSync('/dev/null', 'r'))
  } catch {}
}

function free(count: number): void {
  for (const one of used.splice(0, count)) fs.closeSync(one)
}

/** Each for another workspace, so that another process reads it. */
async function read(file: (typeof files)[number]): Promise<string> {
  const context = { workspace: newId(), attempt: 1, isStopping: () => false, log: openLog('silent') }
  try {
    return (await parse({ ...file }, context)) ? 'read' : 'stopped'
  } catch (error) {
    return isShortage(error) ? 'again' : String(error)
  }
}

const outcomes: string[] = []
for (const count of handles)
  for (const file of files) {
    takeAll()
    free(count)
    outcomes.push(await read(file))
  }
free(used.length)
const after: string[] = []
for (const file of files) after.push(await read(file))
console.log(JSON.stringify({ outcomes, after }))
