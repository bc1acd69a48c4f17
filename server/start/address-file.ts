import fs from 'node:fs'
import path from 'node:path'
import type { Config } from '../config.ts'
import { isObject } from '../kit/json.ts'
import type { Log } from '../kit/log.ts'

/*
 * Lets commands find the service by its data folder. Only one service uses the folder of an embedded PostgreSQL, so what the file
 * says is outdated only while none runs. Commands then find nobody there, or a service that doesn't know their key.
 */

const file_name = 'address.json'

const fileIn = (data_dir: string): string => path.join(data_dir, file_name)

/**
 * Notes the address of the service, or without a port that it has ended. Does nothing for a database elsewhere, because
 * several services may use it.
 */
export function noteAddress({ database_url, data_dir, host }: Config, port: number | undefined, log: Log): void {
  if (database_url) return
  try {
    if (port === undefined) fs.rmSync(fileIn(data_dir), { force: true })
    else {
      const written = `${fileIn(data_dir)}.new`
      fs.writeFileSync(written, `${JSON.stringify({ host, port })}\n`)
      fs.renameSync(written, fileIn(data_dir))
    }
  } catch (error) {
    log.warn({ err: error }, 'commands may not find this service without HOST and PORT')
  }
}

/** Sets the host and port of the running service, unless the environment names others. */
export function withAddressOfService(
  config: Config,
  { HOST, PORT, PUBLIC_URL }: Record<string, string | undefined>,
): Config {
  if (config.database_url || HOST || PORT || PUBLIC_URL) return config
  try {
    const written: unknown = JSON.parse(fs.readFileSync(fileIn(config.data_dir), 'utf8'))
    if (!isObject(written) || typeof written.host !== 'string' || typeof written.port !== 'number') return config
    return { ...config, host: written.host, port: written.port }
  } catch {
    // No service has run here.
    return config
  }
}
