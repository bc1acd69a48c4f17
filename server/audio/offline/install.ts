import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { lock, runNpm } from '../../../bin/install.mjs'
import { errorCode } from '../../kit/problem.ts'
import { product } from '../../product.ts'
import {
  default_source,
  type InstalledSpeech,
  manifest_name,
  previousOf,
  readHash,
  readInstalled,
} from './installed.ts'
import * as parts from './parts.ts'

/** An install has failed. The message is a sentence that says why. */
export class InstallError extends Error {}

export interface Progress {
  message: string
  done_bytes: number
  total_bytes: number
}

export interface Install {
  folder: string
  onProgress: (progress: Progress) => void
  /** Aborting ends the install; nothing is left of it. */
  signal?: AbortSignal
  /** Fails if what lies in the folder can't be used on this machine. */
  check: (folder: string) => Promise<void>
  packages?: Packages
}

/** What is installed. Tests install something smaller. */
interface Packages {
  /** The folder of package.json and its lock file. */
  source: string
  kept: string[]
  checksums: Record<string, string>
  unpacked_bytes: number
}

const default_packages: Packages = {
  source: default_source,
  kept: parts.kept,
  checksums: parts.checksums,
  unpacked_bytes: parts.unpacked_bytes,
}

const measure_ms = 300
/** Without these arguments npm tries for minutes when there is no network. */
const npm_words = ['ci', '--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000']
const network_errors =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT)\b/

/**
 * Installs offline speech into `folder`, unless it is there. The files are prepared in another folder beside it, which
 * is renamed at the end: an interrupted install can be repeated, and the one before stays until then. One install runs
 * at a time; others wait for it.
 */
export async function installSpeech(install: Install): Promise<InstalledSpeech & { is_new: boolean }> {
  const { folder, signal, onProgress, packages = default_packages } = install
  if (!parts.is_supported)
    throw new InstallError(`Offline speech isn't available for ${process.platform} on ${process.arch}.`)
  const hash = readHash(packages.source)
  const parent = path.dirname(folder)
  await fs.mkdir(parent, { recursive: true }).catch((error: unknown) => {
    throw explain(error)
  })
  const total_bytes = packages.unpacked_bytes
  const onWait = (message: string) => onProgress({ message, done_bytes: 0, total_bytes })
  const release = await lock(parent, 'speech install', { onWait, ...(signal && { signal }) })
  try {
    await removeLeftovers(folder)
    const installed = readInstalled(folder, hash)
    if (installed?.folder === folder) await removePrevious(folder)
    if (installed) return { ...installed, is_new: false }
    await assertSpace(parent, total_bytes)
    const work = await fs.mkdtemp(`${folder}${work_suffix}`)
    try {
      return { ...(await prepare({ ...install, packages, hash, work })), is_new: true }
    } finally {
      await fs.rm(work, { recursive: true, force: true })
    }
  } catch (error) {
    throw explain(error)
  } finally {
    release()
  }
}

const work_suffix = '.installing-'

/** Removes the folders that killed installs have left. */
async function removeLeftovers(folder: string): Promise<void> {
  const names = await fs.readdir(path.dirname(folder))
  const left = names.filter((name) => name.startsWith(`${path.basename(folder)}${work_suffix}`))
  for (const name of left) await fs.rm(path.join(path.dirname(folder), name), { recursive: true, force: true })
}

async function assertSpace(parent: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await fs.statfs(parent)
  if (bavail * bsize > bytes) return
  throw new InstallError(
    `Offline speech needs ${megabytes(bytes)} MB of disk while it is installed, and ${parent} has ${megabytes(bavail * bsize)} MB.`,
  )
}

type Preparation = Install & { packages: Packages; hash: string; work: string }

async function prepare({
  folder,
  signal,
  onProgress,
  check,
  packages,
  hash,
  work,
}: Preparation): Promise<InstalledSpeech> {
  const { source, kept, checksums, unpacked_bytes: total_bytes } = packages
  const report = (message: string, done_bytes: number) => onProgress({ message, done_bytes, total_bytes })
  const download = path.join(work, 'download')
  await fs.mkdir(download)
  for (const name of ['package.json', 'package-lock.json'])
    await fs.copyFile(path.join(source, name), path.join(download, name))

  report('Downloading packages', 0)
  const measuring = setInterval(() => {
    // The folder may be gone in the meantime.
    sizeOf(download)
      .then((bytes) => report('Downloading packages', Math.min(bytes, total_bytes)))
      .catch(() => {})
  }, measure_ms)
  try {
    const { code, output } = await runNpm(download, npm_words, { ...(signal && { signal }) })
    signal?.throwIfAborted()
    if (code !== 0) throw new NpmError(output)
  } finally {
    clearInterval(measuring)
  }

  report('Checking', total_bytes)
  const result = path.join(work, 'result')
  for (const name of kept) {
    const to = path.join(result, 'node_modules', name)
    await fs.mkdir(path.dirname(to), { recursive: true })
    await fs.rename(path.join(download, 'node_modules', name), to)
  }
  for (const [name, expected] of Object.entries(checksums)) {
    const bytes = await fs.readFile(path.join(result, 'node_modules', name))
    if (createHash('sha256').update(bytes).digest('hex') !== expected)
      throw new InstallError(`Offline speech was not installed: ${name} has another checksum than expected.`)
  }
  await fs.copyFile(path.join(source, 'package.json'), path.join(result, 'package.json'))
  await check(result)
  signal?.throwIfAborted()
  const { version }: { version: string } = JSON.parse(await fs.readFile(path.join(source, 'package.json'), 'utf8'))
  const installed = { version, hash, bytes: await sizeOf(result) }
  await fs.writeFile(path.join(result, manifest_name), JSON.stringify(installed))
  await replace(folder, result)
  return installed
}

/**
 * Puts a new install in the place of the earlier one. Whenever the process is killed, one of the two is whole, and
 * `readInstalled` finds it.
 */
async function replace(folder: string, result: string): Promise<void> {
  // If the folder is missing, a killed install was about to replace it, and the previous one is the only whole one.
  if (existsSync(folder)) {
    await removePrevious(folder)
    await fs.rename(folder, previousOf(folder))
  }
  await fs.rename(result, folder)
  await removePrevious(folder)
}

const removePrevious = (folder: string): Promise<void> => fs.rm(previousOf(folder), { recursive: true, force: true })

/** npm has failed; the message is what it printed. */
class NpmError extends Error {}

function explain(error: unknown): unknown {
  const again = `run ${product.short_name} speech install again`
  if (
    errorCode(error) === 'ENOENT' &&
    error instanceof Error &&
    'syscall' in error &&
    `${error.syscall}`.startsWith('spawn')
  )
    return new InstallError(`npm was not found on the PATH. Install it, and ${again}.`)
  if (
    ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EEXIST', 'ENOTDIR'].includes(errorCode(error) ?? '') &&
    error instanceof Error
  )
    return new InstallError(`Offline speech could not be written: ${error.message}. SPEECH_DIR names another folder.`)
  if (!(error instanceof NpmError)) return error
  const [network] = network_errors.exec(error.message) ?? []
  if (network)
    return new InstallError(
      `Offline speech could not be downloaded: npm can't reach its registry (${network}). Check the network or npm's proxy settings, and ${again}.`,
    )
  const lines = error.message.split('\n').filter((line) => /^npm (error|ERR!) (?!A complete log)/.test(line))
  const reason = lines.map((line) => line.replace(/^npm (error|ERR!) /, '')).slice(0, 3)
  return new InstallError(
    `Offline speech could not be downloaded: ${reason.join(', ') || 'npm failed'}. You can ${again}.`,
  )
}

/** Returns the bytes of all files in a folder. Files that disappear meanwhile don't count. */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await fs.readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const stat = await fs.stat(path.join(entry.parentPath, entry.name)).catch(() => undefined)
    bytes += stat?.size ?? 0
  }
  return bytes
}

const megabytes = (bytes: number): number => Math.round(bytes / 1_000_000)
