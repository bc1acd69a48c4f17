import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Config } from '../config.ts'

type SecretsKeys = Pick<Config, 'secrets_key' | 'secrets_key_previous'>

/** The names of the key files in DATA_DIR. */
export const key_files: Record<keyof SecretsKeys, string> = {
  secrets_key: 'secrets-key',
  secrets_key_previous: 'secrets-key-previous',
}

/**
 * Reads the keys that seal secrets: those that are set or, with the embedded database, those in the files of DATA_DIR.
 */
export function readSecretsKeys(config: Config): SecretsKeys {
  const readKey = (name: keyof SecretsKeys): string | undefined => {
    const file = path.join(config.data_dir, key_files[name])
    if (config[name] !== undefined || config.database_url !== undefined || !fs.existsSync(file)) return config[name]
    return fs.readFileSync(file, 'utf8')
  }
  return { secrets_key: readKey('secrets_key'), secrets_key_previous: readKey('secrets_key_previous') }
}

/** Creates the key in DATA_DIR if there is none, at the first start. */
export function ensureSecretsKeys(config: Config): SecretsKeys {
  const keys = readSecretsKeys(config)
  if (keys.secrets_key !== undefined) return keys
  writeKeyFile(config, key_files.secrets_key, randomBytes(32).toString('base64'))
  return readSecretsKeys(config)
}

export function writeKeyFile({ data_dir }: Config, name: string, key: string): void {
  const file = path.join(data_dir, name)
  // The key is written under another name first, so that a kill can't leave half a key.
  fs.writeFileSync(`${file}.draft`, key, { mode: 0o600, flush: true })
  fs.renameSync(`${file}.draft`, file)
}
