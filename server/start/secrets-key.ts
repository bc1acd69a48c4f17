import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/** Reads the key that seals secrets from DATA_DIR, and creates it at the first start. */
export function ensureSecretsKey(data_dir: string): string {
  const file = path.join(data_dir, 'secrets-key')
  if (fs.existsSync(file)) return fs.readFileSync(file, 'utf8')
  // Written under another name first, so that a kill can't leave half a key.
  fs.writeFileSync(`${file}.draft`, randomBytes(32).toString('base64'), { mode: 0o600, flush: true })
  fs.renameSync(`${file}.draft`, file)
  return fs.readFileSync(file, 'utf8')
}
