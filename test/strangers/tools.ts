import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { runNpm } from '../../bin/install.mjs'

const folder = import.meta.dirname
export const work_folder = path.resolve(folder, '../../.cache/strangers')
export const document_file = path.resolve(folder, '../../openapi.json')
export const fileHere = (name: string): string => path.join(folder, name)
export const workFile = (name: string): string => path.join(work_folder, name)

const tool_timeout_ms = 300_000
const output_bytes_max = 100_000_000

/** Installs the tools into this folder, unless they are there. */
export async function installTools(): Promise<void> {
  fs.mkdirSync(work_folder, { recursive: true })
  const installed = fileHere('node_modules/.package-lock.json')
  const lock_file = fileHere('package-lock.json')
  if (fs.existsSync(installed) && fs.statSync(installed).mtimeMs >= fs.statSync(lock_file).mtimeMs) return
  const { code, output } = await runNpm(folder, ['ci'])
  if (code !== 0) throw new Error(`npm ci failed:\n${output}`)
}

/** Runs a tool and returns what it prints. Linters exit with an error when they find something. */
export function runTool(name: string, args: string[]): Promise<{ output: string; errors: string }> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const options = { cwd: folder, env, timeout: tool_timeout_ms, maxBuffer: output_bytes_max }
  return new Promise((resolve) => {
    execFile(process.execPath, [fileHere(`node_modules/.bin/${name}`), ...args], options, (_, output, errors) =>
      resolve({ output, errors }),
    )
  })
}
