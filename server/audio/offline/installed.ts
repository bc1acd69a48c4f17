import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { isObject } from '../../kit/json.ts'

/** What `installed.json` says. It is written last, before the folder gets its name: where it is, everything is. */
export interface Installed {
  /** Of speech/package.json. */
  version: string
  /** Of the packages and the platform: what was installed for others is not used. */
  hash: string
  /** What the folder takes of the disk. */
  bytes: number
}

/** Where package.json and the lock file of offline speech are. */
export const default_source = path.resolve(import.meta.dirname, '../../../speech')

export const manifest_name = 'installed.json'

export function readHash(source: string): string {
  const lock_file = fs.readFileSync(path.join(source, 'package-lock.json'), 'utf8')
  return createHash('sha256').update(`${process.platform} ${process.arch} ${lock_file}`).digest('hex')
}

/** Where an install is while another one takes its place. */
export const previousOf = (folder: string): string => `${folder}.previous`

/** What is installed, and where. Undefined when it is not installed, or another version is. */
export function readInstalled(folder: string, hash: string): (Installed & { folder: string }) | undefined {
  for (const place of [folder, previousOf(folder)]) {
    const installed = readManifest(place, hash)
    if (installed) return { ...installed, folder: place }
  }
  return undefined
}

function readManifest(folder: string, hash: string): Installed | undefined {
  try {
    const manifest: unknown = JSON.parse(fs.readFileSync(path.join(folder, manifest_name), 'utf8'))
    // This service wrote it.
    return isObject(manifest) && manifest.hash === hash ? (manifest as unknown as Installed) : undefined
  } catch {
    return undefined
  }
}
