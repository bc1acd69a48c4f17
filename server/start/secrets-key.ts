import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Config } from '../config.ts'

type SecretsKeys = Pick<Config, 'secrets_key' | 'secrets_key_previous'>

/**
 * The keys that seal secrets: those that are set or, with the embedded database, the files `secrets-key` and
 * `secrets-key-previous` in DATA_DIR.
 */
export function readSecretsKeys({ secrets_key, secrets_key_previous, database_url, data_dir }: Config): SecretsKeys {
  const readKey = (name: string): string | undefined => {
    const file = path.join(data_dir, name)
    return database_url === undefined && fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined
  }
  return {
    secrets_key: secrets_key ?? readKey('secrets-key'),
    secrets_key_previous: secrets_key_previous ?? readKey('secrets-key-previous'),
  }
}

/** Creates the key in DATA_DIR if there is none, at the first start. */
export function ensureSecretsKeys(config: Config): SecretsKeys {
  const keys = readSecretsKeys(config)
  if (keys.secrets_key !== undefined) return keys
  const file = path.join(config.data_dir, 'secrets-key')
  // Written under another name first, so that a kill can't leave half a key.
  fs.writeFileSync(`${file}.draft`, randomBytes(32).toString('base64'), { mode: 0o600, flush: true })
  fs.renameSync(`${file}.draft`, file)
  return readSecretsKeys(config)
}
