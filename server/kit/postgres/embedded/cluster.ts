import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Programs } from './programs.ts'
import { unusable } from './setup-error.ts'
import { type PostgresUser, spawnOptions } from './user.ts'

const draft_prefix = 'postgres-draft-'

/** Creates the cluster with an empty database unless it exists. The caller must hold the lock of data_dir. */
export async function ensureCluster(
  data_dir: string,
  name: string,
  { bin, major }: Programs,
  user: PostgresUser | undefined,
) {
  removeDrafts(data_dir)
  const cluster = join(data_dir, 'postgres')
  if (fs.existsSync(cluster)) return checkCluster(data_dir, major)

  const password = randomBytes(24).toString('base64url')
  fs.writeFileSync(passwordPath(data_dir), password, { mode: 0o600, flush: true })
  // The cluster is created in a draft folder and renamed when complete, so that a killed process leaves no partial
  // cluster.
  const draft = fs.mkdtempSync(join(data_dir, draft_prefix))
  const [draft_cluster, draft_password] = [join(draft, 'cluster'), join(draft, 'password')]
  fs.writeFileSync(draft_password, password)
  fs.mkdirSync(draft_cluster, { mode: 0o700 })
  if (user) for (const path of [draft, draft_password, draft_cluster]) fs.chownSync(path, user.uid, user.gid)

  const initdb = ['-D', draft_cluster, '-U', name, '--auth=scram-sha-256', `--pwfile=${draft_password}`]
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const single = ['--single', '-D', draft_cluster, '-c', 'exit_on_error=on', 'template1']
  const error =
    (await run(join(bin, 'initdb'), [...initdb, ...locale], user)) ??
    (await run(join(bin, 'postgres'), single, user, `create database ${name}\n`))
  if (error) throw unusable(data_dir, `creating the cluster failed: ${error}`)
  fs.renameSync(draft_cluster, cluster)
  removeDrafts(data_dir)
}

export function readPassword(data_dir: string): string {
  return fs.readFileSync(passwordPath(data_dir), 'utf8')
}

function passwordPath(data_dir: string) {
  return join(data_dir, 'postgres-password')
}

function checkCluster(data_dir: string, major: string) {
  const version = fs.readFileSync(join(data_dir, 'postgres', 'PG_VERSION'), 'utf8').trim()
  if (version === major) return
  throw unusable(data_dir, `its cluster has PostgreSQL version ${version}, but this is version ${major}`)
}

/** Retries, because an initdb whose parent was killed may still be writing there. */
function removeDrafts(data_dir: string) {
  const drafts = fs.readdirSync(data_dir).filter((name) => name.startsWith(draft_prefix))
  for (const name of drafts) fs.rmSync(join(data_dir, name), { recursive: true, force: true, maxRetries: 5 })
}

/** Returns the program's error message, or undefined when it succeeds. */
async function run(
  program: string,
  parameters: string[],
  user: PostgresUser | undefined,
  input = '',
): Promise<string | undefined> {
  const child = spawn(program, parameters, { ...spawnOptions(user), stdio: ['pipe', 'ignore', 'pipe'] })
  // The program may exit without reading its input. Its exit code decides.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  if (code === 0) return undefined
  return stderr.match(/(?:error|FATAL|PANIC): +(.*)/)?.[1] ?? `${basename(program)} exited with ${code}`
}
