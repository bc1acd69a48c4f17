import fs from 'node:fs'
import { text as readAll } from 'node:stream/consumers'
import { isObject } from '../kit/json.ts'
import { errorCode, errorMessage } from '../kit/problem.ts'
import type { Shell } from '../start/shell.ts'
import { UsageError } from './command.ts'

/** Reads a JSON object from a file, or from standard input if the name is `-`. */
export async function readJsonFile({ stdin }: Shell, file: string): Promise<Record<string, unknown>> {
  const text = file === '-' ? await readAll(stdin) : readText(file)
  const content = parse(file, text)
  if (!isObject(content) || Array.isArray(content)) throw new UsageError(`the file ${file} must have a JSON object`)
  return content
}

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`the file ${file} can't be read (${errorCode(error)})`)
  }
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`the file ${file} is not JSON (${errorMessage(error)})`)
  }
}
