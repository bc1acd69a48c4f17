import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { checkout } from './source-files.ts'

/** The checks of `npm run check`: format, lint, types, and what nothing uses. */

const projects = ['.', 'dashboard', 'chat', 'voice', 'sdk', 'server/docs/browser']

/** Prints what each program finds, and how long it took. */
export async function passesChecks(): Promise<boolean> {
  const passed: boolean[] = []
  // The checks run one after the other, because each uses all processors.
  for (const [program, args] of checks) passed.push(await passes(program, args))
  return !passed.includes(false)
}

const checks: [string, string[]][] = [
  ['biome', ['check', '--error-on-warnings', '.']],
  ...projects.map((project): [string, string[]] => {
    const types = path.join('.cache/types', `${project === '.' ? 'server' : project.replaceAll('/', '-')}.json`)
    return ['tsc', ['--noEmit', '-p', project, '--incremental', '--tsBuildInfoFile', types]]
  }),
  ['knip', ['--no-progress']],
  // This run also finds what only tests use.
  ['knip', ['--no-progress', '--production', '--exclude', 'types']],
  ['oxlint', ['--type-aware']],
]

async function passes(program: string, args: string[]): Promise<boolean> {
  const began = performance.now()
  const child = spawn(program, args, { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) console.error(`${Buffer.concat(output)}`)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`${code === 0 ? '✔' : '✖'} ${program} ${args.join(' ')} (${seconds} s)`)
  return code === 0
}
