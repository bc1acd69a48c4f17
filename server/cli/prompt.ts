import { text as readAll } from 'node:stream/consumers'

const enter = ['\r', '\n', '\u0004']
const ctrl_c = '\u0003'
const erase = ['\u007f', '\b']

/** Asks on the terminal, which doesn't show what is typed; what is no terminal is read to its end. */
export async function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) return (await readAll(stdin)).replace(/\r?\n$/, '')
  stderr.write(question)
  stdin.setRawMode(true).setEncoding('utf8')
  try {
    return await readLine(stdin)
  } finally {
    stdin.setRawMode(false).pause()
    stderr.write('\n')
  }
}

async function readLine(keys: AsyncIterable<string>): Promise<string> {
  const line: string[] = []
  for await (const typed of keys) {
    for (const key of typed) {
      if (enter.includes(key)) return line.join('')
      if (key === ctrl_c) process.exit(130)
      if (erase.includes(key)) line.pop()
      else line.push(key)
    }
  }
  return line.join('')
}
