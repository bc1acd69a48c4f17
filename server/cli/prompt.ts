import fs from 'node:fs'
import { createInterface } from 'node:readline'
import { text as readAll } from 'node:stream/consumers'
import { errorCode } from '../kit/problem.ts'
import type { Shell } from '../start/shell.ts'
import { CanceledError, UsageError } from './command.ts'

const enter_or_ctrl_d = ['\r', '\n', '\u0004']
const ctrl_c = '\u0003'
const backspace = ['\u007f', '\b']

/** Asks on the terminal without showing the answer. If standard input is not a terminal, reads all of it. */
export async function askSecret({ stdin, stderr }: Shell, question: string): Promise<string> {
  if (!stdin.isTTY) return (await readAll(stdin)).replace(/\r?\n$/, '')
  stderr.write(question)
  stdin.setRawMode?.(true)
  stdin.setEncoding('utf8')
  try {
    return await readLine(stdin)
  } finally {
    stdin.setRawMode?.(false)
    stdin.pause()
    stderr.write('\n')
  }
}

async function readLine(input: AsyncIterable<string>): Promise<string> {
  const line: string[] = []
  for await (const typed of input) {
    for (const key of typed) {
      if (enter_or_ctrl_d.includes(key)) return line.join('')
      if (key === ctrl_c) throw new CanceledError()
      if (backspace.includes(key)) line.pop()
      else line.push(key)
    }
  }
  return line.join('')
}

/** Fails unless the answer on the terminal is "yes". */
export async function confirm({ stdin, stderr }: Shell, question: string): Promise<void> {
  if (!stdin.isTTY) throw new UsageError('use --yes where there is no terminal to ask on')
  stderr.write(`${question} Type yes to continue: `)
  const lines = createInterface({ input: stdin, terminal: false })
  try {
    for await (const line of lines) {
      if (line.trim() === 'yes') return
      break
    }
    throw new CanceledError()
  } finally {
    lines.close()
  }
}

/**
 * Reads a secret from a file, which may end with a line break. Errors name the option with which the file was given.
 */
export function readSecretFile(option: string, file: string): string {
  const secret = readText(option, file).trim()
  if (secret === '') throw new UsageError(`${option}: the file ${file} is empty`)
  return secret
}

function readText(option: string, file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${option}: the file ${file} can't be read (${errorCode(error)})`)
  }
}
