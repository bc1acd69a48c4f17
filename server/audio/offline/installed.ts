import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { isObject } from '../../kit/json.ts'

/**
 * The content of `installed.json`. It is written last, before the folder gets its name: where this file is, everything
 * is.
 */
export interface InstalledSpeech {
  /** The version in speech/package.json. */
  version: string
  /** A hash of the packages and the platform: what was installed for others is not used. */
  hash: string
  /** How much of the disk the folder takes. */
  bytes: number
}

/** Where package.json and the lock file of offline speech are. */
export const default_source = path.resolve(import.meta.dirname, '../../../speech')

export const manifest_name = 'installed.json'

export function readHash(source: string): string {
  const lock_file = fs.readFileSync(path.join(source, 'package-lock.json'), 'utf8')
  return createHash('sha256').update(`${process.platform} ${process.arch} ${lock_file}`).digest('hex')
}

/** Returns where an install is kept while another one takes its place. */
export const previousOf = (folder: string): string => `${folder}.previous`

/** Returns what is installed, and where. Undefined when nothing or another version is installed. */
export function readInstalled(folder: string, hash: string): (InstalledSpeech & { folder: string }) | undefined {
  for (const place of [folder, previousOf(folder)]) {
    const installed = readManifest(place, hash)
    if (installed) return { ...installed, folder: place }
  }
  return undefined
}

function readManifest(folder: string, hash: string): InstalledSpeech | undefined {
  try {
    const manifest: unknown = JSON.parse(fs.readFileSync(path.join(folder, manifest_name), 'utf8'))
    // This service wrote the file, so its members have these types.
    return isObject(manifest) && manifest.hash === hash ? (manifest as unknown as InstalledSpeech) : undefined
  } catch {
    return undefined
  }
}
